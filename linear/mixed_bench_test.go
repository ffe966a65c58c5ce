package linear_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// One call of MoveBodies moves every object, a random part of them as spheres and the others as boxes, so that packets
// have lanes of both kinds.
func BenchmarkMoveMixed(b *testing.B) {
	for _, n := range micro.Sizes(100_000, 1_000_000) {
		for _, percent := range []int{0, 10, 50, 90, 100} {
			b.Run(fmt.Sprintf("n=%d/spheres=%d%%", n, percent), func(b *testing.B) {
				objects := sceneOf(b, "uniform", n)
				balls := make([]soa.Ball, n)
				for i := range objects {
					c := objects[i].Box.Center()
					balls[i].Sphere = [4]float32{c[0], c[1], c[2], 0.3 + 0.4*float32(i%7)/7}
				}
				tree := newTree(b, linear.Config{Workers: 1, Cut: linear.CutSpace})
				all, err := tree.InsertBallBatch(nil, balls)
				must(b, err)
				r := testkit.Rand(1)
				cut := n - n*percent/100
				boxes, spheres := make([]soa.AABB, cut), make([][4]float32, n-cut)
				frame := func() {
					r.Shuffle(n, func(i, j int) { all[i], all[j] = all[j], all[i] })
					for i, id := range all {
						s := &balls[id].Sphere
						for a := range 3 {
							s[a] += (r.Float32() - 0.5) / 8
						}
						if i < cut {
							boxes[i] = balls[id].Box()
						} else {
							spheres[i-cut] = *s
						}
					}
				}
				b.ReportAllocs()
				for b.Loop() {
					b.StopTimer()
					frame()
					b.StartTimer()
					must(b, tree.MoveBodies(all, linear.Bodies{Boxes: boxes, Spheres: spheres}))
					tree.View() // applies the moves
					b.StopTimer()
					must(b, tree.Tick())
					b.StartTimer()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/body")
			})
		}
	}
}

// The moves of a frame in several calls, by ID, and a Tick: boxes alone, or calls of boxes and of spheres in turn.
func BenchmarkMoveCalls(b *testing.B) {
	const n = 100_000
	for _, mixed := range []bool{false, true} {
		for _, calls := range []int{1, 2, 10, 100} {
			b.Run(fmt.Sprintf("n=%d/mixed=%v/calls=%d", n, mixed, calls), func(b *testing.B) {
				objects := sceneOf(b, "uniform", n)
				tree := newTree(b, linear.Config{Workers: 1, Cut: linear.CutSpace})
				ids := insert(b, tree, objects)
				r := testkit.Rand(1)
				boxes, spheres := make([]soa.AABB, n), make([][4]float32, n)
				for i := range objects {
					boxes[i] = objects[i].Box
				}
				b.ReportAllocs()
				for b.Loop() {
					b.StopTimer()
					for i := range boxes {
						boxes[i] = drift(r, boxes[i], 0.05, soa.AABB{}, 0)
						c := boxes[i].Center()
						spheres[i] = [4]float32{c[0], c[1], c[2], (boxes[i].Max[0] - boxes[i].Min[0]) / 2}
					}
					b.StartTimer()
					for c := range calls {
						lo, hi := c*n/calls, (c+1)*n/calls
						mid := hi
						if mixed && calls == 1 {
							mid = n / 2
						} else if mixed && c%2 == 1 {
							mid = lo
						}
						must(b, tree.MoveBodies(ids[lo:hi], linear.Bodies{Boxes: boxes[lo:mid], Spheres: spheres[mid:hi]}))
					}
					must(b, tree.Tick())
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/body")
			})
		}
	}
}
