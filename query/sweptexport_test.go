package query

import "github.com/zoctree/zoctree/soa"

// Meet returns the refined time of one box, in units of the motion.
func (s SweptSphere) Meet(box *soa.AABB) (t float64, ok bool) {
	b := s.sweep.ball()
	t, ok = b.meet(box, b.end)
	return t * s.sweep.back, ok
}

// Around is the box around the ball at the start.
func (s SweptSphere) Around() soa.AABB { return soa.AABB{Min: s.sweep.lo, Max: s.sweep.hi} }

// MeetBy returns the time of one box if it is at most last, and Follow the time of the slow path without early
// rejection; both in kernels' units.
func (s SweptSphere) MeetBy(box *soa.AABB, last float64) (t float64, ok bool) {
	b := s.sweep.ball()
	return b.meet(box, last)
}

func (s SweptSphere) Follow(box *soa.AABB) (t float64, ok bool) {
	b := s.sweep.ball()
	reach, _ := b.reach(box)
	return b.follow(box, float64(reach*reach))
}
