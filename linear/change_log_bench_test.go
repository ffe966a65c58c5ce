package linear_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// The frames of BenchmarkMovers on two trees in turns, one with a log of changes:
// medians of MoveBatch and Tick together.
func BenchmarkChangeLog(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		n := micro.Sizes(1_000_000)[0]
		objects := sceneOf(b, name, n)
		for _, movers := range []int{n / 1000, n / 100} {
			b.Run(fmt.Sprintf("scene=%s/n=%d/movers=%d", name, n, movers), func(b *testing.B) {
				benchmarkChangeLog(b, objects, movers)
			})
		}
	}
}

func benchmarkChangeLog(b *testing.B, objects []soa.Object, movers int) {
	var trees [2]*linear.Tree
	for i := range trees {
		trees[i] = newTree(b, linear.Config{Workers: 1, Log: i == 1})
		insert(b, trees[i], objects)
	}
	r := testkit.Rand(1)
	boxes := make([]soa.AABB, len(objects))
	world := soa.Empty()
	for i := range objects {
		boxes[i] = objects[i].Box
		world = world.Union(boxes[i])
	}
	ids, to := make([]uint32, movers), make([]soa.AABB, movers)
	var times [2][]float64
	turn := 0
	frame := func() {
		for i := range ids {
			ids[i] = uint32(r.IntN(len(boxes)))
			boxes[ids[i]] = drift(r, boxes[ids[i]], 1, world, 20)
			to[i] = boxes[ids[i]]
		}
		for range trees { // a different tree is first in each frame
			i := (turn/2 ^ turn) % 2
			turn++
			start := time.Now()
			must(b, trees[i].MoveBatch(ids, to))
			must(b, trees[i].Tick())
			times[i] = append(times[i], float64(time.Since(start)))
		}
	}
	for range 20 { // until lists have reached their size
		frame()
	}
	times[0], times[1] = times[0][:0], times[1][:0]
	for b.Loop() {
		frame()
	}
	without, with := median(times[0]), median(times[1])
	b.ReportMetric(without/float64(movers), "ns/mover")
	b.ReportMetric(with/float64(movers), "logged-ns/mover")
	b.ReportMetric(with/without, "ratio")
}
