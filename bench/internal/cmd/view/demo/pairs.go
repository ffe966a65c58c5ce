package demo

import (
	"fmt"

	"github.com/zoctree/zoctree/query/collide"
)

// sampled is the number of objects for which the loop of pairs is run: all would take minutes.
const sampled = 32

// maxPairs limits the memory of a result.
const maxPairs = 4_000_000

// pairs finds all overlapping boxes.
func (s *Stage) pairs(q *Question, a *Answer) error {
	within, states := collide.Within(s.tree.View()), s.States
	var pairs []collide.Pair
	found := 0
	for range collide.All(within, collide.Filter{StaticPairs: true}) {
		if found++; found > maxPairs {
			return fmt.Errorf("more than %d pairs, too many for a page: choose fewer objects", maxPairs)
		}
	}
	//show pairs
	flt := collide.Filter{StaticPairs: true}
	pairs = collide.Append(pairs[:0], within, flt)
	for _, p := range pairs {
		states[p.A], states[p.B] = Hit, Hit
	}
	//end
	in := 0
	for _, state := range s.States {
		in += int(state)
	}
	n, step := len(s.objects), max(len(s.objects)/sampled, 1)
	a.count("pairs that overlap", len(pairs), none)
	a.count("objects in pairs", in, int(Hit))
	a.count("objects in none", n-in, int(Miss))
	ours := 0
	for _, p := range pairs {
		ours += b2i(int(p.A)%step == 0) + b2i(int(p.B)%step == 0)
	}
	rows, loop := s.rows(step)
	a.Equal = ours == loop
	a.say("%s overlapping pairs among %s possible pairs", len(pairs), n*(n-1)/2)
	a.Check = "A loop over a sample of the objects finds the same."
	a.bar("pairs found", "pairs", Float(len(pairs)))
	a.loop("loop tests", "pairs", Float(n)*Float(n-1)/2)
	if q.Time {
		us, some := inTurns(func() { pairs = collide.Append(pairs[:0], within, flt) }, func() { s.rows(step) })
		a.bar("octree", "µs", us)
		a.loop("loop, estimated", "µs", some*Float(n)/Float(rows)/2)
	}
	a.Note = "The loop tests some objects against all others; its time is estimated from that."
	return nil
}

// rows tests every step-th object against all others and counts the overlaps.
func (s *Stage) rows(step int) (rows, found int) {
	for i := 0; i < len(s.objects); i += step {
		rows++
		b := &s.objects[i].Box
		for j := range s.objects {
			c := &s.objects[j].Box
			if i != j && b.Min[0] <= c.Max[0] && b.Max[0] >= c.Min[0] && b.Min[1] <= c.Max[1] && b.Max[1] >= c.Min[1] &&
				b.Min[2] <= c.Max[2] && b.Max[2] >= c.Min[2] {
				found++
			}
		}
	}
	return rows, found
}
