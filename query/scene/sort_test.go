package scene

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// objectOf draws an object with a path of up to depth instances, and with IDs of up to so many bits.
func objectOf(rng *rand.Rand, depth, bits int) (o Object) {
	id := func() uint32 { return rng.Uint32() >> (32 - bits) }
	for range rng.IntN(depth + 1) {
		o.Path.push(id())
	}
	o.ID = id()
	return o
}

// Pairs and impacts are sorted as by comparison: few and many, in flat and deep scenes, with small and large IDs, and
// with times that no step has.
func TestSort(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	var s pairSorter
	for _, n := range []int{0, 1, 2, fewSorted - 1, fewSorted, fewSorted + 1, 100, 1000} {
		for _, depth := range []int{0, 1, 2, linear.MaxDepth} {
			for _, bits := range []int{1, 7, 16, 31} {
				pairs, impacts := make([]Pair, n), make([]Impact, n)
				for i := range pairs {
					pairs[i] = Pair{0, objectOf(rng, depth, bits), objectOf(rng, depth, bits)}
					impacts[i] = Impact{pairs[i].A, pairs[i].B, float32(rng.IntN(3)) / 2}
					if i%5 == 0 {
						impacts[i].Time = float32(math.Copysign(0, -1))
					}
					if bits == 7 && i%50 == 40 {
						impacts[i].Time = -1
					}
				}
				wantPairs, wantImpacts := slices.Clone(pairs), slices.Clone(impacts)
				slices.SortFunc(wantPairs, comparePairs)
				slices.SortFunc(wantImpacts, compareImpacts)
				if s.sort(pairs); !slices.Equal(pairs, wantPairs) {
					t.Fatalf("%d pairs of depth %d with IDs of %d bits are not sorted", n, depth, bits)
				}
				if SortImpacts(impacts); !slices.Equal(impacts, wantImpacts) {
					t.Fatalf("%d impacts of depth %d with IDs of %d bits are not sorted", n, depth, bits)
				}
			}
		}
	}
	pairs := make([]Pair, 1000)
	testkit.Allocs(t, 3, func() {
		for i := range pairs {
			pairs[i] = Pair{0, objectOf(rng, 2, 8), objectOf(rng, 2, 8)}
		}
		s.sort(pairs)
	})
}

// A list of the nearest keeps the first k of any offers, in their order: of one part, which ascend, of several, and of
// many at the same distance.
func TestNearList(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	var w nearList
	for _, k := range []int{1, 2, sortedMost - 1, sortedMost, sortedMost + 1, 100, 500} {
		for _, n := range []int{0, 1, k - 1, k, k + 1, 2 * k, 3 * k} {
			for _, parts := range []int{1, 2, 7} {
				for _, distances := range []int{2, 50, 1 << 30} {
					w.reset(k)
					offers := make([]near, n)
					for i := range offers {
						offers[i] = near{float32(rng.IntN(distances)), 1, uint32(i), uint32(i), uint32(i * parts / n)}
					}
					for i := range parts {
						w.paths = append(w.paths, nearPath{path: PathOf(uint32(100 - i))})
						from, to := (i*n+parts-1)/parts, ((i+1)*n+parts-1)/parts
						slices.SortFunc(offers[from:to], func(a, b near) int { return w.compare(&a, &b) })
					}
					want := slices.Clone(offers)
					slices.SortFunc(want, func(a, b near) int { return w.compare(&a, &b) })
					for i := range offers {
						if w.offer(offers[i]); w.full() && *w.worst() != slices.MaxFunc(w.best, func(a, b near) int { return w.compare(&a, &b) }) {
							t.Fatalf("k=%d: the worst is %v", k, *w.worst())
						}
					}
					if got := w.sorted(); !slices.Equal(got, want[:min(k, n)]) {
						t.Fatalf("k=%d, %d offers of %d parts at %d distances: %v, want %v", k, n, parts, distances, got, want[:min(k, n)])
					}
				}
			}
		}
	}
}
