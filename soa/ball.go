package soa

import (
	"math"
	"unsafe"
)

// Ball is an object that is a ball: a tree stores it as the object of
// [Ball.Object], with its sphere.
type Ball struct {
	Sphere [4]float32 // x, y, z, radius
	Mask   uint32
	Static bool
}

var _ [0]struct{} = [unsafe.Sizeof(Ball{}) - 24]struct{}{}

// Object returns the object with the box and the labels of the ball.
func (b Ball) Object() Object { return Object{b.Box(), b.Mask, b.Static} }

// Box returns the smallest box that holds the ball: its bounds are the centre less
// and plus the radius, rounded outward, so that it holds all points of the ball in
// exact arithmetic. Bounds beyond float32 are infinite or NaN, which [AABB.Check],
// and so every tree, refuses; what a negative radius gives is unspecified.
func (b Ball) Box() (box AABB) {
	enclose(&box, &b.Sphere)
	return box
}

// BallBoxes sets boxes[i] to the box of the ball with sphere i: [Ball.Box]. Package
// asm has it for the CPU at hand. It panics when boxes is shorter than spheres.
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

// outward returns the largest float32 that is at most c - r and the smallest one that
// is at least c + r; zeros are +0. The difference is d + e exactly (D. Knuth, TwoSum),
// and d is not 0 unless e is: the largest is d, or one step below it, which is a step
// of its bits; so for the sum. No branch depends on numbers, for nobody could predict
// it.
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
