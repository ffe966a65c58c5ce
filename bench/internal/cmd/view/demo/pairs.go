package demo

import (
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// sampled is the number of objects that the loop of pairs is tried with: all would take
// minutes.
const sampled = 32

// pairs asks which boxes overlap.
func (s *Stage) pairs(q *Question, a *Answer) error {
	tree := s.tree
	var pairs []collide.Pair
	//show pairs
	filter := collide.Filter{StaticPairs: true}
	pairs = collide.Append(pairs[:0], tree.View(), linear.View{}, filter)
	for _, p := range pairs {
		s.States[p.A], s.States[p.B] = Hit, Hit
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
	a.loop("loop over all", "tests of two boxes", Float(n)*Float(n-1)/2)
	a.bar("octree, with answers", "tests of two boxes", Float(len(pairs)))
	if q.Time {
		a.bar("octree", "µs", micros(func() { pairs = collide.Append(pairs[:0], tree.View(), linear.View{}, filter) }))
		a.loop("loop over all, estimated", "µs", micros(func() { s.rows(step) })*Float(n)/Float(rows)/2)
	}
	a.Note = "The loop is run for some objects against all others, and its time is put up from that."
	return nil
}

// rows tests each step-th object against all others and counts what overlaps it.
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
