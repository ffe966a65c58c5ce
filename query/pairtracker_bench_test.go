package query_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// A frame: 1 % of all objects drift by up to their size, and a tick. Then the
// pairs by a tracker, and all pairs from scratch, in the same loop; ratio is that
// of the medians. Only Update is counted against AppendPairs.
func BenchmarkPairTracker(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range []int{100_000, 1_000_000} {
			objects := testkit.SceneByName(b, name).Make(n, 1)
			for _, share := range []int{1000, 100, 20} {
				movers := n / share
				b.Run(fmt.Sprintf("scene=%s/n=%d/movers=%d", name, n, movers), func(b *testing.B) {
					benchTracker(b, objects, movers)
				})
			}
		}
	}
}

func benchTracker(b *testing.B, objects []soa.Object, movers int) {
	rng := testkit.Rand(1)
	tree, err := linear.New(linear.Config{Workers: 1, Log: true})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := tree.InsertBatch(nil, objects); err != nil {
		b.Fatal(err)
	}
	var movable []uint32
	for i := range objects {
		if !objects[i].Static {
			movable = append(movable, uint32(i))
		}
	}
	boxes := make([]soa.AABB, len(objects))
	for i := range objects {
		boxes[i] = objects[i].Box
	}
	ids, to := make([]uint32, movers), make([]soa.AABB, movers)
	var tracker query.PairTracker
	var pairs []query.Pair
	var update, all []time.Duration
	began := 0
	frame := func() {
		for i := range ids {
			id := movable[rng.IntN(len(movable))]
			for a := range 3 {
				d := (rng.Float32() - 0.5) * 2
				boxes[id].Min[a] += d
				boxes[id].Max[a] = max(boxes[id].Max[a]+d, boxes[id].Min[a])
			}
			ids[i], to[i] = id, boxes[id]
		}
		if err := tree.MoveBatch(ids, to); err != nil {
			b.Fatal(err)
		}
		if err := tree.Tick(); err != nil {
			b.Fatal(err)
		}
		v := tree.View()
		start := time.Now()
		if err := tracker.Update(v); err != nil {
			b.Fatal(err)
		}
		update = append(update, time.Since(start))
		start = time.Now()
		pairs = query.AppendPairs(pairs[:0], v, query.PairFilter{})
		all = append(all, time.Since(start))
		if len(pairs) != tracker.Len() {
			b.Fatalf("%d pairs tracked, %d there", tracker.Len(), len(pairs))
		}
		began += len(tracker.Began())
	}
	for range 10 { // until the first pairs have begun and lists have their size
		frame()
	}
	update, all, began = update[:0], all[:0], 0
	for b.Loop() {
		frame()
	}
	slices.Sort(update)
	slices.Sort(all)
	u, p := update[len(update)/2], all[len(all)/2]
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(u.Nanoseconds())/float64(movers), "update-ns/mover")
	b.ReportMetric(float64(p.Nanoseconds())/float64(len(objects)), "all-ns/object")
	b.ReportMetric(float64(u)/float64(p), "ratio")
	b.ReportMetric(float64(update[0])/float64(all[0]), "ratio-min")
	b.ReportMetric(float64(update[0])/float64(movers), "update-min-ns/mover")
	b.ReportMetric(float64(began)/float64(len(update))/float64(movers), "began/mover")
	b.ReportMetric(float64(len(pairs))/float64(len(objects)), "pairs/object")
}
