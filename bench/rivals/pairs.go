package main

import (
	"time"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/rivals/index"
)

const pairsRow = "all pairs"

// pairTime is the longest time of a search for all pairs that is measured more than once.
const pairTime = 2 * time.Second

// pairs measures the search for all overlapping pairs. A rival without one runs a box query for each moving
// object, or for a part of them.
func (c *comparison) pairs(s *results, w *workload, competitors []*competitor) {
	f := s.figure(pairsRow, "ns/object")
	var moving []int
	for i := range w.objects {
		if !w.objects[i].Static {
			moving = append(moving, i)
		}
	}
	var tasks []measure.Task
	var timed []*competitor
	add := func(x *competitor, units int, do func() uint64) {
		tasks = append(tasks, measure.Task{Units: units, Do: do})
		timed = append(timed, x)
	}
	want := uint64(0)
	for _, x := range competitors {
		start := time.Now()
		if finder, ok := x.ix.(index.Pairs); ok {
			do := func() (found uint64) {
				finder.Pairs(func(_, _ uint32) { found++ })
				return found
			}
			found := do()
			if x.name == library {
				want = found // reference for the others
			}
			if found != want {
				must.Fail("%s finds %d, %s %d", x.name, found, library, want)
			}
			if took := time.Since(start); took > pairTime {
				f.add(x.name, float64(took.Nanoseconds())/float64(len(w.objects)))
				f.fewer[x.name] = true
				continue
			}
			add(x, len(w.objects), do)
			continue
		}
		volumes, ok := x.ix.(index.Volumes)
		if !ok {
			continue
		}
		var ids []uint32
		ask := func(n int) (found uint64) {
			for k := range n {
				i := moving[k*len(moving)/n]
				v := index.Box(w.objects[i].Box)
				ids = volumes.Append(ids[:0], &v)
				for _, id := range ids {
					if w.objects[id].Static || int(id) > i {
						found++
					}
				}
			}
			return found
		}
		n := c.affordable(len(moving), func(n int) { ask(n) })
		if n == len(moving) {
			if found := ask(n); found != want {
				must.Fail("%s finds %d, %s %d", x.name, found, library, want)
			}
		}
		f.fewer[x.name] = n < len(moving)
		// Time of all queries, extrapolated from a part of them.
		add(x, n*len(w.objects)/len(moving), func() uint64 { return ask(n) })
	}
	for i, series := range measure.Interleave(c.options.Rounds, tasks...) {
		f.values[timed[i].name] = series
	}
}
