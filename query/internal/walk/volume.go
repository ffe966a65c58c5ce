package walk

import (
	"math"
	"unsafe"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/soa"
)

// Kind is the kind of a [Volume].
type Kind uint8

const (
	KindFrustum  Kind = iota // six planes: a frustum
	KindPlanes               // N planes
	KindBox                  // Min, Max; Center, Half as set by SetMiddle
	KindBall                 // Center, Radius
	KindCell                 // N planes within the box Min, Max, which may be unbounded: a transformed box
	KindOriented             // a cell, tested along all axes that can separate it from a box
	KindFunc                 // Test, within the cell of Center, Dirs and Half and the box Min, Max
)

// Volume is a volume query in float64: the fields of its kind and, for kinds with planes, the planes nx, ny,
// nz, d, whose inside is nx*x + ny*y + nz*z + d >= 0. The other fields are unspecified.
type Volume struct {
	Kind    Kind
	Precise bool // for six planes
	N       int

	Planes [cull.MaxPlanes][4]float64

	// After a move into a part, Spans are bounds of |nx*x| + |ny*y| + |nz*z| over its objects and instances, whose
	// coordinates are up to Most, and IsMoved is set. So they are for parts in it under the identity.
	Spans   [cull.MaxPlanes]float64
	Most    [3]float64
	IsMoved bool

	// Raised bounds how far the planes of a cell are raised above the exact faces, over the objects and instances of
	// the part: a box is surely inside the cell only if it is inside the planes lowered by that.
	Raised [6]float64

	// Half are half the edges of a box or of a cell; of a cell in lengths of Dirs.
	Min, Max, Center, Half [3]float64

	Off [3]float64 // bounds, on each axis, the distance of the exact centre from Center

	// Radii of a ball. A transform that is no similarity makes an ellipsoid of it: Radius belongs to
	// a ball around the ellipsoid, Inner to one in it.
	Radius, Inner float64
	Spherical     bool // it is a ball, up to rounding

	Dirs [3][3]float64 // directions of the edges of a cell

	Test Tester // tests boxes of the space of the volume

	Plain    bool // a turned cell that is Oriented, exactly
	Oriented soa.OrientedBox

	// Minimum size of six planes with the near plane as the fifth; 0 if there is none. If it is set, Depth
	// is the row of depths, and Axes are the images of the axes in the space that gives depths their unit.
	Least float32
	Depth [4]float64
	Front [4]float64 // the near plane, not raised: a box that it cuts is never small
	Axes  [3][3]float64

	scaled [cull.MaxPlanes][4]float32 // planes of the last call of Scaled
}

// Box returns Min, Max, Center and Half, which are contiguous.
func (v *Volume) Box() *[12]float64 { return (*[12]float64)(unsafe.Pointer(&v.Min)) }

var _ [0]struct{} = [unsafe.Offsetof(Volume{}.Half) - unsafe.Offsetof(Volume{}.Min) - 9*8]struct{}{}

// SetEdges sets the centre and the edges of a cell to those of a box.
func (v *Volume) SetEdges(box *Volume) {
	v.Dirs = [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	for a := range 3 {
		lo, hi := box.Min[a]/2, box.Max[a]/2
		v.Center[a], v.Half[a] = lo+hi, hi-lo
		v.Off[a] = float64((math.Abs(lo) + math.Abs(hi)) * 0x1p-51)
	}
}

// SetMiddle sets the centre and the half extents of a box, enlarged by their rounding errors.
func (v *Volume) SetMiddle() {
	for a := range 3 {
		lo, hi := v.Min[a]/2, v.Max[a]/2
		v.Center[a], v.Half[a] = lo+hi, hi-lo+float64((math.Abs(lo)+math.Abs(hi))*0x1p-51)
	}
}

// Scaled returns the planes in the form of package asm/cull. The next call overwrites them.
//
// A normal is rounded to the nearest, and so is d: the kernels allow for that.
func (v *Volume) Scaled() [][4]float32 {
	n := v.N
	for i := range n {
		scalePlane(&v.scaled[i], &v.Planes[i])
	}
	if v.Kind >= KindCell {
		for a := range 3 {
			if x := v.Min[a]; x >= -math.MaxFloat64 {
				p := [4]float64{3: -x}
				p[a] = 1
				scalePlane(&v.scaled[n], &p)
				n++
			}
			if x := v.Max[a]; x <= math.MaxFloat64 {
				p := [4]float64{3: x}
				p[a] = -1
				scalePlane(&v.scaled[n], &p)
				n++
			}
		}
	}
	return v.scaled[:n:n]
}

// SetConvex sets c to the planes of a volume, or a cell, for the boxes of a store.
func (v *Volume) SetConvex(c *cull.Convex, s *soa.Store) {
	near, most := &s.Near, &v.Most
	if !v.IsMoved || most[0] > float64(near[0]) || most[1] > float64(near[1]) || most[2] > float64(near[2]) || !v.setMoved(c) {
		c.Set(v.Scaled(), s.Near, s.Extent)
	}
}

// setMoved sets c to a volume that has been moved. It reports false if the planes have to be scaled.
func (v *Volume) setMoved(c *cull.Convex) bool {
	n, most := v.N, &v.Most
	if v.Kind == KindCell {
		for a := range 3 {
			if x := v.Min[a]; x >= -math.MaxFloat64 {
				v.Planes[n], v.Spans[n] = [4]float64{3: -x}, most[a]
				v.Planes[n][a] = 1
				n++
			}
			if x := v.Max[a]; x <= math.MaxFloat64 {
				v.Planes[n], v.Spans[n] = [4]float64{3: x}, most[a]
				v.Planes[n][a] = -1
				n++
			}
		}
	}
	return c.SetMoved(v.Planes[:n], v.Spans[:n], most[0]+most[1]+most[2]+1)
}

// Bounding writes the planes as Scaled does, without the box around them, and without planes that are zero, and
// returns their number: a box inside these is inside the volume. Planes of a cell are lowered. ok is false if no box
// is known to be inside.
func (v *Volume) Bounding(to *[cull.MaxPlanes][4]float32) (n int, ok bool) {
	for i := range v.N {
		p := v.Planes[i]
		if v.Kind == KindCell {
			if p = v.Lowered(i); !(p[3] >= -math.MaxFloat64) {
				return 0, false
			}
		}
		if p != [4]float64{} {
			scalePlane(&to[n], &p)
			n++
		}
	}
	return n, true
}

// Lowered returns a plane of a cell that is not above the exact face.
func (v *Volume) Lowered(i int) (p [4]float64) {
	p = v.Planes[i]
	p[3] -= v.Raised[i]
	return p
}

// scalePlane writes a plane; one beyond float64 becomes one that contains everything.
func scalePlane(to *[4]float32, p *[4]float64) {
	if (p[0]-p[0])+(p[1]-p[1])+(p[2]-p[2])+(p[3]-p[3]) != 0 { // the sum is 0 or NaN
		*to = [4]float32{}
		return
	}
	cull.ScalePlaneTo(to, p)
	const sign, quarter = 1 << 31, 0x3e800000
	x, y, z := math.Float32bits(to[0])&^sign, math.Float32bits(to[1])&^sign, math.Float32bits(to[2])&^sign
	if max(x, y, z) == quarter { // rounded up
		cull.ScalePlaneTo(to, &[4]float64{float64(to[0]), float64(to[1]), float64(to[2]), float64(to[3])})
	}
}

// Sized returns the row of depths, the near plane and the lengths of the images of the axes, times
// a power of two that brings the largest component of the normal into [1/2, 1). ok is false where
// that is beyond float32; then nothing is to be excluded.
func (v *Volume) Sized() (depth, near [4]float32, scale [3]float32, ok bool) {
	_, e := math.Frexp(max(math.Abs(v.Depth[0]), math.Abs(v.Depth[1]), math.Abs(v.Depth[2])))
	for i, x := range v.Depth {
		depth[i] = float32(math.Ldexp(x, -e))
	}
	_, front := math.Frexp(max(math.Abs(v.Front[0]), math.Abs(v.Front[1]), math.Abs(v.Front[2])))
	for i, x := range v.Front {
		near[i] = float32(math.Ldexp(x, -front))
	}
	for i := range v.Axes {
		a := &v.Axes[i]
		length := math.Ldexp(math.Sqrt(float64(a[0]*a[0])+float64(a[1]*a[1])+float64(a[2]*a[2])), -e)
		scale[i] = float32(min(max(length, 0x1p-149), math.MaxFloat32))
	}
	sum := float64(depth[0]) + float64(depth[1]) + float64(depth[2]) + float64(depth[3])
	sum += float64(scale[0]) + float64(scale[1]) + float64(scale[2])
	sum += float64(near[0]) + float64(near[1]) + float64(near[2]) + float64(near[3])
	return depth, near, scale, sum-sum == 0
}

// Outward returns the smallest float32 box around the box, cut off at the largest float32.
func (v *Volume) Outward() (least, most [3]float32) {
	for a := range 3 {
		least[a], most[a] = -math.MaxFloat32, math.MaxFloat32
		if x := soa.Below(v.Min[a], 0); x >= least[a] {
			least[a] = min(x, most[a])
		}
		if x := soa.Above(v.Max[a], 0); x <= most[a] {
			most[a] = max(x, least[a])
		}
	}
	return least, most
}

// Sphere returns the ball about the nearest float32 centre. Its radius is increased by the
// displacement and the error of the centre, and rounded up. If that is beyond float32, the ball
// contains all finite points.
func (v *Volume) Sphere() (s cull.Sphere) {
	var c [3]float32
	sum := 0.0
	for a := range 3 {
		c[a] = float32(v.Center[a])
		d := math.Abs(v.Center[a]-float64(c[a])) + v.Off[a]
		sum += float64(d * d)
	}
	r := v.Radius
	if sum != 0 {
		r = float64((r + math.Sqrt(sum)) * (1 + 0x1p-50))
	}
	if radius := soa.Above(r, 0); sum < math.MaxFloat64 && radius <= math.MaxFloat32 {
		s.Set(&c, radius)
		return s
	}
	return cull.Sphere{Scale: 0x1p-66, Limit: math.MaxFloat32}
}

// Swept is a box, a ball or a point that moves by Dir in a unit of time, from the time 0 to Until.
type Swept struct {
	None     bool // it hits nothing
	Min, Max [3]float64
	Dir      [3]float64
	Until    float64 // may be infinite

	Entering  bool // objects that are only touched are left out
	Ball      bool // Center and Radius apply: against spheres of objects, and if Spherical is set
	Spherical bool // the ball moves, and the box is around it
	Center    [3]float64
	Radius    float64
}
