package query_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/query"
)

// Rays one by one, in random order. ns-min/ray takes the fastest pass of each run of 50 rays, which leaves out other
// work of the machine.
func BenchmarkRay(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(100_000, 1_000_000) {
			sc, _ := scene.ByName(name)
			objects := sc.Make(n, 1)
			v := plant(b, objects, true).View()
			rays := benchRays(b, objects, 10_000)
			run := func(op string, f func(r *query.Ray) int) {
				b.Run(fmt.Sprintf("scene=%s/n=%d/op=%s", name, n, op), func(b *testing.B) {
					b.ReportAllocs()
					const chunk = 50
					hits := 0
					best := make([]time.Duration, len(rays)/chunk)
					for b.Loop() {
						hits = 0
						for i := range best {
							start := time.Now()
							for k := range rays[i*chunk:][:chunk] {
								hits += f(&rays[i*chunk+k])
							}
							d := time.Since(start)
							if best[i] == 0 || d < best[i] {
								best[i] = d
							}
						}
					}
					sum := time.Duration(0)
					for _, d := range best {
						sum += d
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(rays)), "ns/ray")
					b.ReportMetric(float64(sum.Nanoseconds())/float64(len(rays)), "ns-min/ray")
					b.ReportMetric(float64(hits)/float64(len(rays)), "hits/ray")
				})
			}
			run("nearest", func(r *query.Ray) int {
				if _, ok := r.First(v, query.Filter{}); ok {
					return 1
				}
				return 0
			})
			run("any", func(r *query.Ray) int {
				if r.Any(v, query.Filter{}) {
					return 1
				}
				return 0
			})
			var dst []query.Hit
			run("all", func(r *query.Ray) int {
				dst = r.Append(dst[:0], v, query.Filter{})
				return len(dst)
			})
		}
	}
}
