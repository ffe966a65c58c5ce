package scene

import "math"

// Camera is a perspective camera. Right, Up and Forward are orthonormal and Right x Up = -Forward;
// TanX and TanY are the tangents of half the horizontal and vertical angle of view.
type Camera struct {
	Eye, Right, Up, Forward [3]float64
	TanX, TanY              float64
	Near, Far               float64
}

// NewCamera returns a camera at eye in the direction forward, with z up in the image: 60 degrees
// vertical, 16:9. Forward need not be a unit vector; far may be infinite.
func NewCamera(eye, forward [3]float64, near, far float64) Camera {
	f := unit(forward)
	up := [3]float64{0, 0, 1}
	if math.Abs(f[2]) > 0.999 {
		up = [3]float64{0, 1, 0}
	}
	right := unit(cross(f, up))
	tanY := 1 / math.Sqrt(3)
	return Camera{
		Eye: eye, Right: right, Up: cross(right, f), Forward: f,
		TanX: tanY * 16 / 9, TanY: tanY,
		Near: near, Far: far,
	}
}

// Planes returns the six planes nx, ny, nz, d of the camera's frustum: left,
// right, bottom, top, near, far. A point inside has nx*x + ny*y + nz*z + d >= 0
// for all of them. Normals are unit vectors up to rounding; an infinite far
// plane is 0, 0, 0, 1, which holds everywhere.
func (c *Camera) Planes() [6][4]float32 {
	side := func(axis [3]float64, sign, tan float64) [4]float32 {
		n := unit(along(scale(axis, sign), c.Forward, tan))
		return planeOf(n, -dot(n, c.Eye))
	}
	depth := dot(c.Forward, c.Eye)
	far := [4]float32{0, 0, 0, 1}
	if !math.IsInf(c.Far, 1) {
		far = planeOf(scale(c.Forward, -1), depth+c.Far)
	}
	return [6][4]float32{
		side(c.Right, 1, c.TanX), side(c.Right, -1, c.TanX),
		side(c.Up, 1, c.TanY), side(c.Up, -1, c.TanY),
		planeOf(c.Forward, -depth-c.Near), far,
	}
}

func planeOf(n [3]float64, d float64) [4]float32 {
	return [4]float32{float32(n[0]), float32(n[1]), float32(n[2]), float32(d)}
}

// Clip is a convention for the depth range of clip space: the values at the near and at the far
// plane.
type Clip int

// Clip conventions. The infinite ones ignore the camera's far plane.
const (
	ClipMinusOneToOne    Clip = iota // -1 near, 1 far
	ClipZeroToOne                    // 0 near, 1 far
	ClipReversed                     // 1 near, 0 far
	ClipInfinite                     // 0 near, 1 at infinity
	ClipReversedInfinite             // 1 near, 0 at infinity
)

// ViewProjection returns the view-projection matrix of the camera, column-major, for column
// vectors. The clip coordinates of p are M * (p, 1), and w is the depth of p in front of the eye.
// It is computed independently of Planes.
func (c *Camera) ViewProjection(clip Clip) [16]float64 {
	// z = a*depth + b, so that z/w has the two values of the convention.
	n, f := c.Near, c.Far
	var a, b float64
	switch clip {
	case ClipMinusOneToOne:
		a, b = (f+n)/(f-n), -2*f*n/(f-n)
	case ClipZeroToOne:
		a, b = f/(f-n), -f*n/(f-n)
	case ClipReversed:
		a, b = -n/(f-n), f*n/(f-n)
	case ClipInfinite:
		a, b = 1, -n
	case ClipReversedInfinite:
		a, b = 0, n
	}
	rows := [4]struct {
		axis        [3]float64
		factor, add float64
	}{
		{c.Right, 1 / c.TanX, 0},
		{c.Up, 1 / c.TanY, 0},
		{c.Forward, a, b},
		{c.Forward, 1, 0},
	}
	var m [16]float64
	for i, row := range rows {
		for j := range 3 {
			m[4*j+i] = row.axis[j] * row.factor
		}
		m[12+i] = row.add - float64(dot(row.axis, c.Eye)*row.factor)
	}
	return m
}

// ViewProjection32 is [Camera.ViewProjection] rounded to float32.
func (c *Camera) ViewProjection32(clip Clip) (m [16]float32) {
	for i, v := range c.ViewProjection(clip) {
		m[i] = float32(v)
	}
	return m
}
