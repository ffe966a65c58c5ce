package collide_test

import (
	"errors"
	"fmt"
	"math"
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

// A frame in which one object of 100 moves and jumps, then an update of a tracker with a budget, and in
// turns all pairs from scratch: ratio is the quotient of the medians. At budget=all each update checks all
// objects one by one; ns/unit is the time of a packet.
func BenchmarkBudgetTracker(b *testing.B) {
	for _, n := range micro.Sizes(10_000, 100_000) {
		for _, budget := range []int{1000, 10_000, math.MaxInt} {
			name := fmt.Sprint(budget)
			if budget == math.MaxInt {
				name = "all"
			}
			b.Run(fmt.Sprintf("n=%d/budget=%s", n, name), func(b *testing.B) {
				objects := testkit.SceneByName(b, "uniform").Make(n, 1)
				for i := range objects {
					objects[i].Static = false
				}
				tree := trees.New(b, linear.Config{Workers: 1, Log: true})
				trees.Insert(b, tree, objects)
				rng := testkit.Rand(1)
				watch := collide.BudgetTracker{Budget: budget}
				var pairs []collide.Pair
				var updates, all []time.Duration
				units := 0
				ids, boxes := make([]uint32, n/100), make([]soa.AABB, n/100)
				for b.Loop() {
					for i := range ids {
						ids[i], boxes[i] = uint32(rng.IntN(n)), objects[rng.IntN(n)].Box
					}
					testkit.Must(b, errors.Join(tree.MoveBatch(ids, boxes), tree.Tick()))
					v, start := tree.View(), time.Now()
					testkit.Must(b, watch.Update(v))
					updates = append(updates, time.Since(start))
					units += watch.Stats().Units
					start = time.Now()
					pairs = collide.Append(pairs[:0], collide.Within(v), collide.Filter{})
					all = append(all, time.Since(start))
				}
				if budget == math.MaxInt && len(watch.Found()) != len(pairs) {
					b.Fatalf("%d pairs, want %d", len(watch.Found()), len(pairs))
				}
				total := time.Duration(0)
				for _, d := range updates {
					total += d
				}
				slices.Sort(updates)
				slices.Sort(all)
				b.ReportMetric(float64(updates[len(updates)/2].Nanoseconds()), "ns/update")
				b.ReportMetric(float64(updates[len(updates)/2])/float64(all[len(all)/2]), "ratio")
				b.ReportMetric(float64(total)/float64(max(units, 1)), "ns/unit")
			})
		}
	}
}
