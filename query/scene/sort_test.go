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
