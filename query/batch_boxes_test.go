package query_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
)

// Ten thousand boxes one by one, and as a batch.
func BenchmarkBoxBatch(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(100_000, 1_000_000) {
			objects := testkit.SceneByName(b, name).Make(n, 1)
			v := plant(b, objects, true).View()
			for _, results := range []int{8, 450} {
				var boxes []query.Box
				for _, q := range scene.BoxQueries(objects, results, 10_000, 7) {
					boxes = append(boxes, box(b, q))
				}
				title := fmt.Sprintf("scene=%s/n=%d/results=%d", name, n, results)
				perBox := func(b *testing.B) {
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(boxes)), "ns/box")
				}
				b.Run(title+"/op=single", func(b *testing.B) {
					var ids []uint32
					for b.Loop() {
						ids = ids[:0]
						for _, q := range boxes {
							ids = q.Append(ids, v, query.Filter{})
						}
					}
					perBox(b)
				})
				b.Run(title+"/op=batch", func(b *testing.B) {
					var batch query.BoxBatch
					for b.Loop() {
						testkit.Must(b, batch.Find(nil, v, boxes, query.Filter{}))
					}
					perBox(b)
				})
			}
		}
	}
}
