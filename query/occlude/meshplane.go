package occlude

import "math"

// narrow is the maximum ratio of the squared length to the area of a triangle with a plane. A narrower
// triangle has the depth of its farthest corner everywhere, since rounding may have turned its plane.
const narrow = 1 << 22

// planeOf returns a lower bound of the depth of a triangle in a pixel: px*x + (py*y + p0), in float32, for x
// and y from the first column and row of its rectangle on. It is the minimum within offSteps of the pixel;
// -Inf for a narrow triangle.
//
// # Error bound
//
// Let d be the differences of depth and reach the size of the triangle. The float64 error of the gradient is
// less than 2^-50*d*reach/area, and that of the plane at most 2^-48*d*reach^2/area over the rectangle: 2^-26
// of d. d is less than size, because the plane attains the depths of all corners over the rectangle. float32
// rounds the three numbers, both products and both sums, each by u of size. The sum is less than 8u.
func planeOf(a, b, c *meshPoint, r *pixelRect) (px, py, p0 float32) {
	s := float64(area(a, b, c))
	z := float64(unordered(a.z))
	z1, z2 := float64(unordered(b.z))-z, float64(unordered(c.z))-z
	x1, y1 := float64(b.x-a.x), float64(b.y-a.y)
	x2, y2 := float64(c.x-a.x), float64(c.y-a.y)
	reach := max(math.Abs(x1), math.Abs(x2), math.Abs(y1), math.Abs(y2)) + 3*steps
	if float64(reach*reach) > narrow*math.Abs(s) {
		return 0, 0, -inf
	}
	gx := (float64(z1*y2) - float64(z2*y1)) / s
	gy := (float64(z2*x1) - float64(z1*x2)) / s
	left, top := float64(r.x0*steps-offSteps), float64(r.y0*steps-offSteps)
	if gx < 0 {
		left += steps + 2*offSteps
	}
	if gy < 0 {
		top += steps + 2*offSteps
	}
	left, top = left-float64(a.x), top-float64(a.y)
	at := z + (float64(gx*left) + float64(gy*top))
	gx, gy = gx*steps, gy*steps
	size := math.Abs(at) + float64(math.Abs(gx)*float64(r.x1-r.x0+1)) + float64(math.Abs(gy)*float64(r.y1-r.y0+1)) + math.Abs(z)
	err := float64(8 * u * size)
	if !(size+err < 0x1p100) {
		return 0, 0, -inf
	}
	return float32(gx), float32(gy), float32(at - err)
}

var inf = float32(math.Inf(1))
