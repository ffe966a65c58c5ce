package query

import "github.com/zoctree/zoctree/soa"

// Meet gives tests the refined time of one box, in units of the motion.
func (s SweptSphere) Meet(box *soa.AABB) (t float64, ok bool) {
	b := s.sweep.ball()
	t, ok = b.meet(box)
	return t * s.sweep.back, ok
}

// Around is the box around the ball at the start.
func (s SweptSphere) Around() soa.AABB { return soa.AABB{Min: s.sweep.lo, Max: s.sweep.hi} }
