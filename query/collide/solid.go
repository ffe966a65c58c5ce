package collide

import (
	"math"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// solid is the shape of an object in float64: a sphere, an oriented box, both, or else a box.
type solid struct {
	lo, hi [3]float64 // of a box
	center [3]float64 // of a ball
	radius float64
	ball   bool
	tilted bool

	shape exact.Solid // of an oriented box, or of a box tested against one
	frame exact.Frame
}

// find reads the shape of an object and reports whether the object exists.
func (s *solid) find(places *linear.Locator, p *soa.PacketColumns, id uint32) bool {
	slot, lane, ok := places.Locate(id)
	if ok {
		s.set(p, slot, lane)
	}
	return ok
}

// set reads the shape of the object in a lane.
func (s *solid) set(p *soa.PacketColumns, slot uint32, lane int) {
	o, ball := p.Sphere(slot, lane)
	if s.ball = ball; ball {
		s.center, s.radius = [3]float64{float64(o[0]), float64(o[1]), float64(o[2])}, float64(o[3])
	}
	q, tilted := p.Oriented(slot, lane)
	if s.tilted = tilted; tilted {
		s.shape.SetOriented(&q)
		s.frame.Set(&q)
	}
	if ball || tilted {
		return
	}
	b := p.Box(slot, lane)
	for a := range 3 {
		s.lo[a], s.hi[a] = float64(b.Min[a]), float64(b.Max[a])
	}
}

// boxed converts a box to an oriented box without rotation.
func (s *solid) boxed() {
	if s.tilted {
		return
	}
	b := soa.AABB{}
	for a := range 3 { // the values were float32
		b.Min[a], b.Max[a] = float32(s.lo[a]), float32(s.hi[a])
	}
	s.shape.SetBox(&b)
	s.frame = exact.Frame{Center: s.shape.Center, Axes: s.shape.Dirs, Half: s.shape.Half}
}

// compute fills in the contact of two objects: of all pairs of their bounds, the one of least depth,
// the first of equal ones.
func (c *Contact) compute(s, t *solid) {
	if s.tilted && s.ball || t.tilted && t.ball {
		c.both(s, t)
		return
	}
	c.one(s, t)
}

// both implements meet for objects with several bounds.
func (c *Contact) both(s, t *solid) {
	first := true
	d := *c
	for _, a := range [2]bool{true, false} { // as a ball?
		for _, b := range [2]bool{true, false} {
			if a && !s.ball || !a && s.ball && !s.tilted || b && !t.ball || !b && t.ball && !t.tilted {
				continue
			}
			x, y := *s, *t
			x.ball, y.ball, x.tilted, y.tilted = a, b, s.tilted && !a, t.tilted && !b
			if d.one(&x, &y); first || d.Depth < c.Depth {
				*c, first = d, false
			}
		}
	}
}

// one implements meet for objects with one bound each, or none.
func (c *Contact) one(s, t *solid) {
	switch {
	case s.ball && t.ball:
		c.balls(s, t)
	case s.ball:
		c.ballBox(s, t)
	case t.ball:
		c.ballBox(t, s)
		for a, n := range c.Normal {
			c.Normal[a] = 0 - n // not -n, which would be -0 for 0
		}
	case s.tilted || t.tilted:
		s.boxed()
		t.boxed()
		c.turned(s, t)
	default:
		c.boxes(s, t)
	}
}

// boxes sets the contact of two boxes: the shortest of the six motions along the axes that
// separate them.
func (c *Contact) boxes(s, t *solid) {
	depth, axis, sign := math.Inf(1), 0, 1.0
	for a := range 3 {
		if d := s.hi[a] - t.lo[a]; d < depth {
			depth, axis, sign = d, a, 1
		}
		if d := t.hi[a] - s.lo[a]; d < depth {
			depth, axis, sign = d, a, -1
		}
		c.Pos[a] = narrow((max(s.lo[a], t.lo[a]) + min(s.hi[a], t.hi[a])) / 2)
	}
	c.Normal = [3]float32{}
	c.Normal[axis] = float32(sign)
	c.Depth = narrow(depth)
}

// balls sets the contact of two spheres, along the line of their centres.
func (c *Contact) balls(s, t *solid) {
	var way [3]float64
	for a := range way {
		way[a] = t.center[a] - s.center[a]
	}
	dist := math.Sqrt(exact.Dot(way, way))
	if dist > 0 {
		for a := range way {
			way[a] /= dist
		}
	} else {
		way[0] = 1
	}
	c.between(s, way, dist-t.radius, s.radius+t.radius-dist)
}

// ballBox sets the contact of a sphere s and a box t.
func (c *Contact) ballBox(s, t *solid) {
	if t.tilted {
		c.ballTurned(s, t)
		return
	}
	way, near, depth := toBox(s.center, t.lo, t.hi, s.radius)
	c.between(s, way, near, depth)
}

// toBox returns the arguments of [Contact.between] for a sphere and a box.
func toBox(center, lo, hi [3]float64, radius float64) (way [3]float64, near, depth float64) {
	for a, x := range center { // from the centre to the nearest point of the box
		way[a] = min(max(x, lo[a]), hi[a]) - x
	}
	if dist := math.Sqrt(exact.Dot(way, way)); dist > 0 {
		for a := range way {
			way[a] /= dist
		}
		return way, dist, radius - dist
	}
	// The shortest motion lets the sphere leave through the nearest face.
	dist, axis, sign := math.Inf(1), 0, 1.0
	for a, x := range center {
		if d := x - lo[a]; d < dist {
			dist, axis, sign = d, a, 1
		}
		if d := hi[a] - x; d < dist {
			dist, axis, sign = d, a, -1
		}
	}
	way = [3]float64{}
	way[axis] = sign
	return way, -dist, radius + dist
}

// between sets the contact of a sphere with a shape whose surface is at the distance near from
// the centre of the sphere, along a unit vector.
func (c *Contact) between(s *solid, way [3]float64, near, depth float64) {
	middle := (s.radius + near) / 2
	for a, n := range way {
		c.Normal[a] = float32(n)
		c.Pos[a] = narrow(s.center[a] + float64(n*middle))
	}
	c.Depth = narrow(depth)
}

// narrow rounds to float32 and clamps to its finite range.
func narrow(x float64) float32 {
	return float32(min(max(x, -math.MaxFloat32), math.MaxFloat32))
}
