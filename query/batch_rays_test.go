package query_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/query"
)

// 10,000 rays as a batch on one goroutine. ns-min/ray is the fastest batch.
func BenchmarkRayBatch(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		sc, _ := scene.ByName(name)
		objects := sc.Make(micro.Sizes(1_000_000)[0], 1)
		v := plant(b, objects, true).View()
		rays := benchRays(b, objects, 10_000)
		for _, workers := range []int{1, 2} {
			batch := query.RayBatch{Workers: workers}
			for _, op := range []string{"nearest", "all", "single"} {
				b.Run(fmt.Sprintf("scene=%s/n=%d/workers=%d/op=%s", name, len(objects), workers, op), func(b *testing.B) {
					var best time.Duration
					for b.Loop() {
						start := time.Now()
						switch op {
						case "nearest":
							batch.Find(nil, v, rays, query.Filter{})
						case "all":
							batch.FindAll(nil, v, rays, query.Filter{})
						default:
							for i := range rays {
								rays[i].First(v, query.Filter{})
							}
						}
						if d := time.Since(start); best == 0 || d < best {
							best = d
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(rays)), "ns/ray")
					b.ReportMetric(float64(best.Nanoseconds())/float64(len(rays)), "ns-min/ray")
				})
			}
		}
	}
}
