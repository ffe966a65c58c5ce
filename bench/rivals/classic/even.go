package classic

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/soa"
)

const (
	leastEven = 1000 // smallest number of objects tried
	stepMoves = 1000 // objects moved to anywhere in a step
	stepCount = 20   // steps of a sample
)

// point is the time of a step, in ns, with a tree and with a loop over all boxes.
type point struct{ tree, loop float64 }

// even returns the number of objects at which both times are equal, and that time. The loop is faster at n
// objects, the tree at twice as many. The times in between are interpolated linearly in logarithms.
func (p point) even(n int, twice point) (objects, ns float64) {
	before, after := math.Log(p.tree/p.loop), math.Log(twice.loop/twice.tree)
	part := before / (before + after)
	return float64(n) * math.Exp2(part), p.loop * math.Pow(twice.loop/p.loop, part)
}

// breakEven finds for each contender the number of objects from which a step is faster than with a loop over
// all boxes, in the sparse scene.
func (s *study) breakEven(accounts []account) {
	last := make([]point, len(accounts))
	for i := range accounts {
		accounts[i].even = math.Inf(1) // above the largest number tried
	}
	for n := leastEven; n <= s.most; n *= 2 {
		times := s.steps(sparse(n, s.seed), append(contenders(), &brute{}))
		open := false
		for i := range accounts {
			a, now := &accounts[i], point{times[i].Min(), times[len(accounts)].Min()}
			switch {
			case !math.IsInf(a.even, 1):
			case now.tree > now.loop:
				last[i], open = now, true
			case n == leastEven:
				a.even, a.evenNs = leastEven, now.loop
			default:
				a.even, a.evenNs = last[i].even(n/2, now)
			}
		}
		if !open {
			return
		}
	}
}

// steps measures steps of moves and one box query each. All contenders run the same steps, and at the end
// their results are compared.
func (s *study) steps(objects []soa.Object, all []contender) []measure.Series {
	bounds := scene.Bounds(objects)
	boxes := scene.BoxQueries(objects, min(results, len(objects)/20), stepCount, s.seed)
	r := rand.New(rand.NewPCG(s.seed, 83))
	samples := s.rounds + 1 // one for warming up
	movers := make([]uint32, samples*stepCount*stepMoves)
	to := make([]soa.AABB, len(movers))
	for i := range movers {
		movers[i] = uint32(r.IntN(len(objects)))
		for a := range 3 {
			c := bounds.Min[a] + (bounds.Max[a]-bounds.Min[a])*r.Float32()
			to[i].Min[a], to[i].Max[a] = c-1, c+1
		}
	}
	var tasks []measure.Task
	var ids []uint32
	for _, c := range all {
		c.build(objects)
		at := 0
		tasks = append(tasks, measure.Task{Units: stepCount, Before: func() {}, Do: func() (sum uint64) {
			for _, b := range boxes {
				c.move(movers[at:at+stepMoves], to[at:at+stepMoves])
				at += stepMoves
				ids = c.ask(ids[:0], b)
				sum += uint64(len(ids))
			}
			return sum
		}})
	}
	times := measure.Interleave(s.rounds, tasks...)
	must.Within(func() { check(boxes, all) }, "%d objects after moves", len(objects))
	return times
}

// evenText formats a number of objects, or reports that it is outside the tried range.
func evenText(n float64) string {
	switch {
	case math.IsInf(n, 1):
		return "none tried"
	case n == leastEven:
		return fmt.Sprint(leastEven, " or less")
	}
	return fmt.Sprintf("%.0f", n)
}
