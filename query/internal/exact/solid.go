package exact

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// Solid is a parallelepiped: the closed set of points
//
//	Center + a*Half[0]*Dirs[0] + b*Half[1]*Dirs[1] + c*Half[2]*Dirs[2]    -1 <= a, b, c <= 1
//
// Half may be 0: then the solid is flat, a segment or a point. The directions of its edges must be
// independent even then. Two solids that are apart are so on an axis that is normal to a face or
// to an edge of each, also if they are flat: flat solids are the limits of others, and these axes
// do not depend on Half.
type Solid struct {
	Center [3]float64
	Dirs   [3][3]float64
	Half   [3]float64

	Faces [3][3]float64 // normals of faces: Faces[i] is Dirs[i+1] x Dirs[i+2]
	Size  [3]float64    // on each axis at least |Center| and the sum of the terms added to it
}

// SetCell sets s to a cell: an oriented box, or another solid, transformed into another space.
// Each point of the exact cell is no further than off, on each axis, from the corresponding point
// of s. The errors of every test are in proportion to sizes, so off is added to Size in that
// proportion.
func (s *Solid) SetCell(center, off [3]float64, dirs [3][3]float64, half [3]float64) {
	s.Center, s.Dirs, s.Half = center, dirs, half
	s.finish()
	for k, o := range off {
		s.Size[k] += float64(o * (1 / offShare) * (1 + 0x1p-40))
	}
}

// SetOriented sets s to an oriented box. Its directions are float32 times a power of two, so cross
// products are off by a relative 2^-53 at most.
func (s *Solid) SetOriented(b *soa.OrientedBox) {
	for k, c := range b.Center {
		s.Center[k] = float64(c)
	}
	for i, a := range b.Axes {
		for k, x := range a {
			s.Dirs[i][k] = float64(x)
		}
		s.Half[i] = Pull(&s.Dirs[i])
	}
	s.complete()
	s.finish()
}

// SetBox sets s to an axis-aligned box.
func (s *Solid) SetBox(b *soa.AABB) {
	s.Dirs = [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	s.Faces = s.Dirs
	for k := range 3 {
		lo, hi := float64(b.Min[k]), float64(b.Max[k])
		s.Center[k], s.Half[k] = (lo+hi)/2, (hi-lo)/2
		s.Size[k] = max(-lo, hi)
	}
}

// Pull scales a vector by a power of two so that its largest component is in [1, 2), and returns
// the power of two that reverts that; 0 for a vector of zeros.
func Pull(v *[3]float64) (half float64) {
	m := max(math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2]))
	if m == 0 {
		return 0
	}
	if half = math.Float64frombits(math.Float64bits(m) &^ (1<<52 - 1)); half == 0 { // denormal
		_, e := math.Frexp(m)
		half = math.Ldexp(1, e-1)
	}
	for k := range v {
		v[k] /= half
	}
	return half
}

// complete gives directions to axes of length zero, at right angles to the others as far as
// float32 allows.
func (s *Solid) complete() {
	for i := range 3 {
		j, k := after(i)
		d, e, f := &s.Dirs[i], &s.Dirs[j], &s.Dirs[k]
		switch noE, noF := isZero(e), isZero(f); {
		case !isZero(d):
			continue
		case noE && noF:
			d[i] = 1
			continue
		case noE:
			*d = Cross(*f, across(*f))
		case noF:
			*d = Cross(*e, across(*e))
		default:
			*d = cross(e, f)
		}
		Pull(d)
		for a, x := range d {
			d[a] = float64(float32(x))
		}
	}
}

// isZero reports whether v is the vector of zeros.
func isZero(v *[3]float64) bool { return v[0] == 0 && v[1] == 0 && v[2] == 0 }

// across returns the coordinate axis along which v is smallest.
func across(v [3]float64) (e [3]float64) {
	x, y, z := math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2])
	switch {
	case x <= y && x <= z:
		e[0] = 1
	case y <= z:
		e[1] = 1
	default:
		e[2] = 1
	}
	return e
}

// finish sets the fields that follow from the others.
func (s *Solid) finish() {
	for i := range 3 {
		s.Faces[i] = Cross(s.Dirs[(i+1)%3], s.Dirs[(i+2)%3])
	}
	for k := range 3 {
		s.Size[k] = math.Abs(s.Center[k])
		for i := range 3 {
			s.Size[k] += float64(math.Abs(s.Dirs[i][k]) * s.Half[i])
		}
	}
}

// Radius returns the reach of the solid from its centre along a vector, in lengths of that vector.
func (s *Solid) Radius(l [3]float64) float64 {
	return float64(math.Abs(Dot(l, s.Dirs[0]))*s.Half[0]) +
		float64(math.Abs(Dot(l, s.Dirs[1]))*s.Half[1]) +
		float64(math.Abs(Dot(l, s.Dirs[2]))*s.Half[2])
}

// The test of an axis l: with t the vector between the centres, two solids are apart if
//
//	|l·t| > ra + rb + off    off = 2^-49 * (|lx|*mx + |ly|*my + |lz|*mz) + 2^-1000
//
// where ra and rb are the radii along l and m is the sum of both sizes. The rounding errors of
// these sums, with u = 2^-53, are 5u of the bracket for l·t and 10u for the radii; the last term
// covers denormal products. Any axis may separate, even an inexact one, so no solids that share a
// point are found apart. False positives are apart, on each of the exact axes, by 2^-48 *
// (|lx|*mx + ...) or less: cross products of directions that are float32 are off by u.
const (
	offShare = 0x1p-49
	offLeast = 0x1p-1000
)

// Overlaps reports whether two solids share a point, by the fifteen axes that can separate them: the
// normals of the faces of both, and the normals of an edge of each.
func (a *Solid) Overlaps(b *Solid) bool {
	var t, m [3]float64
	for k := range 3 {
		t[k] = b.Center[k] - a.Center[k]
		m[k] = a.Size[k] + b.Size[k]
	}
	for _, l := range a.Faces {
		if a.apart(b, l, &t, &m) {
			return false
		}
	}
	for _, l := range b.Faces {
		if a.apart(b, l, &t, &m) {
			return false
		}
	}
	for _, d := range a.Dirs {
		for _, e := range b.Dirs {
			if a.apart(b, Cross(d, e), &t, &m) {
				return false
			}
		}
	}
	return true
}

func (a *Solid) apart(b *Solid, l [3]float64, t, m *[3]float64) bool {
	return math.Abs(Dot(l, *t)) > a.Radius(l)+b.Radius(l)+float64(Dot(size(l), *m)*offShare)+offLeast
}

func size(l [3]float64) [3]float64 {
	return [3]float64{math.Abs(l[0]), math.Abs(l[1]), math.Abs(l[2])}
}

// Cross returns the cross product. Products are rounded before sums, so that no compiler fuses them.
func Cross(a, b [3]float64) [3]float64 {
	return [3]float64{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}
