package query_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/scene"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

var infinity = float32(math.Inf(1))

// shrunk returns the centres of the objects, as boxes of zero size.
func shrunk(objects []soa.Object) []soa.Object {
	for i := range objects {
		b := &objects[i].Box
		b.Min = b.Center()
		b.Max = b.Min
	}
	return objects
}

func BenchmarkNearest(b *testing.B) {
	for _, kind := range []string{"boxes", "points"} {
		for _, name := range []string{"uniform", "city"} {
			for _, n := range []int{100_000, 1_000_000} {
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
						i := 0
						for b.Loop() {
							near = query.AppendNearest(near[:0], v, points[i], k, infinity, query.Filter{})
							if i++; i == len(points) {
								i = 0
							}
						}
					})
				}
			}
		}
	}
}
