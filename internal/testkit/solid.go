package testkit

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// Solid is a closed box, or a ball x, y, z, radius if Ball is not nil.
type Solid struct {
	Box  soa.AABB
	Ball *[4]float32
}

// reach returns the support of the solid along the unit vector u: the largest dot product of one of
// its points with u.
func (s *Solid) reach(u [3]float64) float64 {
	sum := 0.0
	for a, x := range u {
		switch {
		case s.Ball != nil:
			sum += x*float64(s.Ball[a]) + float64(s.Ball[3])*x*x
		case x < 0:
			sum += x * float64(s.Box.Min[a])
		default:
			sum += x * float64(s.Box.Max[a])
		}
	}
	return sum
}

// Overlap returns the distance by which b must move along the unit vector u until a plane
// perpendicular to u separates it from a; it is negative if one already does. The minimum over all
// directions is by definition the penetration depth, or minus the distance.
func Overlap(a, b *Solid, u [3]float64) float64 {
	back := [3]float64{-u[0], -u[1], -u[2]}
	return a.reach(u) + b.reach(back)
}

// Meet reports whether the solids intersect, with the radii of balls multiplied by scale. Two boxes
// are compared exactly; else it compares the distance in float64, each operation rounded.
func Meet(a, b *Solid, scale float64) bool { return MeetWithin(a, b, scale, 0) }

// MeetWithin reports whether the solids are at most a distance apart, compared as by [Meet]: the sum
// of the radii and the distance is multiplied by scale.
func MeetWithin(a, b *Solid, scale float64, distance float32) bool {
	if a.Ball == nil {
		a, b = b, a
	}
	if a.Ball == nil {
		return BoxesWithin(&a.Box, &b.Box, distance)
	}
	var square [3]float64
	for k := range 3 {
		x := float64(a.Ball[k])
		d := 0.0
		if b.Ball != nil {
			d = x - float64(b.Ball[k])
		} else if lo, hi := float64(b.Box.Min[k]), float64(b.Box.Max[k]); x < lo {
			d = x - lo
		} else if x > hi {
			d = x - hi
		}
		square[k] = d * d
	}
	r := float64(a.Ball[3])
	if b.Ball != nil {
		r += float64(b.Ball[3])
	}
	return math.Sqrt(square[0]+square[1]+square[2]) <= (r+float64(distance))*scale
}

// BallIn returns the largest ball about the centre of a box, with the radius rounded.
func BallIn(b soa.AABB) [4]float32 {
	c := b.Center()
	r := float32(math.MaxFloat32)
	for a := range 3 {
		r = min(r, b.Max[a]-c[a], c[a]-b.Min[a])
	}
	return [4]float32{c[0], c[1], c[2], max(r, 0)}
}

// BallsIn returns a solid for each object: a ball about the centre of its box for two of three, and
// the box for the others.
func BallsIn(objects []soa.Object) []Solid {
	solids := make([]Solid, len(objects))
	for i, o := range objects {
		solids[i].Box = o.Box
		s := BallIn(o.Box)
		c := [3]float32{s[0], s[1], s[2]} // rounded for denormals
		if i%3 != 1 && o.Box.Contains(soa.AABB{Min: c, Max: c}) {
			solids[i].Ball = &s
		}
	}
	return solids
}
