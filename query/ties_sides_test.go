package query_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Of two heaps as far away on both sides the smallest IDs are nearest, whichever heap is read first, by boxes and by
// spheres that are in them.
func TestTiesOnBothSides(t *testing.T) {
	const n = 2000
	for side := range 2 {
		objects := make([]soa.Object, n)
		for i := range objects {
			x := float32(10)
			if i*2/n == side {
				x = -x
			}
			objects[i] = soa.Object{Box: testkit.Cube(x, 0, 0, 2), Mask: 1}
		}
		tree := plant(t, objects, true)
		for i := range objects {
			c := objects[i].Box.Center()
			testkit.Must(t, tree.SetSphere(uint32(i), [4]float32{c[0], c[1], c[2], 1}))
		}
		v := tree.View()
		testkit.EachTier(t, func(t *testing.T) {
			for f, d2 := range map[bool]float32{false: 64, true: 81} {
				for _, k := range []int{1, 8, 20, 300} {
					near := nearestOf(t, v, [3]float32{}, k, infinity, query.Filter{Mask: 1, Exact: f})
					for i, got := range near {
						if got != (query.Neighbor{ID: uint32(i), Dist2: d2}) {
							t.Fatalf("side %d, spheres %v: neighbour %d of %d is %+v", side, f, i, k, got)
						}
					}
				}
			}
		})
	}
}
