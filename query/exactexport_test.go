package query

import (
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// MeetPlanes is the point on three planes, with bounds of its errors.
func MeetPlanes(p, q, r *[4]float64) (c, e [3]float64, ok bool) { return exact.Intersect(p, q, r) }

// Separators are the planes of the second test of a precise frustum in a store, and their d for boxes that are not
// near, none if the d are equal.
func Separators(f Frustum, s *soa.Store) (planes [][4]float32, far []float32) {
	w := f.q().Begin(s)
	defer w.Release()
	for i := range w.Separators.Parts[:w.Separators.N] {
		c := &w.Separators.Parts[i].Convex
		planes = append(planes, c.Coef[:c.N]...)
		if c.Two {
			far = append(far, c.Wide[:c.N]...)
		}
	}
	return planes, far
}
