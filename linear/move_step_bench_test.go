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

// A step of a few movers, any objects of the tree: 1,000 boxes by MoveBatch and a Tick, timed apart. Boxes move
// around their first positions, by a part of their size, so that nearly all stay in their packets; or on from
// their present positions, by as much as their size. Besides the plain tree there are trees with further work
// for a move: with a log, published, and with spheres.
func BenchmarkMoveStep(b *testing.B) {
	for _, n := range micro.Sizes(10_000, 100_000, 1_000_000) {
		objects := sceneOf(b, "uniform", n)
		for _, away := range []bool{false, true} {
			for _, with := range []string{"nothing", "log", "shared", "spheres"} {
				b.Run(fmt.Sprintf("n=%d/away=%v/with=%s", n, away, with), func(b *testing.B) {
					benchmarkMoveStep(b, objects, away, with)
				})
			}
		}
	}
}

func benchmarkMoveStep(b *testing.B, objects []soa.Object, away bool, with string) {
	tree := newTree(b, linear.Config{Workers: 1, Log: with == "log"})
	ids := insert(b, tree, objects)
	if with == "shared" {
		linear.NewPublisher(tree)
	}
	if with == "spheres" {
		c := objects[0].Box.Center()
		must(b, tree.SetSphere(ids[0], [4]float32{c[0], c[1], c[2], 0}))
	}
	r := testkit.Rand(1)
	boxes := make([]soa.AABB, len(objects))
	for i := range objects {
		boxes[i] = objects[i].Box
	}
	movers, to := make([]uint32, 1000), make([]soa.AABB, 1000)
	var moves, ticks []float64
	homed := 0
	step := func() {
		for i := range movers {
			id := r.IntN(len(boxes))
			movers[i] = uint32(id)
			if away {
				boxes[id] = drift(r, boxes[id], 1, soa.AABB{}, 0)
				to[i] = boxes[id]
			} else {
				to[i] = drift(r, boxes[id], 0.1, soa.AABB{}, 0)
			}
		}
		t0 := time.Now()
		must(b, tree.MoveBatch(movers, to))
		t1 := time.Now()
		must(b, tree.Tick())
		moves = append(moves, float64(t1.Sub(t0)))
		ticks = append(ticks, float64(time.Since(t1)))
		homed += tree.Work().Placed
	}
	for range 40 { // until lists have reached their size
		step()
	}
	moves, ticks, homed = moves[:0], ticks[:0], 0
	for b.Loop() {
		step()
	}
	move, tick := median(moves)/1000, median(ticks)/1000
	b.ReportMetric(move, "ns/move")
	b.ReportMetric(tick, "ns/tick")
	b.ReportMetric(move+tick, "ns/mover")
	b.ReportMetric(float64(homed)/1000/float64(len(moves)), "homed/mover")
	must(b, tree.Validate())
}
