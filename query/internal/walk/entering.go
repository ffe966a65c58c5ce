package walk

import (
	"math"

	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// Touching and entering. A shape touches an object if they share points but no inner ones; it enters an object if they
// share inner points at some time.

// SetEntering sets whether objects that are only touched are left out.
func (s *Sweep) SetEntering(on bool) { s.entering = on }

// IsEntering reports whether objects that are only touched are left out.
func (s *Sweep) IsEntering() bool { return s.entering }

// enters reports whether the shape enters an object that it hits. If the object has both bounds, it must enter both.
func (c *Cast) enters(s *Sweep, p *soa.PacketColumns, slot uint32, lane int, exact bool) bool {
	if exact && s.balls && p.Bounded() {
		sphere, isSphere := p.Sphere(slot, lane)
		oriented, turned := p.Oriented(slot, lane)
		if isSphere {
			if b, point := c.ball.towards(sphere); !b.enters(&point, 0) {
				return false
			}
		}
		if turned {
			if q := c.ball.tilt(&oriented); !q.enters(&q.box, 0) {
				return false
			}
		}
		if isSphere || turned {
			return true
		}
	}
	box := p.Box(slot, lane)
	if s.spherical {
		return c.ball.enters(&box, 0)
	}
	for a, d := range s.dir {
		if d <= 0 && box.Min[a] >= s.hi[a] || d >= 0 && box.Max[a] <= s.lo[a] {
			return false
		}
	}
	return true
}

// touch sets the normal of a hit at the start, with the box in a lane, which the moving box touches: of the first
// axis on which they touch and the motion does not bring them closer, or if there is none, of the first on which
// they touch. So the normal is against the motion if and only if the box is entered.
func (s *Sweep) touch(h *Hit, b *soa.Packet, lane int) {
	axis, side := -1, float32(0)
	for a, d := range s.dir {
		above, below := b[2*a+1][lane] == s.lo[a], b[2*a][lane] == s.hi[a] // the moving box is on that side
		switch {
		case above && d >= 0:
			h.Normal[a] = 1
			return
		case below && d <= 0:
			h.Normal[a] = -1
			return
		case axis >= 0:
		case above:
			axis, side = a, 1
		case below:
			axis, side = a, -1
		}
	}
	if axis >= 0 {
		h.Normal[axis] = side
	}
}

// inner returns the distance from the box below which the ball has entered it: the radius, less the tolerance by which
// reach is larger, and less slack.
func (b *movingBall) inner(box *soa.AABB, slack float64) float64 {
	_, most := b.reach(box)
	return float64(b.radius*(1-0x1p-40)) - float64(most*0x3p-45) - slack
}

// touches reports whether a ball whose centre is at a distance from the box touches it, if it reaches it.
func (b *movingBall) touches(box *soa.AABB, distance float64) bool {
	inner := b.inner(box, 0)
	return inner > 0 && distance >= inner
}

// enters reports whether the centre comes nearer to the box than inner. A ball without radius, up to the tolerance,
// is a point: it must come deeper into the box than the tolerance.
func (b *movingBall) enters(box *soa.AABB, slack float64) bool {
	inner := b.inner(box, slack)
	if inner > 0 {
		return b.lowest(box) < float64(inner*inner)
	}
	in, out, depth := 0.0, b.end, b.radius-inner
	for a, d := range b.dir {
		from, to := float64(box.Min[a])+depth-b.center[a], float64(box.Max[a])-depth-b.center[a]
		if d == 0 {
			if from >= 0 || to <= 0 {
				return false
			}
			continue
		}
		if d < 0 {
			from, to = to, from
		}
		in, out = max(in, from/d), min(out, to/d)
	}
	return in < out
}

// lowest returns the least squared distance of the centre from the box.
func (b *movingBall) lowest(box *soa.AABB) float64 {
	var stops [8]float64
	least := math.Inf(1)
	for i, from := range stops[:b.stops(&stops, box)] {
		to := stops[i+1]
		middle := from + (to-from)/2
		gap, slope := b.gaps(box, from, middle)
		if q1, q2 := exact.Dot(gap, slope), exact.Dot(slope, slope); q1 < 0 {
			gap, _ = b.gaps(box, from+min(-q1/q2, to-from), middle)
		}
		least = min(least, exact.Dot(gap, gap))
	}
	return least
}

// BallEnters reports whether a ball that moves from center along dir until end enters a box by more than the
// tolerance of [BallTime] and slack.
func BallEnters(center, dir [3]float64, radius, slack, end float64, box *soa.AABB) bool {
	b := movingBall{center: center, dir: dir, radius: radius, end: end}
	b.measure()
	return b.enters(box, slack)
}

// BallEntersOriented is [BallEnters] for the frame that contains an oriented box.
func BallEntersOriented(center, dir [3]float64, radius, slack, end float64, o *soa.OrientedBox) bool {
	q, _ := tilt(center, dir, radius, end, o)
	return q.enters(&q.box, slack/q.back)
}
