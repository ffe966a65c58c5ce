package ratios

import (
	"cmp"
	"slices"
	"time"

	"github.com/zoctree/zoctree/bench/internal/baseline"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// playground is a tree of bouncing cubes.
type playground struct {
	*scene.Bouncing
	tree  *linear.Tree
	ids   []uint32
	pairs []collide.Pair
}

func newPlayground(n int, seed uint64) *playground {
	p := &playground{Bouncing: scene.NewBouncing(n, seed)}
	p.tree = must.Get(linear.New(linear.Config{Workers: 1}))
	p.ids = must.Get(p.tree.InsertBatch(nil, p.Objects()))
	must.Do(p.tree.Tick())
	return p
}

// update moves the objects of the tree to the boxes.
func (p *playground) update(boxes []soa.AABB) {
	must.Do(p.tree.MoveBatch(p.ids, boxes))
	must.Do(p.tree.Tick())
}

// bouncingFrames is the number of measured frames: enough for a 99th percentile.
const bouncingFrames = 500

// measureFrames measures how even the frame times are.
func measureFrames(s *session, name string, n int) []row {
	const limit = 5
	p := newPlayground(n, s.seed)
	var median, tail measure.Series
	for range s.rounds {
		var frames measure.Series
		for range bouncingFrames {
			boxes := p.Step()
			start := time.Now()
			p.update(boxes)
			frames = append(frames, float64(time.Since(start).Nanoseconds())/1e3)
		}
		median, tail = append(median, frames.Median()), append(tail, frames.Quantile(0.99))
	}
	must.Do(p.tree.Validate())
	return []row{
		figure{name: name + ": median frame", values: median, unit: "us"},
		figure{name: name + ": 99th percentile / median", values: tail.Over(median), unit: "x", target: atMost(limit)},
	}
}

// measureRivalry compares update and pair search of some frames with sort-and-sweep.
func measureRivalry(s *session, name string, n int) []row {
	const steps = 5
	p := newPlayground(n, s.seed)
	frames := make([][]soa.AABB, steps)
	for i := range frames {
		frames[i] = make([]soa.AABB, n)
	}
	var sweep baseline.SortAndSweep
	var swept []collide.Pair
	var last uint64 // number of pairs of the frames
	update := measure.Task{
		Units: steps,
		Before: func() {
			for _, boxes := range frames {
				copy(boxes, p.Step())
			}
		},
		Do: func() (found uint64) {
			for _, boxes := range frames {
				p.update(boxes)
				p.pairs = collide.Append(p.pairs[:0], collide.Within(p.tree.View()), collide.Filter{})
				found += uint64(len(p.pairs))
			}
			last = found
			return found
		},
	}
	rival := measure.Task{
		Units:  steps,
		Before: func() {}, // makes each sample one call, on the frames of the update
		Do: func() (found uint64) {
			for _, boxes := range frames {
				swept = sweep.Append(swept[:0], boxes)
				found += uint64(len(swept))
			}
			if found != last {
				must.Fail("%d pairs by sort-and-sweep, %d by the tree", found, last)
			}
			return found
		},
	}
	times := measure.Interleave(s.rounds, update, rival)
	if !samePairs(p.pairs, swept) {
		must.Fail("sort-and-sweep finds other pairs than the tree")
	}
	const ns = 1e3
	us := func(s measure.Series) measure.Series { return s.Each(func(x float64) float64 { return x / ns }) }
	return []row{
		figure{name: name + ": update and pairs", values: us(times[0]), unit: "us/frame"},
		figure{name: name + ": sort-and-sweep", values: us(times[1]), unit: "us/frame"},
		figure{name: name + ": update and pairs / sort-and-sweep", values: times[0].Over(times[1]), unit: "x"},
	}
}

// samePairs sorts both lists and reports whether they are equal.
func samePairs(a, b []collide.Pair) bool {
	byID := func(p, q collide.Pair) int { return cmp.Or(cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B)) }
	slices.SortFunc(a, byID)
	slices.SortFunc(b, byID)
	return slices.Equal(a, b)
}
