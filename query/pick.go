package query

import (
	"errors"
	"fmt"
	"math"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// PickRay returns the picking ray of a point x, y of the image, such as a mouse position. Use it
// with [Ray.First], which returns the object whose box is in front at that point.
//
// The ray starts on the near plane and ends on the far one, so it hits only objects in the view.
// Without a far plane it is unlimited. Its direction has length 1, so that the Dist of a hit is
// the distance from the near plane along the ray. The middle of pixel i, j is at i+0.5, j+0.5; a
// mouse at whole coordinates is at its upper left corner. Points outside of the image belong to
// a larger image.
//
// The ray is computed in float64 and then rounded: its start by at most half a step of float32 on
// each axis, its direction by a relative 2^-24 a component, its length up. Far from the origin of
// a tree, a pixel at the near plane may be smaller than a step of float32. Near its start the ray
// then belongs to another pixel; use a matrix in float64 and an origin nearby,
// [ViewportColumnMajor64], instead.
//
// It is an error, which has the numbers, if x or y is not finite, or if the projection has no ray
// there. It has none if it is singular, if the near plane is not in front of the camera, or if the
// far plane is before the near plane, as when the two are swapped.
func (v Viewport) PickRay(x, y float64) (Ray, error) {
	from, dir, dist, err := v.PickLine(x, y)
	if err != nil {
		return Ray{}, err
	}
	return NewRay(from, dir, dist)
}

// PickLine returns the numbers from which [Viewport.PickRay] makes its ray with [NewRay]: for a
// pick with a radius ([NewSweptSphere]), or to test the shapes in the boxes that are hit. dist may
// be infinite. The errors are the same.
func (v Viewport) PickLine(x, y float64) (from, dir [3]float32, dist float32, err error) {
	start, along, length, fault := v.line(x, y)
	for a := range 3 {
		from[a], dir[a] = float32(start[a]), float32(along[a])
	}
	if fault == "" && !allFinite(&from) {
		fault = "it starts beyond float32"
	}
	if fault != "" {
		return [3]float32{}, [3]float32{}, 0, fmt.Errorf("query: no ray at %v, %v of %v x %v pixels: %s", x, y, v.width, v.height, fault)
	}
	return from, dir, soa.Above(length, 0), nil
}

// pickSlack is the relative error, with a margin, that is allowed for the numbers of a projection.
const pickSlack = 0x1p-40

// line returns the ray of a pixel: its start, its direction and its length to the far plane, from
// the start as rounded to float32. fault describes the error, or is empty.
func (v *Viewport) line(x, y float64) (start, along [3]float64, length float64, fault string) {
	if v.width == 0 {
		return start, along, 0, "the Viewport is zero"
	}
	p := v.planes
	for i := range p {
		p[i][3] = height(&p[i], &v.origin)
	}
	a, b := beyond(&p[0], &p[1], x/v.width), beyond(&p[3], &p[2], y/v.height)
	eye := less(&p[0], 1, &p[1], -1) // the sum: its inside is in front of the eye
	near, far := &p[4], &p[5]
	for _, plane := range [...]*[4]float64{&a, &b, &eye, near, far} {
		if finitePlane(0, plane) != nil {
			return start, along, 0, "a number is not finite"
		}
		walk.ScaleNormal(plane)
	}
	// The line of the pixel is on the planes a and b. It is directed into the near plane.
	na, nb, nn := normal(&a), normal(&b), normal(near)
	along = exact.Cross(na, nb)
	if !(exact.Dot(along, along) > pickSlack*pickSlack*exact.Dot(na, na)*exact.Dot(nb, nb)) {
		return start, along, 0, "the projection is singular"
	}
	along, _ = exact.Direction(along)
	det := exact.Dot(nn, along)
	if det < 0 {
		along, det = neg(along), -det
	}
	if !(det > pickSlack*math.Sqrt(exact.Dot(nn, nn))) {
		return start, along, 0, "it does not cross the near plane"
	}
	start = meeting(&a, &b, near)
	var f, d [3]float64 // as rounded
	for i := range 3 {
		f[i], d[i] = float64(float32(start[i])), float64(float32(along[i]))
	}
	length = math.Inf(1)
	if toward := exact.Dot(normal(far), d); toward < 0 {
		length = max(height(far, &f), 0) / -toward * (1 + pickSlack)
	}
	// Depth is 0 at the eye and does not fall along the ray, except by rounding. Where it is positive
	// the far plane is not before the near one.
	depth, rise := height(&eye, &start), exact.Dot(normal(&eye), along)
	if !(depth >= -slackOf(&eye, &start)) {
		return start, along, 0, "the near plane is not in front of the camera"
	}
	if rise < 0 && -rise*length > depth/2 {
		return start, along, 0, "it points from the near plane to the camera"
	}
	return start, along, length, ""
}

func normal(p *[4]float64) [3]float64 { return [3]float64(p[:3]) }

// height returns the distance of a point inside a plane, in lengths of its normal.
func height(p *[4]float64, c *[3]float64) float64 { return exact.Dot(normal(p), *c) + p[3] }

// slackOf bounds the error of height.
func slackOf(p *[4]float64, c *[3]float64) float64 {
	size := math.Abs(p[3])
	for a := range 3 {
		size += math.Abs(p[a] * c[a])
	}
	return pickSlack * size
}

// meeting returns the intersection of three planes, which must have one, by Cramer's rule.
func meeting(p, q, r *[4]float64) (c [3]float64) {
	qr, rp, pq := exact.Cross(normal(q), normal(r)), exact.Cross(normal(r), normal(p)), exact.Cross(normal(p), normal(q))
	det := exact.Dot(normal(p), qr)
	for a := range 3 {
		c[a] = -(float64(p[3]*qr[a]) + float64(q[3]*rp[a]) + float64(r[3]*pq[a])) / det
	}
	return c
}

// PickFrustum returns the frustum of a rectangle of the image, for rubber-band selection. The
// corners may be given in any order. A side shorter than a pixel is extended to one pixel about
// its middle, so that a click, an empty rectangle, selects the objects at its pixel.
//
// Outside of the image the frustum belongs to a larger image: to select only visible objects,
// clamp the corners to the image first. The frustum of the whole image, 0, 0 to width, height, is
// the frustum of the projection, bit for bit.
//
// Near and far planes, and depths, are as in the projection. As for every frustum, there are no
// false negatives, and some objects near its edges are returned that do not intersect it. They are
// a larger share for a narrow frustum; [Frustum.Precise] removes them. The frustum contains every
// object that the [Viewport.PickRay] of a point in the rectangle hits, up to the rounding stated
// there.
//
// A coordinate that is not finite is an error, and so is one so large that planes are not finite.
func (v Viewport) PickFrustum(x0, y0, x1, y1 float64) (f Frustum, err error) {
	if v.width == 0 {
		return Frustum{}, errors.New("query: no frustum of pixels: the Viewport is zero")
	}
	left, right := stretch(x0, x1)
	top, bottom := stretch(y0, y1)
	p, q := v.planes, &v.planes
	p[0] = beyond(&q[0], &q[1], left/v.width)
	p[1] = until(&q[0], &q[1], right/v.width)
	p[2] = until(&q[3], &q[2], bottom/v.height)
	p[3] = beyond(&q[3], &q[2], top/v.height)
	if v.moved {
		err = f.set64(&p, &v.origin)
	} else {
		err = f.set(&p)
	}
	if err != nil {
		return Frustum{}, fault.Errorf("query: no frustum of %v, %v to %v, %v of %v x %v pixels: %w", x0, y0, x1, y1, v.width, v.height, err)
	}
	f.q().SetDepth(&v.depth, &v.origin)
	return f, nil
}

// stretch orders two coordinates, and makes them at least a pixel of an image apart.
func stretch(a, b float64) (lo, hi float64) {
	lo, hi = min(a, b), max(a, b)
	if hi-lo < 1 {
		middle := lo/2 + hi/2
		lo, hi = middle-0.5, middle+0.5
	}
	return lo, hi
}
