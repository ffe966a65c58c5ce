package query

import "fmt"

// Viewport is an image of width times height pixels and the projection that is seen in
// it: what turns a pixel into a ray, [Viewport.PickRay], and a rectangle of pixels into a
// frustum, [Viewport.PickFrustum]. Make one with [Camera.Viewport] or, for any projection
// there is a matrix of, perspective, off centre or orthographic, with
// [ViewportColumnMajor], [ViewportRowMajor] and their forms for float64. The zero value
// has no pixels, and all its answers are errors.
//
//	0,0 ------------ x     Pixels are counted from the upper left corner of the image, x
//	 |                     to the right and y downward. Pixel i of row j is the square
//	 |     + i+.5, j+.5    from i, j to i+1, j+1, so its middle is at i+0.5, j+0.5; the
//	 y                     lower right corner of the image is at width, height.
//
// Coordinates are numbers, not whole ones only, and may lie outside the image: there they
// mean what would be seen if the image were larger with pixels of the same size. Upward in the
// image is y in clip space; where a matrix has that downward, as for Vulkan, give height - y
// for y. Pixels need not be square: the projection is spread over the image, whatever its
// own ratio of sides is.
//
// A Viewport is a value without pointers; any number of goroutines may use it. Its methods
// compute in float64, take about a microsecond and allocate nothing but errors.
type Viewport struct {
	planes        [6][4]float64 // of the projection: left, right, bottom, top, near, far
	depth         [4]float64    // of the projection: its last row
	origin        [3]float64    // of the planes that are not relative to it
	moved         bool          // by the origin, and rounded as that is
	width, height float64
}

// Viewport returns what the camera sees as an image. The errors are those of
// [Camera.Frustum], and of a width or height that is not above 0.
func (c Camera) Viewport(width, height int) (Viewport, error) {
	planes, depth, err := c.planes()
	if err != nil {
		return Viewport{}, err
	}
	return newViewport(&planes, &depth, width, height)
}

// ViewportColumnMajor returns what a matrix of [FrustumColumnMajor] shows as an image. The
// errors are those there, and of a width or height that is not above 0.
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

// ViewportColumnMajor64 is [ViewportColumnMajor] for a matrix of [FrustumColumnMajor64],
// of a world in float64: its rays and frusta are relative to the origin, as the tree is.
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

// A point at x pixels is where the shares of its distances from the left and the right
// plane are as those of x from the sides of the image: what is at x or to the right of it
// has
//
//	(1-s)*left - s*right >= 0    s = x/width
//
// and what is to the left of it the negative. At the sides these are the planes of the
// projection themselves.

// beyond returns the plane of what is at share s of the way from one side to the other, or
// beyond, up to the other side and further.
func beyond(from, to *[4]float64, s float64) (p [4]float64) { return less(from, 1-s, to, s) }

// until returns the plane of the rest.
func until(from, to *[4]float64, s float64) (p [4]float64) { return less(to, s, from, 1-s) }

// less returns a*p - b*q.
func less(p *[4]float64, a float64, q *[4]float64, b float64) (d [4]float64) {
	for i := range d {
		d[i] = float64(a*p[i]) - float64(b*q[i])
	}
	return d
}
