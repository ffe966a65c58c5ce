package cull

import (
	"unsafe"

	"github.com/zoctree/zoctree/asm/internal/lane"
)

// Sphere is a closed ball, prepared for the kernels. A box intersects it if
//
//	d = (c - min(max(c, box.min), box.max)) * Scale     on each axis
//	(dx*dx + dy*dy) + dz*dz <= Limit
//
// in float32: the squared distance of the centre c from the box. A box is inside if the same holds
// for its furthest corner, d = max(c - box.min, box.max - c) * Scale. On each axis the nearest
// distance of a box is at most the furthest distance of a box around it, and rounding keeps that
// order. So every box below a contained node passes the test itself.
type Sphere struct {
	Center [3]float32
	Scale  float32 // a power of two
	Limit  float32 // finite: the distance of an empty lane is infinite
}

// Kernels read three words.
var _ [0]struct{} = [unsafe.Sizeof(Sphere{}.Center) - 3*4]struct{}{}

// MakeSphere prepares the ball with that centre and radius, both finite, the radius not negative.
// The test is conservative: every box that intersects the ball in exact arithmetic passes.
//
// # Rounding bound
//
// With u = 2^-24,
//
//	Scale = 2^k with 2^60 <= R < 2^61, R = radius*Scale; at most 2^127
//	Limit = R*R*(1 + 6u) + 2^-148*Scale*Scale, rounded up to float32
//
// A difference of float32 has a relative error of u and is exact if it would be denormal; if it is
// at most the radius, so is its rounding. A square adds a relative error of u, two sums u each. So
// the sum is at most R*R*(1+u)^5. The loss of scaling down, or of a square of R times 2^-123 and
// less, is far below another u. A distance that overflows is beyond the ball.
//
// In the same way, a box that passes is no further away than radius*(1 + 2^-21) + 2^-73. The second
// term of the limit makes a ball contain every box whose distance by the d2 of [trace.NearWalk], which is
// not scaled, is at most its radius.
//
// The scale keeps squares in the range of normal numbers, however small the scene: denormal numbers
// are slow on most CPUs. If no number is denormal it changes no bit.
func MakeSphere(center [3]float32, radius float32) (s Sphere) {
	s.Set(&center, radius)
	return s
}

// Set sets s to the sphere that [MakeSphere] returns.
func (s *Sphere) Set(center *[3]float32, radius float32) {
	k := sphereMost
	if radius > 0 {
		k = min(60-lane.Exponent(float64(radius)), sphereMost)
	}
	scale := lane.Power(k)
	r := float64(radius) * scale
	s.Center[0], s.Center[1], s.Center[2] = center[0], center[1], center[2]
	s.Scale = float32(scale)
	s.Limit = lane.RoundUp(float64(r*r*(1+6*0x1p-24)) + lane.Power(2*k-148))
}

// sphereMost is the maximum exponent of a scale.
const sphereMost = 127
