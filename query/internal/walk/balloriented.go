package walk

import (
	"math"

	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// With Filter.Exact a ray or a moving sphere is tested against the oriented box of an object that
// has one. In its frame the ball moves towards an axis-aligned box, at the same times: the test is
// as for [SweptSphere].

// tilted is a moving ball in the frame of an oriented box, in units of a power of two.
type tilted struct {
	movingBall
	frame exact.Frame
	box   soa.AABB // box in the frame, about 0
	back  float64  // factor from lengths of the frame to lengths of the world
}

// tilt returns the ball and the box that stand for the shape and an oriented box. As towards a
// sphere, the ball is stopped on each axis where it has passed the box, so the errors of the test
// are in proportion to the oriented box and the distance to it. Rotating vectors and rounding half
// axes to float32 adds less than 2^-46 of the largest number in it; the test allows 3*2^-45.
func (b movingBall) tilt(o *soa.OrientedBox) (q tilted) {
	f := &q.frame
	f.Set(o)
	reach := f.Half[0] + f.Half[1] + f.Half[2] + b.radius
	var way [3]float64
	for a, d := range b.dir {
		way[a] = b.center[a] - f.Center[a]
		if d = math.Abs(d); d >= 1 {
			b.end = min(b.end, (math.Abs(way[a])+reach)/d)
		}
	}
	q.back = 1
	if m := max(f.Half[0], f.Half[1], f.Half[2]); m > 0 {
		_, e := math.Frexp(m)
		q.back = math.Ldexp(1, e)
	}
	b.center, b.dir = f.Local(way), f.Local(b.dir)
	for a := range 3 {
		b.center[a] /= q.back
		b.dir[a] /= q.back
		half := soa.Above(float64(f.Half[a]/q.back*(1-0x1p-47)), 0) // keeps 3.0…1 at 3: Frame enlarges by a little
		q.box.Min[a], q.box.Max[a] = -half, half
	}
	b.radius /= q.back
	b.measure()
	q.movingBall = b
	return q
}

// entry returns the axis of the frame on which a ray enters the box last, the first of those that
// differ by rounding only, and the side, 0 if it starts inside on all axes.
func (q *tilted) entry() (axis int, side float64) {
	last := 0.0
	for a := range 3 {
		half := float64(q.box.Max[a])
		way, d := math.Abs(q.center[a])-half, -math.Copysign(1, q.center[a])*q.dir[a]
		if way <= 0 || d <= 0 {
			continue
		}
		if t := way / d; side == 0 || t > last*(1+0x1p-40) {
			axis, side, last = a, math.Copysign(1, q.center[a]), t
		}
	}
	return axis, side
}

// touch returns the point of the box that is nearest to the centre at time t, and the direction
// from there, with its length. For a ray, the direction is the normal of the face entered.
func (q *tilted) touch(t float64, ray bool) (at, out [3]float64, length float64) {
	for a := range 3 {
		c := q.center[a] + float64(t*q.dir[a])
		at[a] = min(max(c, float64(q.box.Min[a])), float64(q.box.Max[a]))
		out[a] = c - at[a]
		at[a] *= q.back
	}
	length = math.Sqrt(exact.Dot(out, out))
	if ray {
		axis, side := q.entry()
		out, length = [3]float64{}, math.Abs(side)
		out[axis] = side
	}
	at = q.frame.World(at)
	for a := range 3 {
		at[a] += q.frame.Center[a]
	}
	return at, q.frame.World(out), length
}

// hitOriented computes the hit of an object with an oriented box: Pos is its point nearest to the
// centre of the shape at the contact. Normal is the normal of the face entered for a ray, and the
// direction from Pos to the centre for a ball.
func (s *Sweep) hitOriented(m HitKey, o *soa.OrientedBox) Hit {
	h := Hit{ID: m.ID(), Dist: m.Dist()}
	whole := s.ball()
	q := whole.tilt(o)
	t, _ := q.firstTime(&q.box, q.end) // the same time as in the first test
	at, out, length := q.touch(t, s.radius == 0)
	touches := s.spherical && q.touches(&q.box, length)
	for a := range 3 {
		h.Pos[a] = float32(at[a])
		if length > 0 && (h.Dist > 0 || touches) {
			h.Normal[a] = float32(out[a] / length)
		}
	}
	return h
}

// hitBound computes the hit of an object with a bound, if it has one: with the bound that is hit
// last, or the sphere for equal times.
func (s *Sweep) hitBound(h *Hit, m HitKey, p *soa.PacketColumns) bool {
	sphere, isSphere := p.Sphere(m.location.Slot(), m.location.Lane())
	oriented, turned := p.Oriented(m.location.Slot(), m.location.Lane())
	if isSphere && turned {
		whole := s.ball()
		b, point := whole.towards(sphere)
		q := whole.tilt(&oriented)
		at, _ := b.firstTime(&point, b.end)
		then, _ := q.firstTime(&q.box, q.end)
		isSphere = at >= then
	}
	switch {
	case isSphere:
		*h = s.hitSphere(m, sphere)
	case turned:
		*h = s.hitOriented(m, &oriented)
	}
	return isSphere || turned
}
