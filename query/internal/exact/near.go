package exact

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// BoxesNear reports whether two closed boxes, minx maxx miny maxy minz maxz, are at most a distance apart, in
// exact arithmetic. All numbers are finite, and the distance is not negative.
//
// The sign of dx*dx + dy*dy + dz*dz - distance*distance is that of a sum of float64, each of which is a
// product or the rounding error of one. None overflows or is denormal, for all numbers are float32.
func BoxesNear(a, b *[6]float32, distance float32) bool {
	var s expansion
	for k := 0; k < 6; k += 2 {
		hi, lo := gapOf(a, b, k)
		if hi <= 0 {
			continue
		}
		s.addProduct(hi, hi)
		if lo != 0 {
			s.addProduct(hi, 2*lo)
			s.addProduct(lo, lo)
		}
	}
	s.add(-(float64(distance) * float64(distance))) // exact: 48 bits
	return s.n == 0 || s.terms[s.n-1] <= 0
}

// gapOf returns the gap of two intervals as the sum of a number and its rounding error; not above 0 if they overlap.
func gapOf(a, b *[6]float32, k int) (hi, lo float64) {
	x, y := float64(b[k]), float64(a[k+1])
	if d := float64(a[k]) - float64(b[k+1]); d > x-y {
		x, y = float64(a[k]), float64(b[k+1])
	}
	return twoSum(x, -y)
}

// twoSum returns the rounded sum and its rounding error (D. Knuth).
func twoSum(a, b float64) (sum, lost float64) {
	sum = a + b
	v := sum - a
	return sum, (a - (sum - v)) + (b - v)
}

// expansion is an exact sum of float64: terms without common bits, ascending by size, none of them 0
// (J. Shewchuk, Adaptive Precision Floating-Point Arithmetic, 1997). The last term has the sign of the sum.
type expansion struct {
	terms [20]float64
	n     int
}

// add adds a number.
func (s *expansion) add(x float64) {
	n := 0
	for _, t := range s.terms[:s.n] {
		var lost float64
		if x, lost = twoSum(x, t); lost != 0 {
			s.terms[n] = lost
			n++
		}
	}
	if s.n = n; x != 0 {
		s.terms[n] = x
		s.n++
	}
}

// addProduct adds a product.
func (s *expansion) addProduct(a, b float64) {
	p := float64(a * b)
	if lost := math.FMA(a, b, -p); lost != 0 {
		s.add(lost)
	}
	s.add(p)
}

// SetBox sets f to a box without rotation.
func (f *Frame) SetBox(b *soa.AABB) {
	f.Axes = [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	for k := range 3 {
		lo, hi := float64(b.Min[k]), float64(b.Max[k])
		f.Center[k], f.Half[k] = (lo+hi)/2, (hi-lo)/2
	}
}

// Near reports whether two frames are at most a distance apart; d is not negative. It is false only if a plane
// separates the frames by more: with n a vector, t the vector between the centres, ra and rb the radii along n,
//
//	|n·t| > ra + rb + off + d*|n|*(1 + 2^-40)
//
// where off is the one of [Solid.Overlaps]. The vectors are the normals of all faces, and the vector
// between the nearest points, which are a corner and any point, or points of two edges.
func (f *Frame) Near(g *Frame, d float64) bool {
	var t [3]float64
	for k := range t {
		t[k] = g.Center[k] - f.Center[k]
	}
	for i := range 3 {
		if f.apart(g, f.Axes[i], &t, d) || f.apart(g, g.Axes[i], &t, d) {
			return false
		}
	}
	n := f.nearest(g, &t)
	return Length(&n) <= d || !f.apart(g, f.straight(g, n, &t), &t, d)
}

// apart reports whether a vector separates two frames by more than a distance.
func (f *Frame) apart(g *Frame, n [3]float64, t *[3]float64, d float64) bool {
	var m [3]float64
	for k := range m {
		m[k] = math.Abs(f.Center[k]) + math.Abs(g.Center[k])
		for i := range 3 {
			m[k] += float64(math.Abs(f.Axes[i][k])*f.Half[i]) + float64(math.Abs(g.Axes[i][k])*g.Half[i])
		}
	}
	off := float64(Dot(size(n), m)*offShare) + offLeast
	return math.Abs(Dot(n, *t)) > f.radius(n)+g.radius(n)+off+float64(d*Length(&n)*Widen)
}

// radius returns the reach of a frame from its centre along a vector, in lengths of that vector.
func (f *Frame) radius(n [3]float64) float64 {
	return float64(math.Abs(Dot(n, f.Axes[0]))*f.Half[0]) +
		float64(math.Abs(Dot(n, f.Axes[1]))*f.Half[1]) +
		float64(math.Abs(Dot(n, f.Axes[2]))*f.Half[2])
}

// nearest returns the vector from the point of f to the point of g that are nearest to each other, for frames that
// are apart. Points are relative to the centre of f.
func (f *Frame) nearest(g *Frame, t *[3]float64) [3]float64 {
	best := math.Inf(1)
	var p, q [3]float64
	try := func(from, to [3]float64) {
		if d := minus(to, from); Dot(d, d) < best {
			best, p, q = Dot(d, d), from, to
		}
	}
	x, y := *f, *g
	x.Center, y.Center = [3]float64{}, *t
	for i := range 8 {
		c, d := x.corner(i), y.corner(i)
		try(c, y.Nearest(c))
		try(x.Nearest(d), d)
	}
	for i, u := range x.Axes {
		for j, v := range y.Axes {
			w := Cross(u, v)
			square := Dot(w, w)
			if square == 0 {
				continue
			}
			way := w // from f to g
			if Dot(w, *t) < 0 {
				way = minus([3]float64{}, w)
			}
			c, d := x.edge(i, way), y.edge(j, minus([3]float64{}, way))
			a := clamped(Dot(Cross(minus(d, c), v), w)/square, x.Half[i])
			b := clamped(Dot(v, minus(plus(c, u, a), d)), y.Half[j])
			a = clamped(Dot(u, minus(plus(d, v, b), c)), x.Half[i])
			try(plus(c, u, a), plus(d, v, b))
		}
	}
	// Other points may be as near up to rounding errors, and the vector between them turned by the root of these. It is
	// not between two points if each is nearest to the other.
	for range 2 {
		q = y.Nearest(p)
		p = x.Nearest(q)
	}
	return minus(q, p)
}

// straight returns a vector without its components along axes to which it is at right angles up to rounding errors: a
// plane of this normal supports a frame by an edge or a face, not by a corner of it.
func (f *Frame) straight(g *Frame, n [3]float64, t *[3]float64) [3]float64 {
	size := Length(t)
	for i := range 3 {
		size += f.Half[i] + g.Half[i]
	}
	for range 2 {
		for _, axes := range [2]*[3][3]float64{&f.Axes, &g.Axes} {
			for _, u := range axes {
				if along := Dot(n, u); math.Abs(along) <= size*0x1p-44 {
					n = plus(n, u, -along)
				}
			}
		}
	}
	return n
}

// corner returns corner i, 0 to 7.
func (f *Frame) corner(i int) [3]float64 {
	p := f.Center
	for k, u := range f.Axes {
		p = plus(p, u, math.Copysign(f.Half[k], float64(i>>k&1)-0.5))
	}
	return p
}

// edge returns the middle of the edge along that axis that is furthest along a vector.
func (f *Frame) edge(axis int, n [3]float64) [3]float64 {
	p := f.Center
	for k, u := range f.Axes {
		if k != axis {
			p = plus(p, u, math.Copysign(f.Half[k], Dot(n, u)))
		}
	}
	return p
}

// plus returns p + a*u.
func plus(p, u [3]float64, a float64) [3]float64 {
	return [3]float64{p[0] + float64(a*u[0]), p[1] + float64(a*u[1]), p[2] + float64(a*u[2])}
}

func minus(p, q [3]float64) [3]float64 { return [3]float64{p[0] - q[0], p[1] - q[1], p[2] - q[2]} }

// clamped returns x, at most the limit in size.
func clamped(x, limit float64) float64 { return min(max(x, -limit), limit) }
