package linear_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// A frame in which one in ten objects drifts by about its size, for several sizes of the smallest cells: the
// savings in relocations, and the visits of queries after 40 frames.
func BenchmarkMinCell(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(100_000) {
			objects := sceneOf(b, name, n)
			world := soa.Empty()
			for i := range objects {
				world = world.Union(objects[i].Box)
			}
			for _, side := range []float32{0, 2, 4, 8, 16, 32, 64} {
				b.Run(fmt.Sprintf("scene=%s/n=%d/side=%v", name, n, side), func(b *testing.B) {
					tree := newTree(b, linear.Config{Workers: 1, MinCell: side})
					insert(b, tree, objects)
					r := testkit.Rand(1)
					boxes := make([]soa.AABB, n)
					for i := range objects {
						boxes[i] = objects[i].Box
					}
					ids, to := make([]uint32, n/10), make([]soa.AABB, n/10)
					homed := 0
					prepare := func() {
						for i := range ids {
							ids[i] = uint32(r.IntN(n))
							boxes[ids[i]] = drift(r, boxes[ids[i]], 1, world, 0)
							to[i] = boxes[ids[i]]
						}
					}
					frame := func() {
						must(b, tree.MoveBatch(ids, to))
						must(b, tree.Tick())
					}
					for range 40 {
						prepare()
						frame()
						homed += tree.Work().Placed
					}
					var seen query.Counters
					for i := range 1000 {
						ball, err := query.NewSphere(boxes[i*7919%n].Center(), 5)
						must(b, err)
						seen = seen.Add(ball.Explain(tree.View(), query.Filter{}, nil))
					}
					b.ReportAllocs()
					for b.Loop() {
						b.StopTimer()
						prepare()
						b.StartTimer()
						frame()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(ids)), "ns/mover")
					b.ReportMetric(float64(homed)/40/float64(len(ids)), "homed/mover")
					b.ReportMetric(float64(seen.Tested)/1000, "tested/query")
				})
			}
		}
	}
}
