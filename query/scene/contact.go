package scene

import (
	"github.com/zoctree/zoctree/asm/trace"
	"math"

	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// contact is the location of a hit: a part, and the motion in its space.
type contact struct {
	view       linear.View // view of the objects
	exact      bool        // the motion is exactly that of the form: the flat query computes the hit
	form       *walk.Swept
	span       trace.Span
	motion     *motion
	outer      *motion // motion at ballLevel
	transforms []*xform.Transform
	ballLevel  int
}

// contact returns the location of a hit at a level.
func (c *cast) contact(depth int) *contact {
	l := &c.levels[depth]
	for i := range depth {
		c.trail[i] = c.levels[i+1].transform
	}
	c.at = contact{l.view.Objects(), l.exact, &l.form, l.span, &l.motion, &c.levels[l.ballLevel].motion, c.trail[:depth], l.ballLevel}
	return &c.at
}

// bestContact returns the location of the best hit: it follows its path again where other instances were entered last.
func (c *cast) bestContact() *contact {
	path, same := &c.best.hit.Path, true
	for i, id := range path.ids[:path.n] {
		if l := &c.levels[i+1]; !same || l.id != id {
			l.id, same = id, false
			outer := &c.levels[i]
			outer.isRay = outer.motion.isRay()
			c.clip(i, 0, id)
			c.into(outer, l, i, 0)
		}
	}
	return c.contact(int(path.n))
}

// locate returns the slot and the lane of the object of a hit.
func (c *contact) locate(f *found) (slot uint32, lane int) {
	if f.at == soa.NoLocation {
		slot, lane, _ = c.view.Locate(f.hit.ID) // it was hit: see cast.refine
		return slot, lane
	}
	return f.at.Slot(), f.at.Lane()
}

// complete writes the position and the normal of a hit at its time. It computes them in float64,
// in the space of the part, or at ballLevel if a ball is an ellipsoid there, and transforms
// both to the scene.
func (c *contact) complete(f *found, isExact bool) {
	if c.exact {
		c.completeExact(f, isExact)
		return
	}
	h, p := &f.hit, &c.view.Store().Packets
	slot, lane := c.locate(f)
	m, transforms, t := c.motion, c.transforms, float64(h.Dist)
	isExact = isExact && !m.plain
	s, isSphere := p.Sphere(slot, lane)
	o, turned := p.Oriented(slot, lane)
	if isExact && isSphere && turned { // the later hit counts
		first, _ := m.hitSphere(c.span, &s)
		then, _ := m.hitOriented(c.span, &o)
		isSphere = first >= then
	}
	box := p.Box(slot, lane)
	var at, normal [3]float64
	inner := 0.0
	if m.ball {
		inner = m.inner - slack(m, &box)
	}
	switch {
	case isExact && isSphere:
		at, normal = onSphere(m.at(t), s)
		if inner += float64(float64(s[3]) * (1 - 0x1p-40)); m.ball && !m.spherical {
			inner = 0 // an ellipsoid has no distance
		}
	case m.ball && !m.spherical:
		var b cell
		b.of(p, slot, lane, isExact)
		for i := len(transforms) - 1; i >= c.ballLevel; i-- {
			b.out(transforms[i])
		}
		box = b.box()
		transforms = transforms[:c.ballLevel]
		at, normal = onBox(c.outer.at(t), &box)
		inner = c.outer.inner - slack(c.outer, &box)
	case isExact && turned:
		at, normal = walk.OrientedContact(m.Center, m.Dir, !m.ball, t, &o)
	case m.ball:
		at, normal = onBox(m.at(t), &box)
	default:
		at, normal = m.face(t, &box)
	}
	switch {
	case h.Dist > 0:
	case m.box:
		normal = m.touch(&box)
	case !m.ball || !(inner > 0 && exact.Length(&normal) >= inner):
		normal = [3]float64{}
	}
	outwards(&at, &normal, transforms)
	for a := range 3 {
		h.Pos[a] = float32(at[a])
		h.Normal[a] = float32(normal[a])
	}
}

// completeExact writes them as the flat query does; only translations remain.
func (c *contact) completeExact(f *found, exact bool) {
	h := &f.hit
	var q walk.Sweep
	q.Lower(c.form)
	slot, lane := c.locate(f)
	hit := q.HitAt(&c.view.Store().Packets, slot, lane, h.Dist, exact)
	h.Pos, h.Normal = hit.Pos, hit.Normal
	var at [3]float64
	for a, x := range hit.Pos {
		at[a] = float64(x)
	}
	for i := len(c.transforms) - 1; i >= 0; i-- {
		at = c.transforms[i].Point(at)
	}
	for a, x := range at {
		h.Pos[a] = float32(x)
	}
}

// onSphere returns the point of a ball that is nearest to p, and the direction from there.
func onSphere(p [3]float64, s [4]float32) (at, normal [3]float64) {
	at = p
	for a := range 3 {
		normal[a] = p[a] - float64(s[a])
	}
	if l, r := exact.Length(&normal), float64(s[3]); l > r {
		for a := range 3 {
			at[a] = float64(s[a]) + float64(normal[a]*(r/l))
		}
	}
	return at, normal
}

// onBox returns the point of a box that is nearest to p, and the direction from there.
func onBox(p [3]float64, b *soa.AABB) (at, normal [3]float64) {
	for a := range 3 {
		at[a] = min(max(p[a], float64(b.Min[a])), float64(b.Max[a]))
		normal[a] = p[a] - at[a]
	}
	return at, normal
}

// face returns the contact of a moving box, or a point, with a box at a time: the middle of their
// intersection on the entry face, and its normal. The entry face is on the axis that overlaps
// last, the first of equal ones.
func (m *motion) face(t float64, b *soa.AABB) (at, normal [3]float64) {
	latest, axis, up := math.Inf(-1), -1, 0.0
	for a := range 3 {
		lo, hi, half := float64(b.Min[a]), float64(b.Max[a]), 0.0
		if m.box {
			half = m.half(a)
		}
		c := m.Center[a] + float64(t*m.Dir[a])
		from, to := min(max(c-half, lo), hi), min(max(c+half, lo), hi)
		at[a] = from/2 + to/2
		if d := m.Dir[a]; d != 0 {
			enter := (lo - half - m.Center[a]) / d
			if d < 0 {
				enter = (hi + half - m.Center[a]) / d
			}
			if enter > latest {
				latest, axis, up = enter, a, math.Copysign(1, -d)
			}
		}
	}
	if axis >= 0 {
		normal[axis] = up
		if at[axis] = float64(b.Min[axis]); up > 0 {
			at[axis] = float64(b.Max[axis])
		}
		if latest < 0 { // it overlaps from the beginning
			c := m.Center[axis] + float64(t*m.Dir[axis])
			at[axis] = min(max(c, float64(b.Min[axis])), float64(b.Max[axis]))
		}
	}
	return at, normal
}

// outwards transforms a point and the normal of a plane from the space of a part to the scene,
// and normalizes the normal. The normal stays perpendicular to the images of two directions in
// the plane, on the side of its own image.
func outwards(at, normal *[3]float64, transforms []*xform.Transform) {
	flat := *normal == [3]float64{}
	var u, v [3]float64
	if !flat {
		least := 0
		for a := range 3 {
			if math.Abs(normal[a]) < math.Abs(normal[least]) {
				least = a
			}
		}
		var e [3]float64
		e[least] = 1
		rescale(normal)
		u = cross(*normal, e)
		v = cross(*normal, u)
	}
	for i := len(transforms) - 1; i >= 0; i-- {
		p := transforms[i]
		*at = p.Point(*at)
		if flat || p.AtMost(xform.Translation) {
			continue
		}
		m, _, _, _ := p.Numbers()
		turnRescaled(normal, m)
		turnRescaled(&u, m)
		turnRescaled(&v, m)
	}
	if flat {
		return
	}
	n := cross(u, v)
	rescale(&n)
	l := exact.Length(&n)
	if l == 0 {
		*normal = n
		return
	}
	if float64(n[0]*normal[0])+float64(n[1]*normal[1])+float64(n[2]*normal[2]) < 0 {
		l = -l
	}
	for a := range 3 {
		normal[a] = n[a]/l + 0
	}
}

// turnRescaled replaces a direction by its image under a matrix, with the length of [rescale].
func turnRescaled(v *[3]float64, m *[3][3]float64) {
	x := float64(m[0][0]*v[0]) + float64(m[0][1]*v[1]) + float64(m[0][2]*v[2])
	y := float64(m[1][0]*v[0]) + float64(m[1][1]*v[1]) + float64(m[1][2]*v[2])
	z := float64(m[2][0]*v[0]) + float64(m[2][1]*v[1]) + float64(m[2][2]*v[2])
	unit := unitOf(longer(longer(math.Abs(x), math.Abs(y)), math.Abs(z)))
	v[0], v[1], v[2] = float64(x*unit), float64(y*unit), float64(z*unit)
}

// turn replaces a direction by its image.
func turn(v *[3]float64, rows *[12]float64) {
	was := *v
	for i := range 3 {
		v[i] = float64(rows[4*i]*was[0]) + float64(rows[4*i+1]*was[1]) + float64(rows[4*i+2]*was[2])
	}
}

// even scales a vector so that its largest component has magnitude 1.
func even(v *[3]float64) {
	if m := max(math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2])); m > 0 && m <= math.MaxFloat64 {
		for a := range 3 {
			v[a] /= m
		}
	}
}

// rescale multiplies a vector by the power of two that brings its largest component into [1/2, 1).
func rescale(v *[3]float64) {
	unit := unitOf(longer(longer(math.Abs(v[0]), math.Abs(v[1])), math.Abs(v[2])))
	v[0], v[1], v[2] = float64(v[0]*unit), float64(v[1]*unit), float64(v[2]*unit)
}

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}
