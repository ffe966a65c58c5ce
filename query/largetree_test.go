package query_test

import (
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
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
			type search struct {
				name string
				ids  func(v linear.View) []uint32
				want []int
			}
			var common []search // for all forms
			for _, results := range []int{8, 450, n / 4} {
				for _, b := range scene.BoxQueries(objects, results, 2, seed) {
					q := box(t, b)
					common = append(common, search{"box", func(v linear.View) []uint32 { return q.Append(nil, v, query.Filter{}) }, testkit.ReferenceBox(objects, b)})
				}
				for _, b := range scene.SphereQueries(objects, results, 2, seed) {
					q := sphere(t, b)
					common = append(common, search{"sphere", func(v linear.View) []uint32 { return q.Append(nil, v, query.Filter{}) }, testkit.ReferenceSphere(objects, b.Center, b.Radius)})
				}
			}
			for _, r := range scene.RayQueries(objects, 6, seed) {
				q := rayOf(t, r.Origin, r.Dir, r.MaxT)
				var hits []int
				for _, h := range testkit.ReferenceSweep(objects, testkit.RaySweep(r.Origin, r.Dir, r.MaxT)) {
					hits = append(hits, h.Index)
				}
				slices.Sort(hits)
				common = append(common, search{"ray", func(v linear.View) []uint32 { return q.AppendIDs(nil, v, query.Filter{}) }, hits})
			}
			points := scene.PointQueries(objects, 3, seed)
			var neighbors [3][]testkit.Near
			for i, p := range points {
				neighbors[i] = testkit.ReferenceNearest(objects, p, 20, float32(math.Inf(1)))
			}
			var cameras []scene.Camera
			for _, results := range []int{8, 450, n / 4} {
				cameras = append(cameras, scene.Cameras(objects, float64(results)/float64(n), 2, seed)...)
			}
			for k, form := range treeForms {
				v := f.Trees[form].View()
				searches := slices.Clone(common)
				for _, c := range cameras {
					q, s := frustum(t, c.Planes()), v.Store()
					searches = append(searches, search{"frustum", func(v linear.View) []uint32 { return q.Append(nil, v, query.Filter{}) }, testkit.ReferenceFrustumBounds(objects, c.Planes(), s.Near, s.Extent)})
				}
				testkit.EachTier(t, func(t *testing.T) {
					if !testkit.OfTier(t, i+k) {
						return
					}
					for i, s := range searches {
						got := s.ids(v)
						if slices.Sort(got); !testkit.SameIDs(t, got, s.want) {
							t.Fatalf("%s %d of tree %v", s.name, i, form)
						}
					}
					for k, p := range points {
						found, err := query.AppendNearest(nil, v, p, 20, query.Unlimited, query.Filter{})
						testkit.Must(t, err)
						for i, want := range neighbors[k] {
							if found[i].ID != uint32(want.Index) || found[i].Dist2 != want.Dist2 {
								t.Fatalf("neighbor %d of %v is %+v, want %+v", i, p, found[i], want)
							}
						}
					}
				})
			}
		})
	}
}
