package query_test

import (
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
)

// The worlds of TestMatrix have at most 2,800 objects: here queries of each kind are compared with loops over all
// objects of trees that have several levels of nodes.
func TestLargeTrees(t *testing.T) {
	n, seed := testkit.Budget(t, 5_000, 30_000), testkit.Seed(t)
	for i, sc := range testkit.Scenes() {
		if i%4 != 0 && !testkit.Long(t) {
			continue
		}
		t.Run(sc.Name, func(t *testing.T) {
			objects := sc.Make(n, seed)
			f := plantAll(t, objects)
			sorted := func(ids []uint32) []uint32 { slices.Sort(ids); return ids }
			testkit.EachTier(t, func(t *testing.T) {
				for _, form := range treeForms {
					v, s := f.Trees[form].View(), f.Trees[form].View().Store()
					for _, results := range []int{8, 450, n / 4} {
						for _, b := range scene.BoxQueries(objects, results, 2, seed) {
							testkit.SameIDs(t, sorted(box(t, b).Append(nil, v, query.Filter{})), testkit.ReferenceBox(objects, b))
						}
						for _, b := range scene.SphereQueries(objects, results, 2, seed) {
							testkit.SameIDs(t, sorted(sphere(t, b).Append(nil, v, query.Filter{})), testkit.ReferenceSphere(objects, b.Center, b.Radius))
						}
						for _, c := range scene.Cameras(objects, float64(results)/float64(n), 2, seed) {
							planes := c.Planes()
							testkit.SameIDs(t, sorted(frustum(t, planes).Append(nil, v, query.Filter{})), testkit.ReferenceFrustumBounds(objects, planes, s.Near, s.Extent))
						}
					}
					for _, r := range scene.RayQueries(objects, 6, seed) {
						ray, err := query.NewRay(r.Origin, r.Dir, r.MaxT)
						testkit.Must(t, err)
						var hits []int
						for _, h := range testkit.ReferenceSweep(objects, testkit.RaySweep(r.Origin, r.Dir, r.MaxT)) {
							hits = append(hits, h.Index)
						}
						slices.Sort(hits)
						testkit.SameIDs(t, sorted(ray.AppendIDs(nil, v, query.Filter{})), hits)
					}
					for _, p := range scene.PointQueries(objects, 3, seed) {
						found, err := query.AppendNearest(nil, v, p, 20, query.Unlimited, query.Filter{})
						testkit.Must(t, err)
						for i, want := range testkit.ReferenceNearest(objects, p, 20, float32(math.Inf(1))) {
							if found[i].ID != uint32(want.Index) || found[i].Dist2 != want.Dist2 {
								t.Fatalf("neighbor %d of %v is %+v, want %+v", i, p, found[i], want)
							}
						}
					}
				}
			})
		})
	}
}
