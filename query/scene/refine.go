package scene

import (
	"math"

	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// refine returns the local time at which a ball or a ray, which reaches an object at the time
// enter, hits the object or all its bounds. The test is that of [query.SweptSphere], from the
// beginning of the span on, in float64. A ball that is an ellipsoid here must also hit the box
// around the image of the object, in the space where it is a ball.
func (c *cast) refine(depth int, id uint32, enter float32) (at float32, ok bool) {
	l := &c.levels[depth]
	m, v := &l.motion, l.view.Objects()
	// An object that was hit is in a packet, so it has a location. This holds in files, too:
	// [linear.CheckSafe] compares the location of each object of a packet with its packet and
	// lane.
	slot, lane, _ := v.Locate(id)
	p := &v.Store().Packets
	t, bound := 0.0, false
	if c.filter.Exact {
		if s, ok := p.Sphere(slot, lane); ok {
			if t, ok = m.hitSphere(l.span, &s); !ok {
				return enter, false
			}
			bound = true
		}
		if o, turned := p.Oriented(slot, lane); turned {
			then, ok := m.hitOriented(l.span, &o)
			if !ok {
				return enter, false
			}
			t, bound = max(t, then), true
		}
	}
	if !bound {
		if !m.ball {
			return enter, true
		}
		box := p.Box(slot, lane)
		if t, ok = m.hitBox(l.span, m.radius, &box); !ok {
			return enter, false
		}
	}
	if m.ball && !m.spherical {
		var b cell
		b.of(p, slot, lane, c.filter.Exact)
		for i := depth; i > l.ballLevel; i-- {
			b.out(c.levels[i].transform)
		}
		outer := b.box()
		f := &c.levels[l.ballLevel].motion
		late, ok := f.hitBox(l.span, f.radius, &outer)
		if !ok {
			return enter, false
		}
		t = max(t, late)
	}
	return max(enter, float32(min(t/l.scale, math.MaxFloat32))), true // not later, where float32 cannot hold it
}

// hitBox returns the time, from the beginning of a span on, at which a ball about the centre
// hits a box. meetSphere does so for the ball, or the point, and a sphere, meetOriented for an
// oriented box.
func (m *motion) hitBox(s trace.Span, radius float64, box *soa.AABB) (t float64, ok bool) {
	return walk.BallTime(m.at(s.From), m.Dir, radius+m.slip(s), s.To-s.From, box)
}

func (m *motion) hitSphere(s trace.Span, o *[4]float32) (t float64, ok bool) {
	c := [3]float32{o[0], o[1], o[2]}
	return m.hitBox(s, m.radius+float64(o[3]), &soa.AABB{Min: c, Max: c})
}

func (m *motion) hitOriented(s trace.Span, o *soa.OrientedBox) (t float64, ok bool) {
	return walk.BallTimeOriented(m.at(s.From), m.Dir, m.radius+m.slip(s), s.To-s.From, o)
}

// slip bounds the error of the centre over a span.
func (m *motion) slip(s trace.Span) (sum float64) {
	for a := range 3 {
		sum += m.Off[a] + float64(s.To*m.DirOff[a]) + float64((math.Abs(m.Center[a])+float64(s.To*math.Abs(m.Dir[a])))*0x1p-50)
	}
	return sum
}
