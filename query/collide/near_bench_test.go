package collide_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
)

// streetScan returns points of a rotating scanner of 64 rings, 1.8 above a street between two rows of houses, that
// drives along it by 0.7 a turn.
func streetScan(n int) (points [][3]float32) {
	rng := rand.New(rand.NewPCG(1, 2))
	for x := 0.0; ; x += 0.7 {
		for turn := 0.0; turn < 2*math.Pi; turn += 2 * math.Pi / 2000 {
			for ring := range 64 {
				up := (float64(ring)*28/63 - 25) * math.Pi / 180
				d := [3]float64{math.Cos(turn) * math.Cos(up), math.Sin(turn) * math.Cos(up), math.Sin(up)}
				far := 100.0
				if d[2] < 0 {
					far = min(far, 1.8/-d[2])
				}
				if wall := 9 / math.Abs(d[1]); wall < far && math.Mod(math.Abs(x+wall*d[0]), 20) < 16 && 1.8+wall*d[2] < 8 {
					far = wall
				}
				if far == 100 {
					continue
				}
				far += 0.01 * rng.NormFloat64()
				points = append(points, [3]float32{float32(x + far*d[0]), float32(far * d[1]), float32(1.8 + far*d[2])})
				if len(points) == n {
					return points
				}
			}
		}
	}
}

// The k nearest other points of each point of a scan: by a join, by query.NearestBatch in the order of the tree, and by
// a join of two workers; passes alternate. And the nearest other boxes of the boxes of a city.
func BenchmarkNearest(b *testing.B) {
	points := streetScan(micro.Sizes(500_000)[0])
	tree := trees.New(b, linear.Config{Frozen: true})
	_, err := tree.InsertPoints(nil, points, linear.Labels{})
	testkit.Must(b, err)
	testkit.Must(b, tree.Tick())
	city := testkit.SceneByName(b, "city").Make(micro.Sizes(100_000)[0], 1)
	v, boxes := tree.View(), trees.Plant(b, city, true).View()
	var ordered [][3]float32
	for c, slot := &v.Store().Packets, 0; slot < len(c.Counts); slot++ {
		for lane := range int(c.Counts[slot]) {
			ordered = append(ordered, c.Box(uint32(slot), lane).Min)
		}
	}
	one, two, singles := collide.Batch{Workers: 1}, collide.Batch{Workers: 2}, query.NearestBatch{Workers: 1}
	for _, k := range []int{1, 5, 20} {
		b.Run(fmt.Sprintf("k=%d", k), func(b *testing.B) {
			var graph []collide.Neighbor
			least := [4]time.Duration{math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64}
			for b.Loop() {
				start := time.Now()
				graph, _ = one.Nearest(nil, graph[:0], v, linear.View{}, k, collide.Filter{})
				least[0] = min(least[0], time.Since(start))
				start = time.Now()
				testkit.Must(b, singles.Find(nil, v, ordered, k+1, query.Unlimited, query.Filter{}))
				least[1] = min(least[1], time.Since(start))
				start = time.Now()
				graph, _ = two.Nearest(nil, graph[:0], v, linear.View{}, k, collide.Filter{})
				least[3] = min(least[3], time.Since(start))
				start = time.Now()
				graph, _ = collide.Nearest(graph[:0], boxes, linear.View{}, k, collide.Filter{StaticPairs: true})
				least[2] = min(least[2], time.Since(start))
			}
			b.ReportMetric(float64(least[0].Nanoseconds())/float64(len(points)), "join-ns-min/point")
			b.ReportMetric(float64(least[1].Nanoseconds())/float64(len(points)), "batch-ns-min/point")
			b.ReportMetric(float64(least[3].Nanoseconds())/float64(len(points)), "join2-ns-min/point")
			b.ReportMetric(float64(least[2].Nanoseconds())/float64(len(city)), "join-ns-min/box")
		})
	}
}
