package query

import "fmt"

// Viewport is an image of width times height pixels with its projection, for picking. It turns a
// pixel into a ray, [Viewport.PickRay], and a rectangle of pixels into a frustum,
// [Viewport.PickFrustum]. Make one with [Camera.Viewport] or, from any projection matrix,
// perspective, off centre or orthographic, with [ViewportColumnMajor], [ViewportRowMajor] and
// their float64 forms. The zero value has no pixels, and its methods return errors.
//
//	0,0 ------------ x     Pixels are counted from the upper left corner of the image, x
//	 |                     to the right and y downward. Pixel i of row j is the square
//	 |     + i+.5, j+.5    from i, j to i+1, j+1, so its middle is at i+0.5, j+0.5; the
//	 y                     lower right corner of the image is at width, height.
//
// Coordinates may be fractional and may lie outside of the image: there they refer to a larger
// image with pixels of the same size. Upward in the image is y in clip space; where a matrix has
// that downward, as for Vulkan, pass height - y for y. Pixels need not be square: the projection
// is stretched over the image, for any aspect ratio.
//
// A Viewport is a value without pointers; any number of goroutines may use it. Its methods compute
// in float64, take about a microsecond and allocate nothing but errors.
type Viewport struct {
	planes        [6][4]float64 // planes of the projection: left, right, bottom, top, near, far
	depth         [4]float64    // last row of the projection
	origin        [3]float64    // origin to which the planes are not yet relative
	moved         bool          // whether the planes are to be moved by origin, and rounded by that
	width, height float64
}

// Viewport returns the camera's image of width times height pixels. The errors are as for
// [Camera.Frustum]; a width or height that is not above 0 is an error, too.
func (c Camera) Viewport(width, height int) (Viewport, error) {
	planes, depth, err := c.planes()
	if err != nil {
		return Viewport{}, err
	}
	return newViewport(&planes, &depth, width, height)
}

// ViewportColumnMajor returns the viewport of a projection matrix in the form of
// [FrustumColumnMajor]. The errors are the same; a width or height that is not above 0 is an
// error, too.
func ViewportColumnMajor(m [16]float32, clip Clip, width, height int) (Viewport, error) {
	var rows [4][4]float64
	columnMajor(&rows, &m)
	return viewportOf(&rows, clip, width, height)
}

// ViewportRowMajor is [ViewportColumnMajor] for a matrix of [FrustumRowMajor].
func ViewportRowMajor(m [16]float32, clip Clip, width, height int) (Viewport, error) {
	var rows [4][4]float64
	rowMajor(&rows, &m)
	return viewportOf(&rows, clip, width, height)
}

// ViewportColumnMajor64 is [ViewportColumnMajor] for a matrix of [FrustumColumnMajor64], of a
// world in float64. Its rays and frusta are relative to the origin, as the tree is.
func ViewportColumnMajor64(m [16]float64, clip Clip, origin [3]float64, width, height int) (Viewport, error) {
	var rows [4][4]float64
	columnMajor(&rows, &m)
	return viewportAbout(&rows, clip, &origin, width, height)
}

// ViewportRowMajor64 is [ViewportColumnMajor64] for a matrix of [FrustumRowMajor64].
func ViewportRowMajor64(m [16]float64, clip Clip, origin [3]float64, width, height int) (Viewport, error) {
	var rows [4][4]float64
	rowMajor(&rows, &m)
	return viewportAbout(&rows, clip, &origin, width, height)
}

func viewportAbout(rows *[4][4]float64, clip Clip, origin *[3]float64, width, height int) (Viewport, error) {
	if err := finite("origin", origin); err != nil {
		return Viewport{}, err
	}
	v, err := viewportOf(rows, clip, width, height)
	if err == nil {
		v.origin, v.moved = *origin, true
	}
	return v, err
}

func viewportOf(rows *[4][4]float64, clip Clip, width, height int) (Viewport, error) {
	var planes [6][4]float64
	if err := planesOfRows(&planes, rows, clip); err != nil {
		return Viewport{}, err
	}
	return newViewport(&planes, &rows[3], width, height)
}

func newViewport(planes *[6][4]float64, depth *[4]float64, width, height int) (Viewport, error) {
	for i := range planes {
		if err := finitePlane(i, &planes[i]); err != nil {
			return Viewport{}, err
		}
	}
	if width <= 0 || height <= 0 {
		return Viewport{}, fmt.Errorf("query: a viewport of %d x %d pixels, want 1 or more each", width, height)
	}
	return Viewport{planes: *planes, depth: *depth, width: float64(width), height: float64(height)}, nil
}

// The vertical line at x pixels divides the image by the share s of its width. A point is at x or
// to the right if its distances from the left and the right plane satisfy
//
//	(1-s)*left - s*right >= 0    s = x/width
//
// and it is to the left if the negative holds. At the sides of the image these are the planes of
// the projection themselves.

// beyond returns the plane of the points at share s of the way from one side to the other, or
// further.
func beyond(from, to *[4]float64, s float64) (p [4]float64) { return less(from, 1-s, to, s) }

// until returns the plane of the points at share s or before.
func until(from, to *[4]float64, s float64) (p [4]float64) { return less(to, s, from, 1-s) }

// less returns a*p - b*q.
func less(p *[4]float64, a float64, q *[4]float64, b float64) (d [4]float64) {
	for i := range d {
		d[i] = float64(a*p[i]) - float64(b*q[i])
	}
	return d
}
