package exact

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// Slabs are the slabs of a solid, for tests against many axis-aligned boxes. The solid is between
// two planes along each axis that can separate it from a box: the normals of its faces, the normals of
// an edge and x, y or z, and x, y and z.
type Slabs struct {
	Box   soa.AABB // box that contains the solid
	axes  [15][3]float64
	outer [15][2]float64 // interval of the solid along each axis, widened
	inner [3][2]float64  // interval along the normals of faces, narrowed
}

// Set sets s to the slabs of a solid in box, which contains it.
//
// Boxes are clipped to box before a test, so that the rounding errors of all boxes are in
// proportion to it: they are bounded here, once.
func (s *Slabs) Set(solid *Solid, box *soa.AABB) {
	s.Box = *box
	copy(s.axes[:3], solid.Faces[:])
	for i, d := range solid.Dirs {
		s.axes[3+3*i] = [3]float64{0, d[2], -d[1]}
		s.axes[4+3*i] = [3]float64{-d[2], 0, d[0]}
		s.axes[5+3*i] = [3]float64{d[1], -d[0], 0}
		s.axes[12+i] = [3]float64{}
		s.axes[12+i][i] = 1
	}
	var m [3]float64
	for k := range 3 {
		m[k] = solid.Size[k] + max(math.Abs(float64(box.Min[k])), math.Abs(float64(box.Max[k])))
	}
	for i, l := range s.axes {
		middle, off := Dot(l, solid.Center), float64(Dot(size(l), m)*offShare)+offLeast
		r := solid.Radius(l) + off
		s.outer[i] = [2]float64{middle - r, middle + r}
		if i < 3 {
			// The components of a point along the other edges may count against l, too.
			r = float64(math.Abs(Dot(l, solid.Dirs[i]))*solid.Half[i])*2 - solid.Radius(l) - off
			s.inner[i] = [2]float64{middle - r, middle + r}
		}
	}
}

// Plane returns a plane n·x + d >= 0 that contains the solid, with the normal of a face or, by the
// sign, its opposite.
func (s *Slabs) Plane(face int, sign float64) [4]float64 {
	l := s.axes[face]
	if sign < 0 {
		return [4]float64{-l[0], -l[1], -l[2], s.outer[face][1]}
	}
	return [4]float64{l[0], l[1], l[2], -s.outer[face][0]}
}

// span returns the interval of a box along a vector.
func span(l *[3]float64, lo, hi *[3]float64) (least, most float64) {
	for k, n := range l {
		x, y := float64(n*lo[k]), float64(n*hi[k])
		if x > y {
			x, y = y, x
		}
		least += x
		most += y
	}
	return least, most
}

// Overlaps reports whether the solid shares a point with the box in a lane of a packet. The errors
// are as for [Solid.Overlaps].
func (s *Slabs) Overlaps(p *soa.Packet, lane int) bool {
	var lo, hi [3]float64
	for k := range 3 {
		x, y := max(p[2*k][lane], s.Box.Min[k]), min(p[2*k+1][lane], s.Box.Max[k])
		if x > y {
			return false
		}
		lo[k], hi[k] = float64(x), float64(y)
	}
	for i := range s.axes {
		if least, most := span(&s.axes[i], &lo, &hi); least > s.outer[i][1] || most < s.outer[i][0] {
			return false
		}
	}
	return true
}

// Near reports whether a ball intersects the box around the solid and the slab of each pair of its
// faces. If it returns false the ball does not intersect the solid.
func (s *Slabs) Near(c [3]float64, r float64) bool {
	var d [3]float64
	for k := range d {
		d[k] = max(float64(s.Box.Min[k])-c[k], c[k]-float64(s.Box.Max[k]), 0)
	}
	if math.Sqrt(Dot(d, d)) > r*Widen {
		return false
	}
	for i, o := range s.outer[:3] {
		l := s.axes[i]
		at, reach := Dot(l, c), float64(r*math.Sqrt(Dot(l, l))*Widen)
		if at-reach > o[1] || at+reach < o[0] {
			return false
		}
	}
	return true
}

// Holds reports whether a box is in the solid. It returns false where rounding leaves the result
// uncertain.
func (s *Slabs) Holds(b *soa.AABB) bool {
	if !s.Box.Contains(*b) {
		return false
	}
	var lo, hi [3]float64
	for k := range 3 {
		lo[k], hi[k] = float64(b.Min[k]), float64(b.Max[k])
	}
	for i := range s.inner {
		if least, most := span(&s.axes[i], &lo, &hi); !(least >= s.inner[i][0] && most <= s.inner[i][1]) {
			return false
		}
	}
	return true
}
