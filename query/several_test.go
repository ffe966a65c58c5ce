package query_test

import (
	"testing"

	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Neighbours for k from 2 to 135 are those of the reference: in scenes of even and of changing density, with many ties,
// with groups of 20 far apart, and within a limit.
func TestNearestSeveral(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	n := testkit.Budget(t, 1500, 6000)
	scenes := map[string][]soa.Object{
		"uniform": shrunk(testkit.SceneByName(t, "uniform").Make(n, 1)),
		"city":    testkit.SceneByName(t, "city").Make(n, 1),
	}
	grid, groups := make([]soa.Object, n), make([]soa.Object, n)
	for i := range n {
		p := [3]float32{float32(i % 12), float32(i / 12 % 12), float32(i / 144)}
		grid[i] = soa.Object{Box: soa.AABB{Min: p, Max: p}, Mask: 1}
		p = [3]float32{1000 * float32(i/20), r.Float32(), r.Float32()}
		groups[i] = soa.Object{Box: soa.AABB{Min: p, Max: p}, Mask: 1}
	}
	scenes["grid"], scenes["groups"] = grid, groups
	testkit.EachTier(t, func(t *testing.T) {
		for name, objects := range scenes {
			for form, tree := range plantAll(t, objects).Trees {
				v := tree.View()
				for range testkit.Budget(t, 15, 200) {
					p := objects[r.IntN(n)].Box.Min
					if r.IntN(2) == 0 {
						p[0] += r.Float32() - 0.5
						p[2] += 2 * r.Float32()
					}
					k := 2 + r.IntN(134)
					sorted := testkit.ReferenceNearest(objects, p, n, infinity)
					if !sameNear(t, nearestOf(t, v, p, k, infinity, query.Filter{}), sorted[:k]) {
						t.Fatalf("%s, %s: the %d nearest of %v", name, form, k, p)
					}
					most := query.Neighbor{Dist2: sorted[r.IntN(2*k)].Dist2}.Dist()
					within := testkit.ReferenceNearest(objects, p, k, trace.NearBound(most))
					if !sameNear(t, nearestOf(t, v, p, k, most, query.Filter{}), within) {
						t.Fatalf("%s, %s: the %d nearest of %v within %v", name, form, k, p, most)
					}
				}
			}
		}
	})
}
