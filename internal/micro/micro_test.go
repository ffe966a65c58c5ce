package micro

import (
	"flag"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/machine"
)

// once runs benchmarks a single time within a test.
func once(t *testing.T) {
	t.Helper()
	f := flag.Lookup("test.benchtime")
	former := f.Value.String()
	if err := f.Value.Set("1x"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Value.Set(former) })
}

// A working set is larger than the caches before its own and fits its own.
func TestSets(t *testing.T) {
	m := machine.Here()
	sets := Sets()
	if n := len(sets); n != 4 && !(testing.Short() && n == 3) {
		t.Fatalf("sets %v", sets)
	}
	for i, cache := range []int{m.L1D, m.L2, m.L3} {
		if cache > 0 && sets[i].Bytes > cache {
			t.Errorf("%v in a cache of %d bytes", sets[i], cache)
		}
		if i+1 < len(sets) && sets[i+1].Bytes <= max(sets[i].Bytes, min(cache, largest-1)) {
			t.Errorf("%v after %v, cache of %d bytes", sets[i+1], sets[i], cache)
		}
	}
	once(t)
	if got := Sets(); len(got) != 1 || got[0].Cache != "L1" {
		t.Errorf("sets %v of a smoke run", got)
	}
}

func TestSizes(t *testing.T) {
	want := []int{10, 1_000_000, 10_000_000}
	if testing.Short() {
		want = want[:2]
	}
	if got := Sizes(10, 1_000_000, 10_000_000); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	once(t)
	if got := Sizes(10, 20_000); !slices.Equal(got, []int{10}) {
		t.Errorf("%v of a smoke run", got)
	}
	if got := Sizes(100_000, 1_000_000); !slices.Equal(got, []int{10_000}) {
		t.Errorf("%v of a smoke run", got)
	}
}

// A kernel runs on every tier, and the tier before is back afterwards.
func TestEach(t *testing.T) {
	once(t)
	before := cpu.Active
	seen := make(map[cpu.Tier]bool)
	items := 0
	r := testing.Benchmark(func(b *testing.B) {
		Each(b, 8, func(_ *testing.B, n int) Kernel {
			items = n
			return Kernel{Items: n, Item: "key", Bytes: 8 * n, Run: func() { seen[cpu.Active] = true }}
		})
	})
	if len(seen) != len(cpu.Available()) || cpu.Active != before {
		t.Errorf("tiers %v, then %v", seen, cpu.Active)
	}
	if want := Sets()[0].Bytes / 8; items != want || r.N != 1 {
		t.Errorf("%d items, want %d; %d runs", items, want, r.N)
	}
}
