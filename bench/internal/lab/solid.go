package lab

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// solid is the image of a box under an affine map: a parallelepiped, in float64.
type solid struct {
	center [3]float64
	edges  [3][3]float64 // half edges
}

// slip is an upper bound of the rounding errors of float64 here, relative to the size of the summands.
const slip = 1e-12

func solidOf(rows *[12]float64, b *soa.AABB) (s solid) {
	for i := range 3 {
		s.center[i] = rows[4*i+3]
		for j := range 3 {
			lo, hi := float64(b.Min[j]), float64(b.Max[j])
			s.center[i] += rows[4*i+j] * (lo + hi) / 2
			s.edges[j][i] = rows[4*i+j] * (hi - lo) / 2
		}
	}
	return s
}

// reach returns the half-extent of the solid along n.
func (s *solid) reach(n *[3]float64) (r float64) {
	for j := range s.edges {
		r += math.Abs(inner(n, &s.edges[j]))
	}
	return r
}

// above returns the maximum of n*p + d over the points of the solid, and the size of the summands.
func (s *solid) above(plane *[4]float64) (most, size float64) {
	n := [3]float64{plane[0], plane[1], plane[2]}
	reach := s.reach(&n)
	size = math.Abs(plane[3]) + reach
	for a := range 3 {
		size += math.Abs(n[a] * s.center[a])
	}
	return inner(&n, &s.center) + plane[3] + reach, size
}

// gap returns the gap between two solids along an axis, negative if they overlap there, and the size of the
// summands.
func (s *solid) gap(t *solid, axis *[3]float64) (gap, size float64) {
	reach := s.reach(axis) + t.reach(axis)
	for a := range 3 {
		size += (math.Abs(s.center[a]) + math.Abs(t.center[a])) * math.Abs(axis[a])
	}
	return math.Abs(inner(&s.center, axis)-inner(&t.center, axis)) - reach, size + reach
}

// faces appends the normals of the faces.
func (s *solid) faces(dst [][3]float64) [][3]float64 {
	for j := range 3 {
		dst = append(dst, outer(&s.edges[(j+1)%3], &s.edges[(j+2)%3]))
	}
	return dst
}

// meets reports whether two solids share a point, by the separating axis theorem: surely if no face of either
// and no pair of edges separates them, possibly if no face does, within the tolerance.
func (s *solid) meets(t *solid, tolerance float64) (surely, possibly bool) {
	var axes [15][3]float64
	list := t.faces(s.faces(axes[:0]))
	surely, possibly = true, true
	for i := range list {
		gap, size := s.gap(t, &list[i])
		length := math.Sqrt(inner(&list[i], &list[i]))
		if gap > size*slip+tolerance*length {
			return false, false
		}
		surely = surely && gap <= -size*slip
	}
	for i := range s.edges {
		for j := range t.edges {
			axis := outer(&s.edges[i], &t.edges[j])
			if axis == [3]float64{} {
				continue
			}
			gap, size := s.gap(t, &axis)
			surely = surely && gap <= -size*slip
		}
	}
	return surely, possibly
}

func inner(a, b *[3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func outer(a, b *[3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}
