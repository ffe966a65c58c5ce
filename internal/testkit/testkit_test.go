package testkit

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/cpu"
)

// recorder is a test that keeps reports to it instead of failing.
type recorder struct {
	testing.TB
	failed, skipped string
}

func (r *recorder) Helper()             {}
func (r *recorder) Logf(string, ...any) {}
func (r *recorder) Errorf(format string, args ...any) {
	r.failed = fmt.Sprintf(format, args...)
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}
func (r *recorder) Skipf(format string, args ...any) {
	r.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// record runs f to its end, be it by Fatalf or Skipf.
func record(f func(t testing.TB)) *recorder {
	r := new(recorder)
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return r
}

func TestEachTier(t *testing.T) {
	for variable, want := range map[string][]cpu.Tier{"": cpu.Available(), "active": {cpu.Active}} {
		t.Run(EnvTiers+"="+variable, func(t *testing.T) {
			t.Setenv(EnvTiers, variable)
			eachTierRuns(t, want)
		})
	}
}

func eachTierRuns(t *testing.T, want []cpu.Tier) {
	t.Helper()
	before := cpu.Active
	var seen []cpu.Tier
	EachTier(t, func(t *testing.T) {
		seen = append(seen, cpu.Active)
		if !strings.HasSuffix(t.Name(), "/tier="+cpu.Active.String()) {
			t.Errorf("tier %v runs as %s", cpu.Active, t.Name())
		}
	})
	if !slices.Equal(seen, want) {
		t.Errorf("ran on %v, want %v", seen, want)
	}
	if cpu.Active != before {
		t.Errorf("left tier %v active, was %v", cpu.Active, before)
	}
}

func TestSeed(t *testing.T) {
	for _, c := range []struct {
		env  string
		want uint64
		bad  bool
	}{
		{"", 1, false}, {"77", 77, false}, {"0xFFFFFFFFFFFFFFFF", 1<<64 - 1, false},
		{"-1", 0, true}, {"seven", 0, true},
	} {
		t.Setenv(EnvSeed, c.env)
		var got uint64
		r := record(func(t testing.TB) { got = Seed(t) })
		if got != c.want || (r.failed != "") != c.bad {
			t.Errorf("%s=%q: seed %d, %q", EnvSeed, c.env, got, r.failed)
		}
	}
}

func TestData(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "there"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ env, file, path, failed, skipped string }{
		{env: "", file: "there", skipped: EnvData},
		{env: folder, file: "there", path: filepath.Join(folder, "there")},
		{env: folder, file: "missing", failed: "missing"},
		{env: folder, file: ".", failed: "is not a file"},
		{env: "relative", file: "there", failed: "absolute"},
		{env: filepath.Join(folder, "no folder"), file: "there", failed: "no folder"},
	} {
		t.Setenv(EnvData, c.env)
		var path string
		r := record(func(t testing.TB) { path = Data(t, c.file) })
		if path != c.path || (r.failed == "") != (c.failed == "") || (r.skipped == "") != (c.skipped == "") ||
			!strings.Contains(r.failed, c.failed) || !strings.Contains(r.skipped, c.skipped) {
			t.Errorf("%+v: path %q, failed %q, skipped %q", c, path, r.failed, r.skipped)
		}
	}
}

func TestIDs(t *testing.T) {
	type compare func(t testing.TB, got []uint32, want []int) bool
	for _, c := range []struct {
		name    string
		compare compare
		got     []uint32
		want    []int
		says    string
	}{
		{"same", SameIDs[uint32, int], []uint32{3, 1}, []int{3, 1}, ""},
		{"both empty", SameIDs[uint32, int], nil, []int{}, ""},
		{"order", SameIDs[uint32, int], []uint32{3, 1}, []int{1, 3}, "position 0: got 3, want 1; the same 2 IDs in another order"},
		{"middle", SameIDs[uint32, int], []uint32{1, 5, 3}, []int{1, 2, 3}, "position 1: got 5, want 2; got 3, want 3; missing 1: 2; extra 1: 5"},
		{"short", SameIDs[uint32, int], []uint32{1}, []int{1, 2}, "up to position 1; got 1, want 2; missing 1: 2; extra 0: none"},
		{"set, order", SameIDSet[uint32, int], []uint32{3, 1}, []int{1, 3}, ""},
		{"set, twice", SameIDSet[uint32, int], []uint32{1, 1}, []int{1}, "missing 0: none; extra 1: 1"},
		{"set, missing", SameIDSet[uint32, int], []uint32{1}, []int{1, 1, 4}, "missing 2: 1 4; extra 0: none"},
		{"lost nothing", NothingLost[uint32, int], []uint32{9, 1, 2}, []int{2}, ""},
		{"lost", NothingLost[uint32, int], []uint32{9}, []int{2, 9}, "1 of 2 IDs are lost: 2"},
		{"lost many", NothingLost[uint32, int], nil, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, "0 1 2 3 4 5 6 7 8 9 …"},
	} {
		var same bool
		r := record(func(t testing.TB) { same = c.compare(t, c.got, c.want) })
		if same != (c.says == "") || (r.failed == "") != (c.says == "") || !strings.Contains(r.failed, c.says) {
			t.Errorf("%s: %v, %q, want %q", c.name, same, r.failed, c.says)
		}
	}
}

var sink []byte

func TestAllocs(t *testing.T) {
	if r := record(func(t testing.TB) { Allocs(t, 100, func() {}) }); r.failed != "" {
		t.Errorf("no allocation: %q", r.failed)
	}
	calls := 0
	r := record(func(t testing.TB) {
		Allocs(t, 100, func() {
			if calls++; calls%50 == 0 {
				sink = make([]byte, 1000)
			}
		})
	})
	if (r.failed == "") != RaceEnabled {
		t.Errorf("two allocations in 100 calls: %q", r.failed)
	}
}

func TestRandomBoxes(t *testing.T) {
	seed := Seed(t)
	for _, kind := range BoxKinds() {
		boxes := RandomBoxes(Rand(seed), 2000, kind)
		thin := 0
		for i, b := range boxes {
			if err := b.Check(); err != nil {
				t.Fatalf("%s, box %d: %v", kind, i, err)
			}
			if b.Min[0] == b.Max[0] || b.Min[1] == b.Max[1] || b.Min[2] == b.Max[2] {
				thin++
			}
		}
		if thin < 150 {
			t.Errorf("%s: %d of 2000 boxes have no extent on some axis", kind, thin)
		}
		if !slices.Equal(boxes, RandomBoxes(Rand(seed), 2000, kind)) {
			t.Errorf("%s: the same seed gives other boxes", kind)
		}
		for range 2000 {
			for _, f := range RandomPlane(Rand(seed), kind) {
				if f-f != 0 {
					t.Fatalf("%s: coefficient %v", kind, f)
				}
			}
		}
	}
	if r := record(func(t testing.TB) { SceneByName(t, "nowhere") }); r.failed == "" {
		t.Error("SceneByName accepted an unknown scene")
	}
}

// The sweeps find the pairs of the double loops, in their order.
func TestSweeps(t *testing.T) {
	rng := Rand(Seed(t))
	for round := range Budget(t, 40, 2000) {
		boxes := RandomBoxes(rng, rng.IntN(60), BoxKinds()[round%4])
		got, want := SweepAndPrune(boxes), ReferencePairs(boxes)
		distance := float32(0)
		if len(boxes) > 1 {
			distance = TouchingDistance(&boxes[0], &boxes[1], rng.IntN(8))
		}
		if distance > 0 && distance <= math.MaxFloat32 {
			got, want = append(got, SweepNear(boxes, distance)...), append(want, ReferencePairsNear(boxes, distance)...)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("round %d, distance %v: %d pairs, want %d", round, distance, len(got), len(want))
		}
	}
}
