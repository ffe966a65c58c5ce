package query

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// The constructors for float64 take numbers of a world and the world's origin, the point that is
// zero in the tree, and make the query relative to it. Volumes are rounded outward once, so that
// there are no false negatives; objects are rounded by [soa.AABB64.Box] with the same origin.

// NewBox64 is [NewBox] for float64: the smallest axis-aligned box of float32 that contains the exact one. Each
// side grows by less than one step of float32.
func NewBox64(min, max, origin [3]float64) (Box, error) {
	if err := finite("origin", &origin); err != nil {
		return Box{}, err
	}
	b := soa.AABB64{Min: min, Max: max}.Box(origin)
	if b.Check() != nil || !(min[0] <= max[0] && min[1] <= max[1] && min[2] <= max[2]) {
		return Box{}, fmt.Errorf("query: box %v to %v about %v is inverted or beyond float32", min, max, origin)
	}
	var q Box
	(*walk.Box)(&q).Set(&b.Min, &b.Max)
	return q, nil
}

// NewPoint64 is [NewPoint] for float64: the query reports every object that intersects the
// smallest axis-aligned box of float32 that contains the exact point, of less than one step of float32 an axis.
// The box is a point if the difference is a float32.
func NewPoint64(p, origin [3]float64) (Point, error) {
	b, err := NewBox64(p, p, origin)
	if err != nil {
		return Point{}, fmt.Errorf("query: point %v about %v is beyond float32", p, origin)
	}
	var q Point
	bounds := (*walk.Box)(&b).Bounds()
	(*walk.Point)(&q).Set(&bounds.Min, &bounds.Max)
	return q, nil
}

// NewSphere64 is [NewSphere], a sphere query, for float64. The centre is rounded to float32; the radius is raised
// by the displacement of the centre, at most half a step of float32 on each axis, and rounded up.
func NewSphere64(center [3]float64, radius float64, origin [3]float64) (Sphere, error) {
	var c [3]float32
	moved := 0.0
	for a := range 3 {
		c[a] = float32(center[a] - origin[a])
		lo, hi := soa.Below(center[a], origin[a]), soa.Above(center[a], origin[a])
		// The exact centre is at lo, at hi or between, and c is one of them.
		if lo != hi {
			d := math.Abs(center[a]-origin[a]-float64(c[a])) + 0x1p-52*math.Abs(center[a]-origin[a])
			moved += float64(d * d)
		}
	}
	r := radius
	if moved > 0 {
		r = float64((radius + math.Sqrt(moved)) * (1 + 0x1p-50))
	}
	s, err := NewSphere(c, soa.Above(r, 0))
	if err != nil || radius < 0 {
		return Sphere{}, fmt.Errorf("query: sphere about %v of radius %v with origin %v: want numbers within float32, and a radius of 0 or more", center, radius, origin)
	}
	return s, nil
}

// NewRay64 is [NewRay], a ray cast, for float64. A ray cannot be rounded outward: its origin is rounded to
// float32, by at most half a step on each axis, its direction by a relative 2^-24 a component (not
// below 2^-149), and its length up. A box that is further from the exact ray than these
// displacements is not hit, and a box that is hit more deeply than that is not missed.
func NewRay64(from, dir [3]float64, maxDist float64, origin [3]float64) (Ray, error) {
	var o, d [3]float32
	for a := range 3 {
		o[a], d[a] = float32(from[a]-origin[a]), float32(dir[a])
	}
	r, err := NewRay(o, d, soa.Above(maxDist, 0))
	if err != nil {
		return Ray{}, fault.Errorf("query: ray from %v along %v of length %v with origin %v: %w", from, dir, maxDist, origin, err)
	}
	return r, nil
}

// FrustumPlanes64 is [FrustumPlanes] for planes in float64. A plane moves with the origin,
// d + n*origin. Its d is raised by the rounding error of that, at most 2^-50 of the sum of the
// sizes of the four terms, and rounded up. Normals are rounded to float32, which the bound that
// [cull.MakePlanes] adds allows for, so there are no false negatives for the planes as given.
func FrustumPlanes64(planes [6][4]float64, origin [3]float64) (f Frustum, err error) {
	err = f.set64(&planes, &origin)
	return f, err
}

// set64 sets f to the frustum of the planes about an origin. It overwrites the planes.
func (f *Frustum) set64(planes *[6][4]float64, origin *[3]float64) error {
	if err := finite("origin", origin); err != nil {
		return err
	}
	for i := range planes {
		if err := finitePlane(i, &planes[i]); err != nil {
			return err
		}
		walk.Rebase(&planes[i], origin)
	}
	return f.set(planes)
}

// FrustumColumnMajor64 is [FrustumColumnMajor] for a matrix in float64 that maps points of the
// world. Its planes are made and moved as by [FrustumPlanes64].
func FrustumColumnMajor64(m [16]float64, clip Clip, origin [3]float64) (f Frustum, err error) {
	var rows [4][4]float64
	columnMajor(&rows, &m)
	err = f.setRows64(&rows, clip, &origin)
	return f, err
}

// FrustumRowMajor64 is [FrustumColumnMajor64] for a matrix whose element (row r, column c) is
// m[4*r+c]. Points are columns here, too.
func FrustumRowMajor64(m [16]float64, clip Clip, origin [3]float64) (f Frustum, err error) {
	var rows [4][4]float64
	rowMajor(&rows, &m)
	err = f.setRows64(&rows, clip, &origin)
	return f, err
}

func (f *Frustum) setRows64(m *[4][4]float64, clip Clip, origin *[3]float64) error {
	var planes [6][4]float64
	if err := planesOfRows(&planes, m, clip); err != nil {
		return err
	}
	if err := f.set64(&planes, origin); err != nil {
		return err
	}
	f.q().SetDepth(&m[3], origin)
	return nil
}

// ConvexPlanes64 is [ConvexPlanes] for planes in float64, which are moved as by [FrustumPlanes64].
func ConvexPlanes64(planes [][4]float64, origin [3]float64) (Convex, error) {
	if err := finite("origin", &origin); err != nil {
		return Convex{}, err
	}
	if len(planes) > MaxPlanes {
		return Convex{}, fmt.Errorf("query: a convex volume of %d planes, at most %d are possible", len(planes), MaxPlanes)
	}
	scaled := make([][4]float32, len(planes))
	for i := range planes {
		if err := finitePlane(i, &planes[i]); err != nil {
			return Convex{}, err
		}
		p := planes[i]
		walk.Rebase(&p, &origin)
		cull.ScalePlaneTo(&scaled[i], &p)
	}
	return Convex(walk.MakeConvex(scaled)), nil
}
