package walk

import (
	"math"

	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// With Filter.Exact a ray or a moving sphere is tested against the bounding sphere of an object
// that has one. A ball that moves towards a ball is equivalent to a ball with the sum of the radii
// that moves towards a point: the test is as for [SweptSphere] with a box of no extent. The
// Sphere is in the box of its object, so the hits of the boxes are the candidates.

// setBall prepares the test against spheres: center is the start of the shape, end the last time
// in the kernels' unit.
func (s *Sweep) setBall(center *[3]float32, radius float32, end float64) {
	s.center[0], s.center[1], s.center[2] = center[0], center[1], center[2]
	s.radius, s.end, s.balls = radius, end, true
}

// ball returns the moving sphere.
func (s *Sweep) ball() (b movingBall) {
	b.radius, b.end = float64(s.radius), s.end
	for a := range 3 {
		b.center[a] = float64(s.center[a])
		b.dir[a] = float64(s.dir[a]) * s.cast.Back
	}
	b.measure()
	return b
}

// towards returns the ball and the point that stand for the shape and the sphere o of an object.
//
// With R the sum of the radii, from c to o on an axis on which the motion is d, they are apart
// once
//
//	t > (|o - c| + R) / |d|
//
// and the ball is stopped there on axes with |d| >= 1; the longest axis is one. So it covers on
// any axis at most |o - c| + R of the longest one, and the errors of the test are in proportion to
// the coordinates and radii of the two spheres. They depend neither on the length of the motion,
// nor on the box of the object or the one around the shape, all of which may be far larger.
//
// In float64 the quotient is short by a relative 3*2^-53 at most, its last place by 2^-51 * (|o -
// c| + R): [ball.reach] adds more, so there are no false negatives.
func (b movingBall) towards(o [4]float32) (movingBall, soa.AABB) {
	b.radius += float64(o[3])
	for a := range 3 {
		if d := math.Abs(b.dir[a]); d >= 1 {
			b.end = min(b.end, (math.Abs(float64(o[a])-b.center[a])+b.radius)/d)
		}
	}
	b.measure()
	c := [3]float32{o[0], o[1], o[2]}
	return b, soa.AABB{Min: c, Max: c}
}

// hitSphere computes the hit of an object with a sphere: Pos is the point of the sphere, a closed
// ball, nearest to the centre of the shape at the contact, Normal the direction from there to the
// centre.
func (s *Sweep) hitSphere(m HitKey, o [4]float32) Hit {
	h := Hit{ID: m.ID(), Dist: m.Dist()}
	whole := s.ball()
	b, point := whole.towards(o)
	t, _ := b.firstTime(&point, b.end) // the same time as in the first test
	var at, out [3]float64
	for a := range 3 {
		at[a] = b.center[a] + float64(t*b.dir[a])
		out[a] = at[a] - float64(o[a])
	}
	length := math.Sqrt(exact.Dot(out, out))
	touches := s.spherical && b.touches(&point, length)
	if r := float64(o[3]); length > r {
		for a := range 3 {
			at[a] = float64(o[a]) + float64(out[a]*(r/length))
		}
	}
	for a := range 3 {
		h.Pos[a] = float32(at[a])
		if length > 0 && (h.Dist > 0 || touches) {
			h.Normal[a] = float32(out[a] / length)
		}
	}
	return h
}
