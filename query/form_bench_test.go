package query_test

import (
	"fmt"
	"iter"
	"testing"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// formQueries is the number of queries of a kind.
const formQueries = 50

// formSum keeps results alive.
var formSum int

// manyForms is a volume in all its forms.
type manyForms interface {
	volume
	All(linear.View, query.Filter) iter.Seq[uint32]
	Explain(linear.View, query.Filter, *query.Heat) query.Counters
}

// volumesOf returns queries of each kind, of about 1 % of the objects where a
// volume has a size to choose.
func volumesOf(b *testing.B, objects []soa.Object) (kinds []string, all map[string][]manyForms) {
	all = make(map[string][]manyForms)
	share := len(objects) / 100
	for _, c := range scene.Cameras(objects, 0.01, formQueries, 1) {
		planes := c.Planes()
		f := frustum(b, planes)
		all["frustum"] = append(all["frustum"], f)
		all["precise"] = append(all["precise"], f.Precise())
		convex := convex(b, append(planes[:], planes[:2]...))
		all["convex8"] = append(all["convex8"], convex)
	}
	for _, q := range scene.BoxQueries(objects, share, formQueries, 1) {
		all["box"] = append(all["box"], box(b, q))
	}
	for _, q := range scene.SphereQueries(objects, share, formQueries, 1) {
		all["sphere"] = append(all["sphere"], sphere(b, q))
	}
	for _, p := range scene.PointQueries(objects, formQueries, 1) {
		q := point(b, p)
		all["point"] = append(all["point"], q)
	}
	return []string{"frustum", "precise", "convex8", "box", "sphere", "point"}, all
}

// Every form of every volume, on every tier.
func BenchmarkForms(b *testing.B) {
	for _, n := range micro.Sizes(100_000) {
		objects := testkit.SceneByName(b, "uniform").Make(n, 1)
		v := plant(b, objects, true).View()
		var ids []uint32
		kinds, all := volumesOf(b, objects)
		for _, kind := range kinds {
			for _, x := range []struct {
				form string
				ask  func(q manyForms)
			}{
				{"Append", func(q manyForms) { ids = q.Append(ids[:0], v, query.Filter{}); formSum += len(ids) }},
				{"Count", func(q manyForms) { formSum += q.Count(v, query.Filter{}) }},
				{"Any", func(q manyForms) {
					if q.Any(v, query.Filter{}) {
						formSum++
					}
				}},
				{"Ranges", func(q manyForms) {
					q.Ranges(v, query.Filter{}, func(r query.Range) bool { formSum += int(r.Count); return true })
				}},
				{"All", func(q manyForms) {
					for id := range q.All(v, query.Filter{}) {
						formSum += int(id)
					}
				}},
				{"Explain", func(q manyForms) { formSum += q.Explain(v, query.Filter{}, nil).Nodes }},
			} {
				micro.Tiers(b, fmt.Sprintf("volume=%s/form=%s/n=%d", kind, x.form, n), micro.Kernel{
					Items: formQueries, Item: "query", Run: func() {
						for _, q := range all[kind] {
							x.ask(q)
						}
					},
				})
			}
		}
	}
}

// Filters that keep half of the objects, and spheres that objects carry.
func BenchmarkFilter(b *testing.B) {
	for _, n := range micro.Sizes(100_000) {
		objects := testkit.SceneByName(b, "uniform").Make(n, 1)
		rng := testkit.Rand(1)
		live := make([]uint64, (n+63)/64)
		for i := range live {
			live[i] = rng.Uint64()
		}
		var ids []uint32
		var balls [][4]float32
		for i := range objects {
			o := &objects[i]
			o.Mask, o.Static = 1<<rng.IntN(2), rng.IntN(2) == 0
			c := o.Box.Center()
			ids = append(ids, uint32(i))
			balls = append(balls, [4]float32{c[0], c[1], c[2], min(c[0]-o.Box.Min[0], o.Box.Max[0]-c[0]) / 2})
		}
		tree := plant(b, objects, true)
		testkit.Must(b, tree.SetBounds(ids, linear.Bodies{Spheres: balls}))
		v := tree.View()
		_, all := volumesOf(b, objects)
		for _, x := range []struct {
			name   string
			filter query.Filter
		}{
			{"none", query.Filter{}}, {"mask", query.Filter{Mask: 1}}, {"motion", query.Filter{Motion: query.MovingOnly}},
			{"live", query.Filter{Only: live}}, {"exact", query.Filter{Exact: true}},
		} {
			micro.Tiers(b, fmt.Sprintf("filter=%s/n=%d", x.name, n), micro.Kernel{
				Items: formQueries, Item: "query", Run: func() {
					for _, q := range all["frustum"] {
						ids = q.Append(ids[:0], v, x.filter)
					}
				},
			})
		}
	}
}

// Boxes and spheres in motion.
func BenchmarkSwept(b *testing.B) {
	type swept interface {
		Append([]query.Hit, linear.View, query.Filter) []query.Hit
		First(linear.View, query.Filter) (query.Hit, bool)
		Any(linear.View, query.Filter) bool
		All(linear.View, query.Filter) iter.Seq[query.Hit]
		Explain(linear.View, query.Filter, *query.Heat) query.Counters
	}
	for _, n := range micro.Sizes(100_000) {
		objects := testkit.SceneByName(b, "uniform").Make(n, 1)
		v := plant(b, objects, true).View()
		shapes := make(map[string][]swept)
		for _, r := range scene.RayQueries(objects, 1000, 1) {
			var motion [3]float32
			lo, hi := r.Origin, r.Origin
			for a := range 3 {
				motion[a] = r.Dir[a] * 30
				lo[a], hi[a] = lo[a]-0.5, hi[a]+0.5
			}
			moved := sweptBoxOf(b, soa.AABB{Min: lo, Max: hi}, motion)
			ball := sweptSphereOf(b, r.Origin, 0.5, motion)
			shapes["box"], shapes["sphere"] = append(shapes["box"], &moved), append(shapes["sphere"], &ball)
		}
		var hits []query.Hit
		for _, shape := range []string{"box", "sphere"} {
			for _, x := range []struct {
				form string
				ask  func(q swept)
			}{
				{"Append", func(q swept) { hits = q.Append(hits[:0], v, query.Filter{}); formSum += len(hits) }},
				{"Nearest", func(q swept) {
					if _, ok := q.First(v, query.Filter{}); ok {
						formSum++
					}
				}},
				{"Any", func(q swept) {
					if q.Any(v, query.Filter{}) {
						formSum++
					}
				}},
				{"All", func(q swept) {
					for h := range q.All(v, query.Filter{}) {
						formSum += int(h.ID)
					}
				}},
				{"Explain", func(q swept) { formSum += q.Explain(v, query.Filter{}, nil).Nodes }},
			} {
				micro.Tiers(b, fmt.Sprintf("shape=%s/form=%s/n=%d", shape, x.form, n), micro.Kernel{
					Items: len(shapes[shape]), Item: "query", Run: func() {
						for _, q := range shapes[shape] {
							x.ask(q)
						}
					},
				})
			}
		}
	}
}

// Ten thousand queries of each kind one by one, and as batches on one goroutine and on two.
func BenchmarkBatch(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(100_000, 1_000_000) {
			objects := testkit.SceneByName(b, name).Make(n, 1)
			v := plant(b, objects, true).View()
			const count = 10_000
			var flt query.Filter
			var ids []uint32
			var hits []query.Hit
			var near []query.Neighbor
			compare := func(kind string, items int, single func(), batch func(workers int) func() error) {
				ways := map[string]func(){"single": single}
				for _, workers := range []int{1, 2} {
					find := batch(workers)
					ways[fmt.Sprintf("batch/workers=%d", workers)] = func() { testkit.Must(b, find()) }
				}
				for _, way := range []string{"single", "batch/workers=1", "batch/workers=2"} {
					b.Run(fmt.Sprintf("scene=%s/n=%d/of=%s/op=%s", name, n, kind, way), func(b *testing.B) {
						micro.Measure(b, micro.Kernel{Items: items, Item: "query", Run: ways[way]})
					})
				}
			}
			for _, results := range []int{8, 450} {
				var boxes []query.Box
				for _, q := range scene.BoxQueries(objects, results, count, 7) {
					boxes = append(boxes, box(b, q))
				}
				compare(fmt.Sprintf("box/results=%d", results), count, func() {
					for _, q := range boxes {
						ids = q.Append(ids[:0], v, flt)
					}
				}, func(workers int) func() error {
					batch := &query.BoxBatch{Workers: workers}
					return func() error { return batch.Find(nil, v, boxes, flt) }
				})
			}
			var spheres []query.Sphere
			for _, s := range scene.SphereQueries(objects, 100, count, 1) {
				spheres = append(spheres, sphere(b, s))
			}
			compare("sphere", count, func() {
				for _, q := range spheres {
					ids = q.Append(ids[:0], v, flt)
				}
			}, func(workers int) func() error {
				batch := &query.SphereBatch{Workers: workers}
				return func() error { return batch.Find(nil, v, spheres, flt) }
			})
			rays := benchRays(b, objects, count)
			compare("ray/first", count, func() {
				for i := range rays {
					rays[i].First(v, flt)
				}
			}, func(workers int) func() error {
				batch := &query.RayBatch{Workers: workers}
				return func() error { return batch.Find(nil, v, rays, flt) }
			})
			compare("ray/all", count, func() {
				for i := range rays {
					hits = rays[i].Append(hits[:0], v, flt)
				}
			}, func(workers int) func() error {
				batch := &query.RayBatch{Workers: workers}
				return func() error { return batch.FindAll(nil, v, rays, flt) }
			})
			points := scene.PointQueries(objects, count, 1)
			for _, k := range []int{1, 8} {
				compare(fmt.Sprintf("point/k=%d", k), count, func() {
					for _, p := range points {
						near, _ = query.AppendNearest(near[:0], v, p, k, infinity, flt)
					}
				}, func(workers int) func() error {
					batch := &query.NearestBatch{Workers: workers}
					return func() error { return batch.Find(nil, v, points, k, infinity, flt) }
				})
			}
			frusta := someFrusta(b, objects, 2, 1)[:5]
			compare("frustum", len(frusta), func() {
				for _, f := range frusta {
					ids = f.Append(ids[:0], v, flt)
				}
			}, func(workers int) func() error {
				batch := &query.FrustumBatch{Workers: workers}
				return func() error { return batch.Find(nil, v, frusta, flt) }
			})
		}
	}
}

// The cost of making a query.
func BenchmarkNew(b *testing.B) {
	objects := testkit.SceneByName(b, "uniform").Make(1000, 1)
	cam := scene.Cameras(objects, 0.1, 1, 1)[0]
	planes := cam.Planes()
	matrix, wide := cam.ViewProjection32(scene.ClipZeroToOne), cam.ViewProjection(scene.ClipZeroToOne)
	view := query.Camera{Forward: [3]float64{0, 0, -1}, Up: [3]float64{0, 1, 0}, FovY: 1, Aspect: 1.6, Near: 0.1, Far: 100}
	var planes64 [6][4]float64
	for i, p := range planes {
		for k, x := range p {
			planes64[i][k] = float64(x)
		}
	}
	lo, hi, dir := [3]float32{1, 2, 3}, [3]float32{4, 5, 6}, [3]float32{0, 0.6, 0.8}
	lo64, hi64, dir64 := [3]float64{1, 2, 3}, [3]float64{4, 5, 6}, [3]float64{0, 0.6, 0.8}
	var zero [3]float64
	for _, x := range []struct {
		name string
		make func() error
	}{
		{"CameraFrustum", func() error { _, err := view.Frustum(); return err }},
		{"FrustumPlanes", func() error { _, err := query.FrustumPlanes(planes); return err }},
		{"FrustumPlanes64", func() error { _, err := query.FrustumPlanes64(planes64, zero); return err }},
		{"FrustumColumnMajor", func() error { _, err := query.FrustumColumnMajor(matrix, query.ClipZeroToOne); return err }},
		{"FrustumColumnMajor64", func() error { _, err := query.FrustumColumnMajor64(wide, query.ClipZeroToOne, zero); return err }},
		{"ConvexPlanes", func() error { _, err := query.ConvexPlanes(planes[:]); return err }},
		{"ConvexPlanes64", func() error { _, err := query.ConvexPlanes64(planes64[:], zero); return err }},
		{"Box", func() error { _, err := query.NewBox(lo, hi); return err }},
		{"Box64", func() error { _, err := query.NewBox64(lo64, hi64, zero); return err }},
		{"Sphere", func() error { _, err := query.NewSphere(lo, 2); return err }},
		{"Sphere64", func() error { _, err := query.NewSphere64(lo64, 2, zero); return err }},
		{"Point", func() error { _, err := query.NewPoint(lo); return err }},
		{"Ray", func() error { _, err := query.NewRay(lo, dir, 100); return err }},
		{"Ray64", func() error { _, err := query.NewRay64(lo64, dir64, 100, zero); return err }},
		{"SweptBox", func() error { _, err := query.NewSweptBox(soa.AABB{Min: lo, Max: hi}, dir); return err }},
		{"SweptSphere", func() error { _, err := query.NewSweptSphere(lo, 1, dir); return err }},
		{"Nearby", func() error { _, err := query.NewNearby(lo); return err }},
	} {
		b.Run("of="+x.name, func(b *testing.B) {
			micro.Measure(b, micro.Kernel{Items: 1, Item: "query", Run: func() {
				testkit.Must(b, x.make())
			}})
		})
	}
}

// The cost of a query besides its walk: of a tree of 10,000 objects, all in front of it, it tests the root and finds
// nothing, or, if it must, the nearest object.
func BenchmarkFrame(b *testing.B) {
	v := plant(b, testkit.SceneByName(b, "uniform").Make(10_000, 1), true).View()
	away := v.Store().Extent
	for a := range away {
		away[a] *= 2
	}
	far := [3]float32{away[0] + 1, away[1] + 1, away[2] + 1}
	ray := rayOf(b, away, [3]float32{0.6, 0, 0.8}, 100)
	volumes := []struct {
		name string
		volume
	}{
		{"frustum", frustum(b, [6][4]float32{{1, 0, 0, -away[0]}, {-1, 0, 0, far[0]}, {0, 1, 0, 0}, {0, -1, 0, 1}, {0, 0, 1, 0}, {0, 0, -1, 1}})},
		{"box", box(b, soa.AABB{Min: away, Max: far})},
		{"sphere", sphere(b, scene.Sphere{Center: away, Radius: 1})},
	}
	var ids []uint32
	var hits []query.Hit
	var near []query.Neighbor
	run := func(name string, ask func()) {
		b.Run("of="+name, func(b *testing.B) {
			micro.Measure(b, micro.Kernel{Items: 1, Item: "query", Run: ask})
		})
	}
	for _, x := range volumes {
		run(x.name+"/form=Append", func() { ids = x.Append(ids[:0], v, query.Filter{}); formSum += len(ids) })
		run(x.name+"/form=Count", func() { formSum += x.Count(v, query.Filter{}) })
		run(x.name+"/form=Any", func() {
			if x.Any(v, query.Filter{}) {
				formSum++
			}
		})
	}
	run("ray/form=Nearest", func() {
		if _, ok := ray.First(v, query.Filter{}); ok {
			formSum++
		}
	})
	run("ray/form=Append", func() { hits = ray.Append(hits[:0], v, query.Filter{}); formSum += len(hits) })
	run("point/form=AppendNearest", func() {
		near, _ = query.AppendNearest(near[:0], v, away, 1, infinity, query.Filter{})
		formSum += len(near)
	})
	run("point/form=AppendNearest/within=0", func() {
		near, _ = query.AppendNearest(near[:0], v, away, 1, 0, query.Filter{})
		formSum += len(near)
	})
}
