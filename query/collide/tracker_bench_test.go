package collide_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// A frame: some objects drift by up to the size of the smallest, one in 20 of them jumps anywhere, and a
// tick. Then the pairs by a tracker, and all pairs from scratch, in the same loop; ratio is the quotient of
// the medians. Only Update is counted against Append. static=false lets every object move; static=true
// keeps the static objects of the scene, most of the city, which never move and have no pairs among
// themselves.
func BenchmarkTracker(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(100_000, 1_000_000) {
			for _, static := range []bool{false, true} {
				for _, share := range []int{1000, 100, 20} {
					b.Run(fmt.Sprintf("scene=%s/n=%d/static=%v/movers=%d", name, n, static, n/share), func(b *testing.B) {
						benchmarkTracker(b, testkit.SceneByName(b, name).Make(n, 1), static, n/share)
					})
				}
			}
		}
	}
}

func benchmarkTracker(b *testing.B, objects []soa.Object, static bool, movers int) {
	var movable []uint32
	boxes, world := make([]soa.AABB, len(objects)), soa.Empty()
	for i := range objects {
		boxes[i] = objects[i].Box
		world = world.Union(boxes[i])
		if objects[i].Static = objects[i].Static && static; !objects[i].Static {
			movable = append(movable, uint32(i))
		}
	}
	tree := trees.New(b, linear.Config{Workers: 1, Log: true})
	trees.Insert(b, tree, objects)
	rng := testkit.Rand(1)
	ids, to := make([]uint32, movers), make([]soa.AABB, movers)
	var tracker collide.Tracker
	var pairs []collide.Pair
	var updates, all []time.Duration
	began := 0
	frame := func() {
		for i := range ids {
			ids[i] = movable[rng.IntN(len(movable))]
			box, jump := &boxes[ids[i]], rng.IntN(20) == 0
			for a := range 3 {
				d := (rng.Float32() - 0.5) * 2
				if jump {
					d = world.Min[a] + rng.Float32()*(world.Max[a]-world.Min[a]) - box.Min[a]
				}
				box.Min[a], box.Max[a] = box.Min[a]+d, max(box.Max[a]+d, box.Min[a]+d)
			}
			to[i] = *box
		}
		testkit.Must(b, tree.MoveBatch(ids, to))
		testkit.Must(b, tree.Tick())
		v := tree.View()
		t0 := time.Now()
		testkit.Must(b, tracker.Update(v))
		t1 := time.Now()
		pairs = collide.Append(pairs[:0], collide.Within(v), collide.Filter{})
		t2 := time.Now()
		updates, all = append(updates, t1.Sub(t0)), append(all, t2.Sub(t1))
		began += len(tracker.Began())
		if len(pairs) != tracker.Len() {
			b.Fatalf("%d pairs tracked, %d there", tracker.Len(), len(pairs))
		}
	}
	for range 20 { // until the first pairs have begun and lists have their size
		frame()
	}
	updates, all, began = updates[:0], all[:0], 0
	b.ReportAllocs()
	for b.Loop() {
		frame()
	}
	slices.Sort(updates)
	slices.Sort(all)
	update, scratch := float64(updates[len(updates)/2]), float64(all[len(all)/2])
	b.ReportMetric(update/float64(movers), "update-ns/mover")
	b.ReportMetric(scratch/float64(len(objects)), "all-ns/object")
	b.ReportMetric(update/scratch, "ratio")
	b.ReportMetric(float64(updates[0])/float64(all[0]), "ratio-min")
	b.ReportMetric(float64(began)/float64(len(updates))/float64(movers), "began/mover")
	b.ReportMetric(float64(len(pairs))/float64(len(objects)), "pairs/object")
}
