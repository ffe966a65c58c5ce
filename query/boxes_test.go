package query_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
)

// The boxes of the results: read on the way, or looked up by ID, next to IDs alone.
func BenchmarkBoxes(b *testing.B) {
	objects := testkit.SceneByName(b, "uniform").Make(100_000, 1)
	v := plant(b, objects, true).View()
	sum, n := float32(0), 0
	for _, size := range []int{100, 10_000} {
		q := box(b, scene.BoxQueries(objects, size, 1, 1)[0])
		ids := q.Append(nil, v, query.Filter{})
		each := func(way string, do func()) {
			b.Run(fmt.Sprintf("objects=%d/way=%s", len(ids), way), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					do()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(ids)), "ns/object")
			})
		}
		each("all", func() {
			for range q.All(v, query.Filter{}) {
				n++
			}
		})
		each("boxes", func() {
			for _, o := range query.Boxes(q, v, query.Filter{}) {
				sum += o.Max[0]
			}
		})
		each("append+object", func() {
			ids = q.Append(ids[:0], v, query.Filter{})
			for _, id := range ids {
				o, _ := v.Object(id)
				sum += o.Box.Max[0]
			}
		})
	}
	if sum == 0 || n == 0 {
		b.Error("no objects")
	}
}
