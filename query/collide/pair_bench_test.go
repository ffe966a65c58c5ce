package collide_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/query/collide"
)

// All pairs of a frozen tree, static ones too. ns-min/object is the fastest
// pass.
func BenchmarkPairs(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(100_000, 1_000_000) {
			objects := testkit.SceneByName(b, name).Make(n, 1)
			v := trees.Plant(b, objects, true).View()
			flt := collide.Filter{StaticPairs: true}
			pairs := collide.Append(nil, collide.Within(v), flt)
			batch := collide.Batch{}
			for _, form := range []string{"append", "count", "batch"} {
				b.Run(fmt.Sprintf("scene=%s/n=%d/form=%s", name, n, form), func(b *testing.B) {
					b.ReportAllocs()
					least := time.Duration(math.MaxInt64)
					for b.Loop() {
						start := time.Now()
						switch form {
						case "append":
							pairs = collide.Append(pairs[:0], collide.Within(v), flt)
						case "count":
							collide.Count(collide.Within(v), flt)
						default:
							pairs = batched(b, &batch, pairs[:0], collide.Within(v), flt)
						}
						least = min(least, time.Since(start))
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/object")
					b.ReportMetric(float64(least.Nanoseconds())/float64(n), "ns-min/object")
					b.ReportMetric(float64(len(pairs))/float64(n), "pairs/object")
				})
			}
		}
	}
}
