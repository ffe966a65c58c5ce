package query

import (
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// Meet returns the refined time of one box, in units of the motion.
func (s SweptSphere) Meet(box *soa.AABB) (t float64, ok bool) {
	b := (*walk.Sweep)(&s).Ball()
	t, ok = b.Entry(box, b.End)
	return t * (*walk.Sweep)(&s).Back, ok
}

// Around is the box around the ball at the start.
func (s SweptSphere) Around() soa.AABB {
	lo, hi := (*walk.Sweep)(&s).Start()
	return soa.AABB{Min: lo, Max: hi}
}

// MeetBy returns the time of one box if it is at most last, and Follow the time of the slow path without early
// rejection; both in kernels' units.
func (s SweptSphere) MeetBy(box *soa.AABB, last float64) (t float64, ok bool) {
	b := (*walk.Sweep)(&s).Ball()
	return b.Entry(box, last)
}

func (s SweptSphere) Follow(box *soa.AABB) (t float64, ok bool) {
	b := (*walk.Sweep)(&s).Ball()
	reach, _ := b.Reach(box)
	return b.Follow(box, float64(reach*reach))
}
