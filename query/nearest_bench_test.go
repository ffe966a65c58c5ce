package query_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// shrunk returns the centres of the objects, as boxes of zero size.
func shrunk(objects []soa.Object) []soa.Object {
	for i := range objects {
		b := &objects[i].Box
		b.Min = b.Center()
		b.Max = b.Min
	}
	return objects
}

// Points one by one, in random order. ns-min/point is the fastest pass over all.
func BenchmarkNearest(b *testing.B) {
	for _, kind := range []string{"boxes", "points"} {
		for _, name := range []string{"uniform", "city"} {
			for _, n := range micro.Sizes(100_000, 1_000_000) {
				objects := testkit.SceneByName(b, name).Make(n, 1)
				points := scene.PointQueries(objects, 10_000, 1)
				if kind == "points" {
					objects = shrunk(objects)
				}
				v := plant(b, objects, true).View()
				for _, k := range []int{1, 8, 64} {
					b.Run(fmt.Sprintf("kind=%s/scene=%s/n=%d/k=%d", kind, name, n, k), func(b *testing.B) {
						b.ReportAllocs()
						var near []query.Neighbor
						least := time.Duration(math.MaxInt64)
						for b.Loop() {
							start := time.Now()
							for _, p := range points {
								near, _ = query.AppendNearest(near[:0], v, p, k, infinity, query.Filter{})
							}
							least = min(least, time.Since(start))
						}
						perPoint := 1 / float64(len(points))
						b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)*perPoint, "ns/point")
						b.ReportMetric(float64(least.Nanoseconds())*perPoint, "ns-min/point")
					})
				}
			}
		}
	}
}

func BenchmarkNearby(b *testing.B) {
	n := micro.Sizes(100_000)[0]
	objects := testkit.SceneByName(b, "uniform").Make(n, 1)
	points := scene.PointQueries(objects, 10_000, 1)
	v := plant(b, objects, true).View()
	for _, k := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("scene=uniform/n=%d/k=%d", n, k), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				near, _ := query.NewNearby(points[i%len(points)])
				left := k
				for range near.All(v, query.Filter{}) {
					if left--; left == 0 {
						break
					}
				}
			}
		})
	}
}
