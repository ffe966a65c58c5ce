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

// A frame as in BenchmarkMovers, and the following publication of the tree, timed in turns, while readers hold
// that many versions. share is the ratio of the median time of a publication to that of move and tick together;
// ticks is the ratio to that of ticks alone.
func BenchmarkPublish(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(100_000, 1_000_000) {
			objects := sceneOf(b, name, n)
			for _, share := range []int{1000, 100} {
				for held := range 3 {
					b.Run(fmt.Sprintf("scene=%s/n=%d/movers=%d/held=%d", name, n, n/share, held), func(b *testing.B) {
						benchmarkPublish(b, objects, n/share, held)
					})
				}
			}
		}
	}
}

func benchmarkPublish(b *testing.B, objects []soa.Object, movers, held int) {
	tree := newTree(b, linear.Config{Workers: 1})
	insert(b, tree, objects)
	shared := linear.NewPublisher(tree)
	r := testkit.Rand(1)
	boxes := make([]soa.AABB, len(objects))
	world := soa.Empty()
	for i := range objects {
		boxes[i] = objects[i].Box
		world = world.Union(boxes[i])
	}
	ids, to := make([]uint32, movers), make([]soa.AABB, movers)
	var moves, ticks, publications []float64
	old := make([]linear.Version, held) // readers that are one, two, … versions behind
	for i := range old {
		old[i] = shared.Acquire()
	}
	turn := 0
	frame := func() {
		for i := range ids {
			ids[i] = uint32(r.IntN(len(boxes)))
			boxes[ids[i]] = drift(r, boxes[ids[i]], 1, world, 20)
			to[i] = boxes[ids[i]]
		}
		if held > 0 {
			old[turn%held].Release()
			old[turn%held] = shared.Acquire()
			turn++
		}
		t0 := time.Now()
		must(b, tree.MoveBatch(ids, to))
		t1 := time.Now()
		must(b, tree.Tick())
		t2 := time.Now()
		shared.Publish()
		t3 := time.Now()
		moves = append(moves, float64(t1.Sub(t0)))
		ticks = append(ticks, float64(t2.Sub(t1)))
		publications = append(publications, float64(t3.Sub(t2)))
	}
	for range 40 { // until lists have reached their size
		frame()
	}
	moves, ticks, publications = moves[:0], ticks[:0], publications[:0]
	b.ReportAllocs()
	for b.Loop() {
		frame()
	}
	move, tick, publish := median(moves), median(ticks), median(publications)
	b.ReportMetric(move+tick, "ns/move+tick")
	b.ReportMetric(publish, "ns/publish")
	b.ReportMetric(publish/(move+tick), "share")
	b.ReportMetric(publish/tick, "ticks")
	b.ReportMetric(float64(tree.Stats().Patched)/float64(movers), "rows/mover")
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

// The cost of a checkpoint to the writer beyond a preceding publication: of the first checkpoint, which
// allocates, and of later ones.
func BenchmarkCheckpoint(b *testing.B) {
	const n = 1_000_000
	objects := sceneOf(b, "uniform", n)
	tree := newTree(b, linear.Config{Workers: 1})
	ids := insert(b, tree, objects)
	p := linear.NewPublisher(tree)
	r := testkit.Rand(1)
	var publications, checkpoints []float64
	frame := func() {
		for range n / 100 {
			id := ids[r.IntN(n)]
			o := objects[id].Box
			o.Max[0] += r.Float32() / 8
			must(b, tree.Move(id, o))
		}
		must(b, tree.Tick())
		t0 := time.Now()
		p.Publish()
		t1 := time.Now()
		c := p.Checkpoint()
		t2 := time.Now()
		c.Release()
		publications = append(publications, float64(t1.Sub(t0))/1e6)
		checkpoints = append(checkpoints, float64(t2.Sub(t1))/1e6)
	}
	frame()
	first := checkpoints[0]
	publications, checkpoints = publications[:0], checkpoints[:0]
	for b.Loop() {
		frame()
	}
	b.ReportMetric(first, "ms/first")
	b.ReportMetric(median(publications), "ms/publish")
	b.ReportMetric(median(checkpoints), "ms/beyond")
}
