package linear_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// Objects that are inserted together, with a mask and a flag that no object of the tree has, are found by these right
// after the flush, before a refit: the flush fills their cells anew, and raises the masks and flags of all nodes above.
func TestInsertManyLabels(t *testing.T) {
	for _, static := range []bool{false, true} {
		for _, side := range []float32{0.1, 1, 5} {
			r := testkit.Rand(testkit.Seed(t))
			cloud := func(n int, low, side float32) (points [][3]float32) {
				for range n {
					points = append(points, [3]float32{low + side*r.Float32(), low + side*r.Float32(), low + side*r.Float32()})
				}
				return points
			}
			tree := newTree(t, linear.Config{Policy: linear.PolicyIncremental})
			_, err := tree.InsertPoints(nil, cloud(5000, 0, 100), linear.Labels{Mask: 1, Static: !static})
			must(t, err)
			must(t, tree.Tick())
			ids, err := tree.InsertPoints(nil, cloud(100, 40, side), linear.Labels{Mask: 2, Static: static})
			must(t, err)
			must(t, tree.Flush())
			ticked := tree.Clone()
			must(t, ticked.Tick())
			if w := ticked.Work(); w.Splits == 0 || w.Splits > 5 { // one by one: 10 or more
				t.Fatalf("the flush did not fill cells anew: %+v", w)
			}
			must(t, tree.Validate())
			motion := query.MovingOnly
			if static {
				motion = query.StaticOnly
			}
			near, err := query.NewBox([3]float32{40, 40, 40}, [3]float32{45, 45, 45})
			must(t, err)
			for _, flt := range []query.Filter{{Mask: 2}, {Motion: motion}, {Mask: 2, Motion: motion}} {
				testkit.EachTier(t, func(t *testing.T) {
					v := tree.View()
					if got := slices.Sorted(near.All(v, flt)); !slices.Equal(got, ids) || near.Count(v, flt) != len(ids) {
						t.Errorf("side %v, %+v: %d objects, counted %d, want %d", side, flt, len(got), near.Count(v, flt), len(ids))
					}
				})
			}
		}
	}
}
