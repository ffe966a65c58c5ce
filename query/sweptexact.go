package query

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// With Filter.Exact a ray or a moving sphere meets the bounding sphere of an
// object that has one. A ball that moves towards a ball is a ball, as large as
// both together, that moves towards a point: the test is that of [SweptSphere]
// with a box of no extent.

// setBall prepares the test against spheres: center is where the shape starts,
// end the last time in the kernels' unit.
func (s *sweep) setBall(center [3]float32, radius float32, end float64) {
	s.balls = true
	s.ball = ball{radius: float64(radius), end: end}
	for a := range 3 {
		s.ball.center[a] = float64(center[a])
		s.ball.dir[a] = float64(s.dir[a]) * s.back
	}
}

// towards returns the ball and the point that stand for the shape and the sphere
// o of an object in a box, which the box around the shape enters at time t. The
// ball goes no further than it takes to leave the box, so that the errors of the
// test do not grow with the length of a ray: in a unit of time it covers at
// least 1 on its longest axis.
func (s *sweep) towards(box *soa.AABB, o [4]float32, t float32) (b ball, point soa.AABB) {
	b = s.ball
	size := 0.0
	for a := range 3 {
		size = max(size, float64(box.Max[a])-float64(box.Min[a]))
	}
	leave := float64(t) + size + float64(2*b.radius)
	b.end = min(b.end, float64(leave*(1+0x1p-18))+0x1p-100)
	b.radius += float64(o[3])
	c := [3]float32{o[0], o[1], o[2]}
	return b, soa.AABB{Min: c, Max: c}
}

// hitSphere completes a mark of an object with a sphere: Pos is the point of the
// sphere, a closed ball, nearest to the centre of the shape at the contact,
// Normal the direction from there to the centre.
func (s *sweep) hitSphere(m mark, box *soa.AABB, o [4]float32) Hit {
	h := Hit{ID: m.id(), Dist: m.dist()}
	b, point := s.towards(box, o, m.time)
	t, _ := b.meet(&point)
	var at, out [3]float64
	for a := range 3 {
		at[a] = b.center[a] + float64(t*b.dir[a])
		out[a] = at[a] - float64(o[a])
	}
	length := math.Sqrt(dot64(out, out))
	if r := float64(o[3]); length > r {
		for a := range 3 {
			at[a] = float64(o[a]) + float64(out[a]*(r/length))
		}
	}
	for a := range 3 {
		h.Pos[a] = float32(at[a])
		if length > 0 && h.Dist > 0 {
			h.Normal[a] = float32(out[a] / length)
		}
	}
	return h
}
