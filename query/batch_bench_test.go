package query_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
)

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
