// Package micro runs microbenchmarks of kernels on every tier, over working sets that fit into each
// cache level of this machine and beyond. Next to each it measures a copy of as many bytes, the
// upper bound for moving them.
//
//	BenchmarkScan/volume=box/cache=L2/n=43690/impl=avx512
//
// All parts of a name are key=value, for benchstat:
//
//	benchstat -col /impl -row .name,/cache FILE
//
// With -benchtime 1x a benchmark is a smoke test, with one small working set.
package micro

import (
	"flag"
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/machine"
)

// Kernel is a kernel with its input.
type Kernel struct {
	Items int    // number of items of one run
	Item  string // name of an item: box, key, slot
	Bytes int    // bytes that one run reads and writes; 0 if the number depends on the input: then there is no copy
	Run   func()
}

// Smoke reports whether benchmarks run only once, by -benchtime 1x.
func Smoke() bool {
	f := flag.Lookup("test.benchtime")
	return f != nil && f.Value.String() == "1x"
}

// Sizes returns the sizes to measure: in a smoke run up to 10,000, with -short up to 1,000,000,
// else all. It returns at least one.
func Sizes(all ...int) (some []int) {
	for _, n := range all {
		if n <= 10_000 || !Smoke() && (n <= 1_000_000 || !testing.Short()) {
			some = append(some, n)
		}
	}
	if len(some) == 0 {
		some = append(some, min(all[0], 10_000))
	}
	return some
}

// Set is a working set.
type Set struct {
	Cache string // cache level that holds it: L1, L2, L3, memory
	Bytes int
}

// largest bounds the size of the working set in memory.
const largest = 1 << 30

// Sets returns the working sets for the cache sizes of this machine: half of the first two levels,
// a quarter of the third, which cores share, and one in memory. The last is twice the third level,
// at most 1 GiB; with -short it is omitted.
func Sets() []Set {
	m := machine.Here()
	or := func(bytes, usual int) int {
		if bytes > 0 {
			return bytes
		}
		return usual
	}
	l1, l2, l3 := or(m.L1D, 32<<10), or(m.L2, 512<<10), or(m.L3, 16<<20)
	sets := []Set{{"L1", l1 / 2}, {"L2", l2 / 2}, {"L3", max(l3/4, l2)}, {"memory", min(2*l3, largest)}}
	switch {
	case Smoke():
		return sets[:1]
	case testing.Short():
		return sets[:3]
	}
	return sets
}

// Each measures a kernel on every working set. prepare returns it with an input of the given number
// of items, each of bytesPerItem bytes.
func Each(b *testing.B, bytesPerItem int, prepare func(b *testing.B, items int) Kernel) {
	for _, set := range Sets() {
		items := max(set.Bytes/bytesPerItem, 1)
		k := prepare(b, items)
		Tiers(b, fmt.Sprintf("cache=%s/n=%d", set.Cache, items), k)
	}
}

// Tiers measures a kernel on every tier, and a copy of as many bytes.
func Tiers(b *testing.B, name string, k Kernel) {
	for _, tier := range cpu.Available() {
		b.Run(name+"/impl="+tier.String(), func(b *testing.B) {
			former, err := cpu.Force(tier)
			if err != nil {
				b.Fatal(err)
			}
			defer cpu.Force(former)
			Measure(b, k)
		})
	}
	Copy(b, name, k)
}

// Copy measures a copy of as many bytes as a kernel reads and writes.
func Copy(b *testing.B, name string, k Kernel) {
	if k.Bytes == 0 {
		return
	}
	b.Run(name+"/impl=copy", func(b *testing.B) {
		from, to := make([]byte, k.Bytes/2), make([]byte, k.Bytes/2)
		for i := range from {
			from[i] = byte(i) // untouched pages would all be one page of zeros
		}
		k.Run = func() { copy(to, from) }
		Measure(b, k)
	})
}

// Measure runs a kernel b.N times, after one run in which buffers grow.
func Measure(b *testing.B, k Kernel) {
	b.ReportAllocs()
	b.SetBytes(int64(k.Bytes))
	k.Run()
	for b.Loop() {
		k.Run()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(max(k.Items, 1)), "ns/"+k.Item)
}
