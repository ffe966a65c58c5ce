package scene

import (
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// A long list of boxes in the order along x has the pairs by definition, ascending: boxes that touch or are equal,
// points, and boxes that no tree accepts.
func TestGrownPairs(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	var g grownList
	for round := range 20 {
		g.list = g.list[:0]
		for i := range 50 + rng.IntN(400) {
			var box soa.AABB
			for a := range 3 {
				box.Min[a] = float32(rng.IntN(20))
				box.Max[a] = box.Min[a] + float32(rng.IntN(3))
			}
			if round%5 == 4 && i == 7 {
				box = soa.AABB{Min: [3]float32{-math.MaxFloat32, 0, 0}, Max: [3]float32{math.MaxFloat32, 1, 1}}
			}
			g.list = append(g.list, grownInstance{uint32(i), box})
		}
		var want []uint64
		for i := range g.list {
			for k := i + 1; k < len(g.list); k++ {
				if g.list[i].box.Overlaps(g.list[k].box) {
					want = append(want, uint64(i)<<32|uint64(k))
				}
			}
		}
		if g.sortPairs() && !slices.Equal(g.sorted, want) {
			t.Fatalf("%d boxes: %d pairs, want %d", len(g.list), len(g.sorted), len(want))
		}
	}
	if len(g.sorted) == 0 {
		t.Error("no pairs")
	}
}

// Instances that hardly move have the impacts that are their pairs, few and many of them, with others at rest.
func TestImpactsOfMany(t *testing.T) {
	for _, n := range []int{fewGrown - 20, fewGrown + 200} {
		for _, resting := range []int{0, 40} {
			rng := testkit.Rand(testkit.Seed(t))
			tree := new(linear.Tree)
			_, err := tree.Insert(linear.Object{Box: testkit.Cube(0, 0, 0, 1), Mask: 1})
			testkit.Must(t, err)
			s, err := linear.NewScene(linear.Config{})
			testkit.Must(t, err)
			var motions linear.Column[[3]float32]
			side := 2.5 * math.Cbrt(float64(n+resting))
			for i := range n + resting {
				at, err := linear.Similarity([3]float64{rng.Float64() * side, rng.Float64() * side, rng.Float64() * side},
					[4]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, 1)
				testkit.Must(t, err)
				id, err := s.AddInstance(tree, at, linear.InstanceOptions{})
				if testkit.Must(t, err); i < n {
					motions.Set(id, [3]float32{0x1p-60, 0, 0})
				}
			}
			testkit.Must(t, s.Tick())
			want := AppendPairs(nil, s.View(), PairFilter{})
			var got []Pair
			for _, x := range AppendImpacts(nil, s.View(), &motions, nil, PairFilter{}) {
				got = append(got, Pair{0, x.A, x.B})
			}
			slices.SortFunc(want, comparePairs)
			slices.SortFunc(got, comparePairs)
			if !slices.Equal(got, want) || len(want) < n/2 {
				t.Errorf("%d moving and %d resting instances: %d impacts, want %d", n, resting, len(got), len(want))
			}
			impacts := []Impact(nil)
			testkit.Allocs(t, 3, func() { impacts = AppendImpacts(impacts[:0], s.View(), &motions, nil, PairFilter{}) })
		}
	}
}
