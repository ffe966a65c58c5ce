package linear_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// drift returns the box moved a little, or, for one in jumps, anywhere in the world.
func drift(r interface {
	Float32() float32
	IntN(int) int
}, b soa.AABB, step float32, world soa.AABB, jumps int) soa.AABB {
	jump := jumps > 0 && r.IntN(jumps) == 0
	for a := range 3 {
		d := (r.Float32() - 0.5) * 2 * step
		if jump {
			d = world.Min[a] + r.Float32()*(world.Max[a]-world.Min[a]) - b.Min[a]
		}
		b.Min[a], b.Max[a] = b.Min[a]+d, b.Max[a]+d
		b.Max[a] = max(b.Max[a], b.Min[a])
	}
	return b
}

// A frame: 1 % of all objects drift by about their size, 5 % of the moved objects jump anywhere; then a tick.
func BenchmarkMovers(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(100_000, 1_000_000) {
			objects := sceneOf(b, name, n)
			for _, share := range []int{1000, 100, 10} {
				movers := n / share
				b.Run(fmt.Sprintf("scene=%s/n=%d/movers=%d", name, n, movers), func(b *testing.B) {
					tree := newTree(b, linear.Config{Workers: 1})
					insert(b, tree, objects)
					r := testkit.Rand(1)
					boxes := make([]soa.AABB, n)
					world := soa.Empty()
					for i := range objects {
						boxes[i] = objects[i].Box
						world = world.Union(boxes[i])
					}
					ids := make([]uint32, movers)
					to := make([]soa.AABB, movers)
					b.ReportAllocs()
					var work linear.Work
					frame := func() {
						for i := range ids {
							ids[i] = uint32(r.IntN(n))
							boxes[ids[i]] = drift(r, boxes[ids[i]], 1, world, 20)
							to[i] = boxes[ids[i]]
						}
					}
					move := func() {
						must(b, tree.MoveBatch(ids, to))
						must(b, tree.Tick())
						work = tree.Work()
					}
					for range 40 { // until lists have reached their size
						frame()
						move()
					}
					for b.Loop() {
						b.StopTimer()
						frame()
						b.StartTimer()
						move()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(movers), "ns/mover")
					b.ReportMetric(float64(work.Placed)/float64(movers), "homed/mover")
					must(b, tree.Validate())
				})
			}
		}
	}
}

// A frame in which all objects drift by a tenth of their size: boxes by ID, and in the order of the tree; then
// a tick.
func BenchmarkMoveAll(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(100_000, 1_000_000) {
			objects := sceneOf(b, name, n)
			for _, order := range []string{"ids", "memory"} {
				b.Run(fmt.Sprintf("scene=%s/n=%d/order=%s", name, n, order), func(b *testing.B) {
					tree := newTree(b, linear.Config{Workers: 1})
					ids := insert(b, tree, objects)
					r := testkit.Rand(1)
					ordered, arrangement := tree.Order(nil)
					if order == "memory" {
						ids = ordered
					}
					boxes := make([]soa.AABB, n)
					load := func() {
						for i, id := range ids {
							o, _ := tree.Object(id)
							boxes[i] = o.Box
						}
					}
					load()
					b.ReportAllocs()
					for b.Loop() {
						b.StopTimer()
						if ids2, now := tree.Order(ordered[:0]); order == "memory" && now != arrangement {
							ids, arrangement = ids2, now
							load()
						}
						for i := range boxes {
							boxes[i] = drift(r, boxes[i], 0.05, soa.AABB{}, 0)
						}
						b.StartTimer()
						if order == "memory" {
							must(b, tree.MoveInOrder(arrangement, boxes))
						} else {
							must(b, tree.MoveBatch(ids, boxes))
						}
						must(b, tree.Tick())
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/object")
				})
			}
		}
	}
}
