package linear_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// The first build of a tree of balls.
func BenchmarkBuildBalls(b *testing.B) {
	for _, n := range micro.Sizes(10_000, 100_000, 1_000_000) {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			objects := sceneOf(b, "uniform", n)
			balls := make([]soa.Ball, n)
			for i := range objects {
				c := objects[i].Box.Center()
				balls[i].Sphere = [4]float32{c[0], c[1], c[2], 0.3}
			}
			var tree *linear.Tree
			for b.Loop() {
				tree = newTree(b, linear.Config{Workers: 1})
				_, err := tree.InsertBallBatch(nil, balls)
				must(b, err)
			}
			if tree.Len() != n {
				b.Fatalf("%d balls, want %d", tree.Len(), n)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/object")
		})
	}
}

// Moves of balls alternate with moves of their boxes, which drop the spheres: x is the ratio of the median
// times of MoveBodies and MoveBatch.
func BenchmarkMoveSphere(b *testing.B) {
	for _, n := range micro.Sizes(100_000, 1_000_000) {
		for _, movers := range []int{n / 100, n / 10, n / 2, n} {
			b.Run(fmt.Sprintf("n=%d/movers=%d", n, movers), func(b *testing.B) {
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
				ids, spheres, boxes := make([]uint32, movers), make([][4]float32, movers), make([]soa.AABB, movers)
				frame := func() {
					for i := range ids {
						if ids[i] = all[i]; movers < n {
							ids[i] = all[r.IntN(n)]
						}
						s := &balls[ids[i]].Sphere
						for a := range 3 {
							s[a] += (r.Float32() - 0.5) / 8
						}
						spheres[i], boxes[i] = *s, balls[ids[i]].Box()
					}
				}
				var times [2][]time.Duration
				b.ReportAllocs()
				for turn := 0; b.Loop(); turn++ {
					for k := range 2 {
						b.StopTimer()
						frame()
						b.StartTimer()
						start := time.Now()
						if (k+turn)%2 == 0 {
							err = tree.MoveBatch(ids, boxes)
						} else {
							err = tree.MoveBodies(ids, linear.Bodies{Spheres: spheres})
						}
						tree.View() // applies the moves
						times[(k+turn)%2] = append(times[(k+turn)%2], time.Since(start))
						must(b, err)
						b.StopTimer()
						must(b, tree.Tick())
						b.StartTimer()
					}
				}
				median := func(k int) float64 {
					slices.Sort(times[k])
					return float64(times[k][len(times[k])/2])
				}
				b.ReportMetric(median(0)/float64(movers), "ns/box")
				b.ReportMetric(median(1)/float64(movers), "ns/ball")
				b.ReportMetric(median(1)/median(0), "x")
			})
		}
	}
}
