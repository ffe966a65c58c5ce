package query

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/query/internal/exact"
)

// Clip is the depth range of a projection matrix.
type Clip uint8

// The depth ranges. Combine ClipInfiniteFar with one of the others for a projection whose far
// plane is at infinity: the frustum then has no far plane.
const (
	ClipMinusOneToOne Clip = iota // near -1, far 1: OpenGL
	ClipZeroToOne                 // near 0, far 1: Direct3D, Vulkan, Metal, WebGPU
	ClipReversedZ                 // near 1, far 0

	ClipInfiniteFar Clip = 0x80
)

// FrustumColumnMajor returns the view frustum of a projection matrix, or of projection times view,
// which gives a frustum in world space. Element (row r, column c) is m[4*c+r], and points are
// columns: clip = M * p.
//
// NaN or infinity is an error, and so is a singular or degenerate matrix: zeros, rows x and y
// along one line, all rows in one plane, or a plane without normal, as a matrix of another depth
// range has. The error names the row and its numbers. Only the far plane may have no normal and
// contain everything: where it is at infinity, or so far that it was rounded away.
//
// The planes are rows added and subtracted (G. Gribb, K. Hartmann, Fast Extraction of Viewing
// Frustum Planes from the World-View-Projection Matrix, 2001), in float64.
func FrustumColumnMajor(m [16]float32, clip Clip) (f Frustum, err error) {
	var rows [4][4]float64
	columnMajor(&rows, &m)
	err = f.setRows(&rows, clip)
	return f, err
}

// FrustumRowMajor is [FrustumColumnMajor] for a matrix whose element (row r, column c) is
// m[4*r+c]. Points are columns here, too.
func FrustumRowMajor(m [16]float32, clip Clip) (f Frustum, err error) {
	var rows [4][4]float64
	rowMajor(&rows, &m)
	err = f.setRows(&rows, clip)
	return f, err
}

// columnMajor writes the rows of a matrix whose element (row r, column c) is m[4*c+r].
func columnMajor[F float32 | float64](rows *[4][4]float64, m *[16]F) {
	for i, x := range m {
		rows[i%4][i/4] = float64(x)
	}
}

// rowMajor writes the rows of a matrix whose element (row r, column c) is m[4*r+c].
func rowMajor[F float32 | float64](rows *[4][4]float64, m *[16]F) {
	for i, x := range m {
		rows[i/4][i%4] = float64(x)
	}
}

func (f *Frustum) setRows(m *[4][4]float64, clip Clip) error {
	var planes [6][4]float64
	if err := planesOfRows(&planes, m, clip); err != nil {
		return err
	}
	if err := f.set(&planes); err != nil {
		return err
	}
	f.q().SetDepth(&m[3], &[3]float64{})
	return nil
}

// planesOfRows writes the six planes of a matrix. It returns an error if the matrix fails
// checkRows or checkNormals.
func planesOfRows(planes *[6][4]float64, m *[4][4]float64, clip Clip) error {
	if err := checkRows(m); err != nil {
		return err
	}
	// A point is inside when -w <= x <= w, and likewise for y and z; w is the last row.
	bothSides(&planes[0], &planes[1], &m[3], &m[0])
	bothSides(&planes[2], &planes[3], &m[3], &m[1])
	switch clip &^ ClipInfiniteFar {
	case ClipMinusOneToOne:
		bothSides(&planes[4], &planes[5], &m[3], &m[2])
	case ClipZeroToOne:
		bothSides(&planes[4], &planes[5], &m[3], &m[2])
		planes[4] = m[2]
	case ClipReversedZ:
		bothSides(&planes[5], &planes[4], &m[3], &m[2])
		planes[5] = m[2]
	default:
		return fmt.Errorf("query: clip range %#x is unknown", uint8(clip))
	}
	if clip&ClipInfiniteFar != 0 {
		planes[5] = [4]float64{0, 0, 0, 1}
	}
	return checkNormals(planes, m)
}

// bothSides writes the planes of -w <= x and of x <= w.
func bothSides(low, high, w, x *[4]float64) {
	for i := range x {
		low[i], high[i] = w[i]+x[i], w[i]-x[i]
	}
}

// Camera is a perspective camera in the tree's coordinates or, by [Camera.About], in a float64
// world; the zero value is rejected. [Camera32] has float32 fields.
type Camera struct {
	Eye     [3]float64
	Forward [3]float64 // viewing direction, of any length
	Up      [3]float64 // need not be perpendicular to Forward
	FovY    float64    // vertical field of view in radians, below pi
	Aspect  float64    // width / height
	Near    float64    // distance of the near plane, 0 or more
	Far     float64    // distance of the far plane, Near or more; may be [Unlimited]
}

// Frustum returns the view frustum of the camera. It is an error, which names the number, unless
// all numbers but Far are finite, the directions span a plane, 0 < FovY < pi, 0 < Aspect and
// 0 <= Near <= Far.
func (c Camera) Frustum() (v Frustum, err error) {
	planes, depth, err := c.planes()
	if err != nil {
		return Frustum{}, err
	}
	if err = v.set(&planes); err == nil {
		v.q().SetDepth(&depth, &[3]float64{})
	}
	return v, err
}

// check returns an error that names the first number out of range.
func (c *Camera) check() error {
	// NaN fails each comparison.
	switch {
	case !allFinite(&c.Eye):
		return infinite("camera eye", c.Eye)
	case !(c.FovY > 0 && c.FovY < math.Pi):
		return fmt.Errorf("query: camera with field of view %v, want more than 0 and less than pi", c.FovY)
	case !(c.Aspect > 0 && c.Aspect <= math.MaxFloat64):
		return fmt.Errorf("query: camera with aspect %v, want a finite one above 0", c.Aspect)
	case !(c.Near >= 0 && c.Near <= math.MaxFloat64):
		return fmt.Errorf("query: camera with near %v, want a finite one of at least 0", c.Near)
	case !(c.Far >= c.Near):
		return fmt.Errorf("query: camera with far %v, want at least near, %v", c.Far, c.Near)
	}
	return nil
}

// planes returns the six planes of the camera, and its row of depths.
func (c *Camera) planes() (planes [6][4]float64, depth [4]float64, err error) {
	if err := c.check(); err != nil {
		return planes, depth, err
	}
	f, okF := exact.Direction(c.Forward)
	if !okF {
		return planes, depth, fmt.Errorf("query: camera with forward %v, want a direction", c.Forward)
	}
	r, okR := exact.Direction(exact.Cross(f, c.Up))
	if !okR {
		return planes, depth, fmt.Errorf("query: camera with forward %v and up %v, which do not span a plane", c.Forward, c.Up)
	}
	u := exact.Cross(r, f)

	// A side plane contains the eye. Its inward normal leans from the forward direction by the half
	// angle: f*t + r and f*t - r, where t is the tangent of that angle.
	ty := math.Tan(c.FovY / 2)
	tx := float64(ty * c.Aspect)
	through := func(n, p [3]float64) [4]float64 { return [4]float64{n[0], n[1], n[2], -exact.Dot(n, p)} }
	at := func(d float64) [3]float64 { return along(c.Eye, f, d) }
	planes = [6][4]float64{
		through(along(r, f, tx), c.Eye),
		through(along(neg(r), f, tx), c.Eye),
		through(along(u, f, ty), c.Eye),
		through(along(neg(u), f, ty), c.Eye),
		through(f, at(c.Near)),
		{0, 0, 0, 1},
	}
	if c.Far < Unlimited {
		planes[5] = through(neg(f), at(c.Far))
	}
	return planes, through(f, c.Eye), nil
}

// Vectors in float64. Products are rounded before sums, so that no compiler fuses them and every
// machine gets the same planes.

// along returns p + d*t.
func along(p, d [3]float64, t float64) [3]float64 {
	return [3]float64{p[0] + float64(d[0]*t), p[1] + float64(d[1]*t), p[2] + float64(d[2]*t)}
}

func neg(a [3]float64) [3]float64 { return [3]float64{-a[0], -a[1], -a[2]} }
