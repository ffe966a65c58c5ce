package index

import (
	"math"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/soa"
)

type shape uint8

const (
	shapeFrustum shape = iota
	shapeBox
	shapeSphere
)

// Volume is a frustum, a box or a sphere, tested by the formulas of package query. All tests are monotone: if
// a box intersects the volume, so does any box that contains it, and a box inside a contained box is
// contained. An index may therefore test bounding boxes of its objects first.
type Volume struct {
	shape  shape
	planes [6][4]float32
	box    soa.AABB
	sphere cull.Sphere
}

// Frustum returns the volume of six planes nx, ny, nz, d, with the inside nx*x + ny*y + nz*z + d >= 0. It is
// for objects whose absolute coordinates are at most extent: the bound of rounding errors depends on the
// extent, see [cull.MakePlanes].
func Frustum(planes [6][4]float32, extent [3]float32) Volume {
	var scaled [6][4]float32
	for i, p := range planes {
		scaled[i] = cull.ScalePlane([4]float64{float64(p[0]), float64(p[1]), float64(p[2]), float64(p[3])})
	}
	return Volume{shape: shapeFrustum, planes: cull.MakePlanes(&scaled, extent, extent).Coef}
}

// Box returns the volume of a closed box.
func Box(b soa.AABB) Volume { return Volume{shape: shapeBox, box: b} }

// Sphere returns the volume of a closed ball.
func Sphere(center [3]float32, radius float32) Volume {
	return Volume{shape: shapeSphere, sphere: cull.MakeSphere(center, radius)}
}

// Meets reports whether the box intersects the volume.
func (v *Volume) Meets(b *soa.AABB) bool {
	switch v.shape {
	case shapeFrustum:
		return v.meetsPlanes(b)
	case shapeBox:
		return v.box.Min[0] <= b.Max[0] && b.Min[0] <= v.box.Max[0] &&
			v.box.Min[1] <= b.Max[1] && b.Min[1] <= v.box.Max[1] &&
			v.box.Min[2] <= b.Max[2] && b.Min[2] <= v.box.Max[2]
	}
	return v.meetsSphere(b)
}

// Holds reports whether every box in the box intersects the volume.
func (v *Volume) Holds(b *soa.AABB) bool {
	switch v.shape {
	case shapeFrustum:
		return v.holdsPlanes(b)
	case shapeBox:
		return v.box.Contains(*b)
	}
	return v.holdsSphere(b)
}

// meetsPlanes tests the p-vertex of each plane: the corner furthest along the normal.
func (v *Volume) meetsPlanes(b *soa.AABB) bool {
	for i := range v.planes {
		n := &v.planes[i]
		x, y, z := b.Max[0], b.Max[1], b.Max[2]
		if n[0] < 0 {
			x = b.Min[0]
		}
		if n[1] < 0 {
			y = b.Min[1]
		}
		if n[2] < 0 {
			z = b.Min[2]
		}
		if float32(float32(n[0]*x)+float32(n[1]*y))+float32(n[2]*z)+n[3] < 0 {
			return false
		}
	}
	return true
}

// holdsPlanes tests the opposite corners.
func (v *Volume) holdsPlanes(b *soa.AABB) bool {
	for i := range v.planes {
		n := &v.planes[i]
		x, y, z := b.Min[0], b.Min[1], b.Min[2]
		if n[0] < 0 {
			x = b.Max[0]
		}
		if n[1] < 0 {
			y = b.Max[1]
		}
		if n[2] < 0 {
			z = b.Max[2]
		}
		if !(float32(float32(n[0]*x)+float32(n[1]*y))+float32(n[2]*z)+n[3] >= 0) {
			return false
		}
	}
	return true
}

func (v *Volume) meetsSphere(b *soa.AABB) bool {
	s := &v.sphere
	dx := float32((s.Center[0] - min(max(s.Center[0], b.Min[0]), b.Max[0])) * s.Scale)
	dy := float32((s.Center[1] - min(max(s.Center[1], b.Min[1]), b.Max[1])) * s.Scale)
	dz := float32((s.Center[2] - min(max(s.Center[2], b.Min[2]), b.Max[2])) * s.Scale)
	return float32(float32(dx*dx)+float32(dy*dy))+float32(dz*dz) <= s.Limit
}

func (v *Volume) holdsSphere(b *soa.AABB) bool {
	s := &v.sphere
	dx := float32(max(s.Center[0]-b.Min[0], b.Max[0]-s.Center[0]) * s.Scale)
	dy := float32(max(s.Center[1]-b.Min[1], b.Max[1]-s.Center[1]) * s.Scale)
	dz := float32(max(s.Center[2]-b.Min[2], b.Max[2]-s.Center[2]) * s.Scale)
	return float32(float32(dx*dx)+float32(dy*dy))+float32(dz*dz) <= s.Limit
}

// Neighbor is an object and its squared distance from the point of a query.
type Neighbor struct {
	ID    uint32
	Dist2 float32
}

// Dist2 returns the squared distance of the point from the box, by the formula of [query.Neighbor]; +Inf
// beyond float32.
func Dist2(b *soa.AABB, p [3]float32) float32 {
	dx := max(b.Min[0]-p[0], p[0]-b.Max[0], 0)
	dy := max(b.Min[1]-p[1], p[1]-b.Max[1], 0)
	dz := max(b.Min[2]-p[2], p[2]-b.Max[2], 0)
	return float32(float32(dx*dx)+float32(dy*dy)) + float32(dz*dz)
}

// Extent returns the largest absolute coordinate on each axis.
func Extent(objects []soa.Object) (e [3]float32) {
	for i := range objects {
		for a := range 3 {
			b := &objects[i].Box
			e[a] = max(e[a], float32(math.Abs(float64(b.Min[a]))), float32(math.Abs(float64(b.Max[a]))))
		}
	}
	return e
}
