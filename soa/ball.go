package soa

import (
	"math"
	"unsafe"
)

// Ball is a sphere object: a tree stores it as [Ball.Object], with its bounding sphere.
type Ball struct {
	Sphere [4]float32 // x, y, z, radius
	Mask   uint32
	Static bool
}

var _ [0]struct{} = [unsafe.Sizeof(Ball{}) - 24]struct{}{}

// Object returns the object with the bounding box, the mask and the static flag of the ball.
func (b Ball) Object() Object { return Object{b.Box(), b.Mask, b.Static} }

// Box returns the smallest axis-aligned bounding box of the ball. Its bounds are the centre minus
// and plus the radius, rounded outward, so that the box contains every point of the ball in exact
// arithmetic. Bounds beyond float32 are infinite or NaN; [AABB.Check], and so every tree, rejects
// them. The box of a negative radius is unspecified.
func (b Ball) Box() (box AABB) {
	enclose(&box, &b.Sphere)
	return box
}

// BallBoxes sets boxes[i] to the bounding box of the ball with sphere i, as [Ball.Box] does.
// Package asm has versions for each CPU tier. BallBoxes panics if boxes is shorter than spheres.
func BallBoxes(boxes []AABB, spheres [][4]float32) {
	boxes = boxes[:len(spheres)]
	for i := range spheres {
		enclose(&boxes[i], &spheres[i])
	}
}

func enclose(b *AABB, s *[4]float32) {
	r := s[3]
	b.Min[0], b.Max[0] = outward(s[0], r)
	b.Min[1], b.Max[1] = outward(s[1], r)
	b.Min[2], b.Max[2] = outward(s[2], r)
}

// outward returns the largest float32 that is at most c - r and the smallest one that is at least c
// + r; zeros are +0.
//
// The exact difference is d + e (D. Knuth, TwoSum), and d is 0 only if e is 0. So the lower bound
// is d, or one step of its bits below d if e is negative. The upper bound follows likewise from the
// sum. The code has no branch on the numbers, because such a branch would be unpredictable.
//
//	                   bits >> 31   step down   step up
//	d of sign +        0            -1          +1
//	d of sign -        -1           +1          -1
func outward(c, r float32) (below, above float32) {
	d, s := c-r, c+r
	v, w := d-c, s-c
	e := float32(c-float32(d-v)) - float32(r+v)
	f := float32(c-float32(s-w)) + float32(r-w)
	x, y := int32(math.Float32bits(d)), int32(math.Float32bits(s))
	x += int32(math.Float32bits(e+0)) >> 31 & (^(x >> 31) | 1) // if e < 0: e+0 is not -0
	y += int32(math.Float32bits(0-f)) >> 31 & (y>>31 | 1)      // if f > 0
	return math.Float32frombits(uint32(x)) + 0, math.Float32frombits(uint32(y)) + 0
}
