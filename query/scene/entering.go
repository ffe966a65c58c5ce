package scene

import (
	"github.com/zoctree/zoctree/asm/trace"
	"math"

	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// entersObject reports whether a motion that is not exact in float32 enters an object that it hits, by more than the
// rounding of the transforms: as query.SweptBox.Entering and SweptSphere.Entering define it, with a tolerance.
func (c *cast) entersObject(depth int, id uint32) bool {
	l := &c.levels[depth]
	m, v := &l.motion, l.view.Objects()
	slot, lane, _ := v.Locate(id) // it was hit: see refine
	p := &v.Store().Packets
	box := p.Box(slot, lane)
	switch {
	case m.box:
		return !m.separated(&box)
	case m.ball && !m.spherical:
		var b cell
		b.of(p, slot, lane, c.filter.Exact)
		for i := depth; i > l.ballLevel; i-- {
			b.out(c.levels[i].transform)
		}
		outer := b.box()
		return c.levels[l.ballLevel].motion.entersBox(l.span, 0, &outer)
	}
	if c.filter.Exact && !m.plain {
		s, isSphere := p.Sphere(slot, lane)
		o, turned := p.Oriented(slot, lane)
		if isSphere {
			if at := [3]float32(s[:3]); !m.entersBox(l.span, float64(s[3]), &soa.AABB{Min: at, Max: at}) {
				return false
			}
		}
		if turned && !walk.BallEntersOriented(m.at(l.span.From), m.Dir, m.inner, m.slip(l.span), l.span.To-l.span.From, &o) {
			return false
		}
		if isSphere || turned {
			return true
		}
	}
	return m.entersBox(l.span, 0, &box)
}

// entersBox reports whether a ball enters a box that is larger by more on each side, with round corners.
func (m *motion) entersBox(s trace.Span, more float64, box *soa.AABB) bool {
	return walk.BallEnters(m.at(s.From), m.Dir, m.inner+more, m.slip(s), s.To-s.From, box)
}

// slack returns the tolerance of distances at the start between a motion and a box.
func slack(m *motion, box *soa.AABB) float64 {
	most, off := m.radius, 0.0
	for a := range 3 {
		most = max(most, math.Abs(m.Center[a]), math.Abs(float64(box.Min[a])), math.Abs(float64(box.Max[a])))
		off += m.Off[a]
	}
	return off + float64(most*0x1p-40)
}

// side returns 1 if a moving box is above another one at the start on an axis, up to rounding, -1 if it is below, and 0
// if they overlap.
func (m *motion) side(box *soa.AABB, a int) float64 {
	c, half, lo, hi := m.Center[a], m.half(a), float64(box.Min[a]), float64(box.Max[a])
	e := m.Off[a] + float64((math.Abs(c)+half+max(math.Abs(lo), math.Abs(hi)))*0x1p-48)
	switch {
	case hi <= c-half+e:
		return 1
	case lo >= c+half-e:
		return -1
	}
	return 0
}

// separated reports whether a moving box never shares inner points with another one: on an axis they only touch at
// the start, up to rounding, and the motion does not bring them closer.
func (m *motion) separated(box *soa.AABB) bool {
	for a, d := range m.Dir {
		if side := m.side(box, a); side != 0 && float64(side*d) >= -m.DirOff[a] {
			return true
		}
	}
	return false
}

// touch returns the normal of the face that a moving box touches at the start, as query.SweptBox defines it, or zero.
func (m *motion) touch(box *soa.AABB) (normal [3]float64) {
	axis, first := -1, 0.0
	for a, d := range m.Dir {
		side := m.side(box, a)
		if side == 0 {
			continue
		}
		if float64(side*d) >= -m.DirOff[a] {
			normal[a] = side
			return normal
		}
		if axis < 0 {
			axis, first = a, side
		}
	}
	if axis >= 0 {
		normal[axis] = first
	}
	return normal
}
