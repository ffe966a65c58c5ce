package collide

import (
	"math"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// solid is the shape of an object, a ball or a box, in float64.
type solid struct {
	lo, hi [3]float64
	center [3]float64
	radius float64
	ball   bool
}

// find takes the shape of an object and reports whether there is one.
func (s *solid) find(places *linear.Places, p *soa.PacketColumns, id uint32) bool {
	slot, lane, ok := places.PlaceOf(id)
	if ok {
		s.set(p, slot, lane)
	}
	return ok
}

// set takes the shape of the object in a lane.
func (s *solid) set(p *soa.PacketColumns, slot uint32, lane int) {
	o, ball := p.Sphere(slot, lane)
	if s.ball = ball; ball {
		s.center, s.radius = [3]float64{float64(o[0]), float64(o[1]), float64(o[2])}, float64(o[3])
		return
	}
	b := p.Box(slot, lane)
	for a := range 3 {
		s.lo[a], s.hi[a] = float64(b.Min[a]), float64(b.Max[a])
	}
}

// meet fills in how two shapes touch.
func (c *Contact) meet(s, t *solid) {
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
	default:
		c.boxes(s, t)
	}
}

// boxes: of the six ways along the axes to move t out of s the shortest.
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

// balls along the line of their centres.
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

// ballBox takes a ball s and a box t.
func (c *Contact) ballBox(s, t *solid) {
	var way [3]float64 // from the centre to the nearest point of the box
	for a, x := range s.center {
		way[a] = min(max(x, t.lo[a]), t.hi[a]) - x
	}
	if dist := math.Sqrt(exact.Dot(way, way)); dist > 0 {
		for a := range way {
			way[a] /= dist
		}
		c.between(s, way, dist, s.radius-dist)
		return
	}
	// The box moves so that the ball leaves through the nearest face.
	dist, axis, sign := math.Inf(1), 0, 1.0
	for a, x := range s.center {
		if d := x - t.lo[a]; d < dist {
			dist, axis, sign = d, a, 1
		}
		if d := t.hi[a] - x; d < dist {
			dist, axis, sign = d, a, -1
		}
	}
	way = [3]float64{}
	way[axis] = sign
	c.between(s, way, -dist, s.radius+dist)
}

// between sets the contact of a ball with a shape whose surface is at the
// distance near from the ball's centre, along a unit vector.
func (c *Contact) between(s *solid, way [3]float64, near, depth float64) {
	middle := (s.radius + near) / 2
	for a, n := range way {
		c.Normal[a] = float32(n)
		c.Pos[a] = narrow(s.center[a] + float64(n*middle))
	}
	c.Depth = narrow(depth)
}

// narrow rounds to float32, and what is too large to the largest.
func narrow(x float64) float32 {
	return float32(min(max(x, -math.MaxFloat32), math.MaxFloat32))
}
