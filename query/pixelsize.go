package query

import (
	"errors"
	"math"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/exact"
)

// PixelSize returns the size of a box in the camera's image of the given height, in pixels: the length in the
// middle of the image of an edge as long as the longest one of the box, at the depth of the box's nearest corner
// and at right angles to the direction of view. That is the size of [Frustum.MinSize] and of [Levels], the edge
// divided by the depth, times height/(2*tan(FovY/2)). For a box that the near plane cuts, or that is before it, the
// size is +Inf, as it is if the longest edge is beyond float32. A box need not be in the image.
//
// The errors are those of [Camera.Frustum], a height that is not above 0, and a box that is not finite or is inverted.
// It takes some microseconds and does not allocate. [Viewport.PixelSize] is the same for any projection.
func (c Camera) PixelSize(box linear.AABB, height int) (pixels float64, err error) {
	v, err := c.Viewport(1, height)
	if err != nil {
		return 0, err
	}
	return v.PixelSize(box)
}

// PixelSize returns the size of a box in the image, in pixels of its height: see [Camera.PixelSize]. In a parallel
// projection it is the longest edge of the box in pixels, at any depth.
//
// # Rounding
//
// Edge and depth are the float32 numbers of [Frustum.MinSize]; the rest is computed in float64. So boxes are in the
// order of their sizes, and a box with a size of exactly s has s*h/(2*tan(a/2)) pixels within a relative 2^-23.
//
// It is an error if the viewport is zero, if the box is not finite or is inverted, and if depths are beyond float32.
func (v Viewport) PixelSize(box linear.AABB) (pixels float64, err error) {
	if err := box.Check(); err != nil {
		return 0, fault.Errorf("query: the size of a %w", err)
	}
	f, err := v.PickFrustum(0, 0, v.width, v.height)
	if err != nil {
		return 0, err
	}
	if !f.q().HasSizes() {
		return 0, errors.New("query: no size in pixels: the depths of the projection are beyond float32")
	}
	edge, depth := f.q().Measure(&box)
	if depth == 0 || edge > math.MaxFloat32 { // at no depth is such an edge small
		return math.Inf(1), nil
	}
	// The planes bottom and top are w + y and w - y, where y/w is 1 at the upper end of the image and -1 at the lower.
	bottom, top := &v.planes[2], &v.planes[3]
	var y, w [3]float64
	for a := range 3 {
		y[a], w[a] = bottom[a]/2-top[a]/2, bottom[a]/2+top[a]/2
	}
	// Products of numbers that are multiplied by powers of two neither overflow nor underflow.
	scale, unit := toUnit(&y), toUnit(&w)
	length := math.Sqrt(exact.Dot(w, w))
	if !f.q().HasDepth() {
		length, unit = math.Frexp(bottom[3]/2 + top[3]/2) // w is the same everywhere
	} else if along := exact.Dot(y, w) / (length * length); along != 0 { // off centre
		for a := range 3 {
			y[a] -= float64(along * w[a])
		}
	}
	return math.Ldexp(float64(edge)/float64(depth)*(math.Sqrt(exact.Dot(y, y))/length)*(v.height/2), scale-unit), nil
}

// toUnit divides a vector by the power of two that brings its largest component into [1/2, 1), and returns the
// exponent.
func toUnit(v *[3]float64) (exponent int) {
	_, exponent = math.Frexp(max(math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2])))
	for a := range v {
		v[a] = math.Ldexp(v[a], -exponent)
	}
	return exponent
}
