package query_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// No query allocates once the slices of the caller and the buffers of a batch have grown, in any kind of tree and in a
// version of one. Each shape is called by its own type: an interface or a type parameter would make the query escape.
func TestQueriesAllocateNothing(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(testkit.Budget(t, 4000, 50_000), 1)
	f := plantAll(t, objects)
	views := map[string]linear.View{}
	for form, tree := range f.Trees {
		views[form] = tree.View()
	}
	version := linear.NewPublisher(plant(t, objects, false)).Acquire()
	defer version.Release()
	views["version"] = version.View()

	dst, hits := make([]uint32, 0, len(objects)+soa.Lanes), make([]query.Hit, 0, len(objects))
	b, s := scene.BoxQueries(objects, 3000, 1, 1)[0], scene.SphereQueries(objects, 3000, 1, 1)[0]
	cut, all := convex(t, faces(b)), box(t, world)
	var frusta []query.Frustum
	cameras := scene.Cameras(objects, 0.1, 20, 3)
	for _, c := range cameras {
		frusta = append(frusta, frustum(t, c.Planes()))
	}
	var boxes []query.Box
	for _, b := range scene.BoxQueries(objects, 20, 200, 1) {
		boxes = append(boxes, box(t, b))
	}
	var spheres []query.Sphere
	for _, s := range scene.SphereQueries(objects, 20, 200, 1) {
		spheres = append(spheres, sphere(t, s))
	}
	rays := benchRays(t, objects, 50)
	round := function(t, b, ofBox(b))
	ball := sweptSphereOf(t, objects[0].Box.Min, 2, [3]float32{30, 20, 10})
	var boxBatch query.BoxBatch
	var sphereBatch query.SphereBatch
	rayBatch := query.RayBatch{Workers: 1}

	for form, v := range views {
		if n := all.Count(v, query.Filter{}); n != v.Len() {
			t.Errorf("tree %s: %d objects of all %d", form, n, v.Len())
		}
		for _, flt := range filters {
			sum := 0 // objects listed, less those counted
			each := func(uint32) bool { sum++; return true }
			part := func(query.Range) bool { return true }
			enter := func(_ uint32, t float32) (float32, bool) { return t, true }
			for name, ask := range map[string]func(){
				"box": func() {
					q := box(t, b)
					dst = q.Append(dst[:0], v, flt)
					sum -= q.Count(v, flt)
					q.Any(v, flt)
					q.All(v, flt)(each)
					q.Ranges(v, flt, part)
				},
				"point": func() {
					q := point(t, b.Min)
					dst = q.Append(dst[:0], v, flt)
					sum -= q.Count(v, flt)
					q.Any(v, flt)
					q.All(v, flt)(each)
					q.Ranges(v, flt, part)
				},
				"sphere": func() {
					q := sphere(t, s)
					dst = q.Append(dst[:0], v, flt)
					sum -= q.Count(v, flt)
					q.Any(v, flt)
					q.All(v, flt)(each)
					q.Ranges(v, flt, part)
				},
				"func": func() {
					dst = round.Append(dst[:0], v, flt)
					sum -= round.Count(v, flt)
					round.Any(v, flt)
					round.All(v, flt)(each)
					round.Ranges(v, flt, part)
					for range query.Boxes(round, v, flt) {
						sum++
					}
					sum -= len(dst)
					round.Explain(v, flt, nil)
				},
				"convex": func() {
					dst = cut.Append(dst[:0], v, flt)
					sum -= cut.Count(v, flt)
					cut.Any(v, flt)
					cut.All(v, flt)(each)
					cut.Ranges(v, flt, part)
				},
				"frustum": func() {
					for i := range cameras {
						q := frustum(t, cameras[i].Planes())
						dst = q.Append(dst[:0], v, flt)
						if sum += len(dst) - q.Count(v, flt); q.Any(v, flt) != (len(dst) > 0) {
							sum++
						}
						for range q.All(v, flt) {
						}
						q.Ranges(v, flt, part)
					}
				},
				"precise frustum": func() {
					for _, q := range frusta[:3] {
						q = q.Precise()
						dst = q.Append(dst[:0], v, flt)
						if sum += len(dst) - q.Count(v, flt); q.Any(v, flt) != (len(dst) > 0) || q.Explain(v, flt, nil).Ranges > 0 != q.Any(v, flt) {
							sum++
						}
					}
				},
				"boxes": func() {
					for range query.Boxes(frusta[0], v, flt) {
						sum++
					}
					for range query.Boxes(frusta[0].Precise(), v, flt) {
						sum++
					}
					for range query.Boxes(cut, v, flt) {
						sum++
					}
					for range query.Boxes(point(t, b.Min), v, flt) {
						sum++
					}
					for range query.Boxes(sphere(t, s), v, flt) {
						sum++
					}
					for range query.Boxes(all, v, flt) {
						sum++
					}
					sum -= frusta[0].Count(v, flt) + frusta[0].Precise().Count(v, flt) + cut.Count(v, flt)
					sum -= point(t, b.Min).Count(v, flt) + sphere(t, s).Count(v, flt) + all.Count(v, flt)
				},
				"rays": func() {
					for i := range rays {
						r := &rays[i]
						hits = r.Append(hits[:0], v, flt)
						dst = r.AppendIDs(dst[:0], v, flt)
						sum += len(hits) + len(dst) - 2*r.Count(v, flt)
						r.First(v, flt)
						r.FirstID(v, flt)
						r.FirstFunc(v, flt, enter)
						r.Any(v, flt)
						for range r.All(v, flt) {
						}
					}
				},
				"swept sphere": func() {
					hits = ball.Append(hits[:0], v, flt)
					sum += len(hits) - ball.Count(v, flt)
					ball.First(v, flt)
					ball.FirstFunc(v, flt, func(uint32, float32) (float32, bool) { sum += 0; return 0, false })
				},
				"batches": func() {
					testkit.Must(t, boxBatch.Find(nil, v, boxes, flt))
					testkit.Must(t, sphereBatch.Find(nil, v, spheres, flt))
					testkit.Must(t, rayBatch.Find(nil, v, rays, flt))
					testkit.Must(t, rayBatch.FindAll(nil, v, rays, flt))
				},
			} {
				testkit.Allocs(t, 5, ask)
				if sum != 0 || t.Failed() {
					t.Fatalf("%s, tree %s, filter %+v: yielded and counted differ by %d", name, form, flt, sum)
				}
			}
		}
	}
}
