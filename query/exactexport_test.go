package query

import "github.com/zoctree/zoctree/soa"

// MeetPlanes is the point on three planes, with bounds of its errors.
func MeetPlanes(p, q, r *[4]float64) (c, e [3]float64, ok bool) { return meet(p, q, r) }

// Separators are the planes of the second test of a precise frustum in a store: an object
// on the border is removed when it is outside of one of them.
func (f Frustum) Separators(s *soa.Store) (planes [][4]float32) {
	w := f.begin(s)
	defer w.release()
	for i := range w.apart.parts[:w.apart.n] {
		c := &w.apart.parts[i].Convex
		planes = append(planes, c.Coef[:c.N]...)
	}
	return planes
}
