package collide_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/query/collide"
)

// Pairs of tiny scenes, compared with the minimum that a caller could do without a tree, a double loop over
// the boxes; passes of a hundred counts alternate. A tree of up to 128 objects is one node: its walk is a
// scan of all packets plus the test of that node, which takes some 20 ns, and needs no path of its own.
func BenchmarkPairsFew(b *testing.B) {
	for _, n := range []int{2, 8, 16, 32, 64, 128, 256} {
		objects := testkit.SceneByName(b, "uniform").Make(n, 1)
		v := trees.Plant(b, objects, true).View()
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			const rounds = 100
			least := [2]time.Duration{math.MaxInt64, math.MaxInt64}
			for b.Loop() {
				var found [2]int
				start := time.Now()
				for range rounds {
					found[0] += collide.Count(collide.Within(v), collide.Filter{StaticPairs: true})
				}
				least[0] = min(least[0], time.Since(start))
				start = time.Now()
				for range rounds {
					for i := range objects {
						for j := range objects[:i] {
							if objects[i].Box.Overlaps(objects[j].Box) {
								found[1]++
							}
						}
					}
				}
				least[1] = min(least[1], time.Since(start))
				if found[0] != found[1] {
					b.Fatalf("%d pairs by the tree, %d by the loop", found[0], found[1])
				}
			}
			b.ReportMetric(float64(least[0].Nanoseconds())/rounds, "tree-ns-min")
			b.ReportMetric(float64(least[1].Nanoseconds())/rounds, "loop-ns-min")
		})
	}
}
