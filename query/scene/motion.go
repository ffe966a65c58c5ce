package scene

import (
	"math"

	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// motion is a ray or a moving shape in the space of a part, at the time 0 of the scene. Times are
// the same in all spaces, because directions are never normalized.
type motion struct {
	trace.Motion

	box       bool // the shape is a box: edges
	edges     [3][3]float64
	ball      bool    // the shape is a ball, of a radius
	radius    float64 // radius of the ball around it, if it is an ellipsoid
	inner     float64 // radius of the ball in it
	spherical bool    // the shape is a ball within rounding
	plain     bool    // made from a box, even a degenerate one: bounds of objects are ignored
}

func (m *motion) set(f *walk.Swept) {
	*m = motion{Motion: trace.Motion{Dir: f.Dir, Center: f.Min}, plain: !f.Ball}
	switch {
	case f.Spherical:
		m.Center, m.ball, m.spherical, m.radius, m.inner = f.Center, true, true, f.Radius, f.Radius
	case f.Min != f.Max:
		m.box = true
		for a := range 3 {
			lo, hi := f.Min[a]/2, f.Max[a]/2
			m.Center[a], m.edges[a][a] = lo+hi, hi-lo
			m.Off[a] = float64((math.Abs(lo) + math.Abs(hi)) * 0x1p-51)
		}
	}
}

// isRay reports whether the motion is a ray without errors.
func (m *motion) isRay() bool {
	return !m.box && !m.ball && m.Off == [3]float64{} && m.DirOff == [3]float64{}
}

// setShape sets the kind and the radii of a shape.
func (to *motion) setShape(from *motion) {
	to.box, to.ball, to.spherical, to.plain = from.box, from.ball, from.spherical, from.plain
	to.radius, to.inner = from.radius, from.inner
}

// move sets to to the image of from in the space of a part.
func (to *motion) move(from *motion, transform *xform.Transform) {
	if transform.Kind() == xform.Identity {
		*to = *from
		return
	}
	to.setShape(from)
	transform.WritePoint(&to.Center, &to.Off, &from.Center, &from.Off)
	transform.WriteVector(&to.Dir, &to.DirOff, &from.Dir, &from.DirOff)
	if from.box {
		for k := range 3 {
			edge, off := transform.LocalVector(from.edges[k], [3]float64{})
			to.edges[k] = edge
			for a := range 3 {
				to.Off[a] += off[a]
			}
		}
	}
	if from.ball {
		if least, most := transform.Stretch(); least != 1 || most != 1 {
			to.radius, to.inner = float64(from.radius/least*(1+0x1p-50)), float64(from.inner/most*(1-0x1p-50))
			to.spherical = from.spherical && most*(1-0x1p-16) <= least
		}
	}
}

// half returns the half extent of the shape on an axis.
func (m *motion) half(a int) float64 {
	if m.box {
		return m.halfEdges(a)
	}
	return m.radius
}

func (m *motion) halfEdges(a int) float64 {
	sum := math.Abs(m.edges[0][a]) + math.Abs(m.edges[1][a]) + math.Abs(m.edges[2][a])
	return float64(sum * (1 + 0x1p-50))
}

// at returns the centre at a time.
func (m *motion) at(t float64) (p [3]float64) {
	for a := range 3 {
		p[a] = m.Center[a] + float64(t*m.Dir[a])
	}
	return p
}

// clip returns the span of a motion that ends at a time, no shorter than the exact one: the time interval in which it
// is near the bounds of a part. ok is false if the motion never hits the bounds.
//
//	      +-- bounds --+
//	 o----|-->---->----|-->   the part of the path outside of From..To hits nothing there
//	0     From          To
func (m *motion) clip(b *soa.AABB, until float64) (s trace.Span, ok bool) {
	from, to := 0.0, until
	for a := range 3 {
		// The direction is as good as random: the axis is mirrored without a branch.
		d, off, c := m.Dir[a], m.DirOff[a], m.Center[a]
		down := uint32(math.Float64bits(d) >> 63)
		l, h := math.Float32bits(b.Min[a]), math.Float32bits(b.Max[a])
		swap := (l ^ h) & -down
		near, far := float64(math.Float32frombits(l^swap^down<<31)), float64(math.Float32frombits(h^swap^down<<31))
		reach := m.half(a) + m.Off[a]
		reach += float64((reach + math.Abs(c) + longer(math.Abs(near), math.Abs(far))) * 0x1p-50)
		c, d = float64(math.Copysign(1, d)*c), math.Abs(d)
		low, high := near-reach-c, far+reach-c // range of the centre
		if d <= 2*off {                        // at rest, or nearly
			if d == 0 && off == 0 && (low > 0 || high < 0) {
				return s, false
			}
			continue
		}
		if high < 0 {
			return s, false
		}
		from = longer(from, float64(low/(d+off)*(1-0x1p-50)))
		to = shorter(to, float64(high/(d-off)*(1+0x1p-50)))
	}
	if !(from >= 0) { // NaN: beyond float64
		from = 0
	}
	return trace.Span{From: from, To: to}, !(from > to)
}

// longer returns the larger one of a length and another number, which may be negative or NaN. Comparisons of bits take
// fewer instructions than comparisons of numbers.
func longer(length, x float64) float64 {
	return math.Float64frombits(uint64(max(int64(math.Float64bits(length)), int64(math.Float64bits(x)))))
}

// shorter returns the smaller one of two lengths. NaN is large.
func shorter(x, y float64) float64 {
	return math.Float64frombits(min(math.Float64bits(x), math.Float64bits(y)))
}

// close sets the sweep to be cast, until a time of the scene: a box around the shape at the beginning of the span,
// larger by e, and a float32 direction, which times scale is the direction of the motion. On each axis, with the error
// of the centre, off, and of the direction, dirOff,
//
//	e = off + to*dirOff + 2^-50*(|center| + |to*dir|) + 2^-24*|dir|*(to-from)*(1 + 2^-20)
//
// so that the box contains the exact shape during the span: there are no false negatives. A false
// positive is hit by the shape enlarged by 2e and by the outward rounding of the box to float32.
// That rounding is 2^-23 of its coordinates in the space of the part.
func (m *motion) close(q *walk.Sweep, s trace.Span, b *soa.AABB) (scale float64) {
	unit := unitOf(max(math.Abs(m.Dir[0]), math.Abs(m.Dir[1]), math.Abs(m.Dir[2])))
	if m.ball {
		unit = float64(unit * shortened(float64((s.To-s.From)/unit)))
	}
	var least, most, dir [3]float32
	for a := range 3 {
		d, way := m.Dir[a], s.To-s.From
		e := m.Off[a] + float64(s.To*m.DirOff[a])
		e += float64((math.Abs(m.Center[a]) + float64(s.To*math.Abs(d))) * 0x1p-50)
		if scaled := float64(d * unit); math.Abs(scaled) >= 0x1p-100 {
			dir[a] = float32(scaled)
			e += float64(float64(math.Abs(d)*way) * (0x1p-24 * (1 + 0x1p-20)))
		} else {
			e += float64(math.Abs(d) * way)
		}
		reach := float64((m.half(a) + e) * (1 + 0x1p-50))
		at := m.Center[a] + float64(s.From*d)
		lo, hi := at-reach, at+reach
		if !(lo >= -math.MaxFloat32 && hi <= math.MaxFloat32 && lo <= hi) {
			// An unknown or too distant coordinate extends over the whole part.
			lo, hi = max(float64(b.Min[a]), -math.MaxFloat32), min(float64(b.Max[a]), math.MaxFloat32)
		}
		least[a], most[a] = soa.Below(lo, 0), soa.Above(hi, 0)
	}
	q.SetSpan(&least, &most, &dir, soa.Above((s.To-s.From)/unit*(1+0x1p-50), 0))
	return unit
}

// shortened returns the power of two by which a time in a part is divided, so that float32 can hold it: the span of a
// ball that is far larger than the part may be longer.
func shortened(time float64) float64 {
	if x := 0x1p120 / time; x < 1 {
		return min(unitOf(max(x, 0x1p-100)), 0x1p100)
	}
	return 1
}

// unitOf returns the power of two that scales the largest component of a direction into [1/2, 1), or 1 if float64 has
// none.
func unitOf(longest float64) float64 {
	if e := math.Float64bits(longest) >> 52; e-1 < 2044 {
		return math.Float64frombits((2045 - e) << 52)
	}
	if _, exp := math.Frexp(longest); longest > 0 {
		if unit := math.Ldexp(1, -exp); unit > 0 && unit <= math.MaxFloat64 {
			return unit
		}
	}
	return 1
}
