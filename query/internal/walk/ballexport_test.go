package walk

import "github.com/zoctree/zoctree/soa"

// MotionTime is the time at which a ball hits a box, in units of the motion.
func MotionTime(s *Sweep, box *soa.AABB) (t float64, ok bool) {
	b := s.ball()
	t, ok = b.firstTime(box, b.end)
	return t * s.cast.Back, ok
}

// KernelTime is that time if it is at most last, and SlowTime the time of the slow path without early
// rejection; both in the kernels' unit.
func KernelTime(s *Sweep, box *soa.AABB, last float64) (t float64, ok bool) {
	b := s.ball()
	return b.firstTime(box, last)
}

func SlowTime(s *Sweep, box *soa.AABB) (t float64, ok bool) {
	b := s.ball()
	reach, _ := b.reach(box)
	return b.follow(box, float64(reach*reach))
}
