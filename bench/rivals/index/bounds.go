package index

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// Partial is an index that supports only some volumes.
type Partial interface {
	// Answers reports whether Append supports the volume.
	Answers(v *Volume) bool
}

// AsBox returns the box of the volume; ok is false if it is no box.
func (v *Volume) AsBox() (b soa.AABB, ok bool) { return v.box, v.shape == shapeBox }

// AsSphere returns the centre of the ball of the volume, and its radius, rounded up as in its test; ok is
// false if it is no ball.
func (v *Volume) AsSphere() (center [3]float32, radius float64, ok bool) {
	s := &v.sphere
	return s.Center, math.Sqrt(float64(s.Limit)) / float64(s.Scale), v.shape == shapeSphere
}

// everywhere is the box of all coordinates.
var everywhere = soa.AABB{
	Min: [3]float32{-math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32},
	Max: [3]float32{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32},
}

// boundsMargin is the relative margin of bounds, relative to the largest coordinate: above all float32
// rounding errors of the tests.
const boundsMargin = 0x1p-18

// Bounds returns a bounding box of the volume, for an index that supports only box queries. For boxes and
// balls it is conservative: every overlapping object overlaps the bounds. The plane tests of a frustum also
// accept some boxes outside the frustum; these may lie outside its bounds. The planes must be in pairs of
// opposite ones; otherwise the bounds are unbounded.
func (v *Volume) Bounds() soa.AABB {
	var w widest
	switch v.shape {
	case shapeBox:
		return v.box
	case shapeSphere:
		c, r, _ := v.AsSphere()
		for _, sign := range []float64{-1, 1} {
			w.add([3]float64{float64(c[0]) + sign*r, float64(c[1]) + sign*r, float64(c[2]) + sign*r})
		}
	case shapeFrustum:
		for corner := range 8 {
			p, ok := meeting(&v.planes[corner&1], &v.planes[2+corner>>1&1], &v.planes[4+corner>>2])
			if !ok {
				return everywhere
			}
			w.add(p)
		}
	}
	return w.box()
}

// Within returns a box that contains the part of the ray in b; ok is false if the ray misses b.
func (r *Ray) Within(b *soa.AABB) (part soa.AABB, ok bool) {
	if _, ok := r.Enter(b); !ok {
		return soa.Empty(), false
	}
	var dir [3]float64
	t0, t1 := 0.0, float64(r.ray.Max)
	for a := range 3 {
		from, to := b.Min[a], b.Max[a]
		if r.down[a] {
			from, to = to, from
		}
		inv := float64(r.ray.InvNear[a])
		if math.IsInf(inv, 0) {
			continue // no motion on this axis
		}
		dir[a] = 1 / inv
		t0 = max(t0, (float64(from)-float64(r.ray.Near[a]))*inv)
		t1 = min(t1, (float64(to)-float64(r.ray.Far[a]))*inv)
	}
	var w widest
	for _, t := range []float64{t0, t1} {
		var p [3]float64
		for a := range 3 {
			p[a] = float64(r.ray.Near[a]) + t*dir[a]
		}
		w.add(p)
	}
	return w.box(), true
}

// widest is the bounding box of points.
type widest struct {
	lo, hi [3]float64
	any    bool
}

func (w *widest) add(p [3]float64) {
	if !w.any {
		w.lo, w.hi, w.any = p, p, true
	}
	for a := range 3 {
		w.lo[a], w.hi[a] = min(w.lo[a], p[a]), max(w.hi[a], p[a])
	}
}

// box returns the bounding box, enlarged by the margin.
func (w *widest) box() (b soa.AABB) {
	size := 0.0
	for a := range 3 {
		size = max(size, math.Abs(w.lo[a]), math.Abs(w.hi[a]))
	}
	for a := range 3 {
		b.Min[a] = float32(max(w.lo[a]-size*boundsMargin, -math.MaxFloat32))
		b.Max[a] = float32(min(w.hi[a]+size*boundsMargin, math.MaxFloat32))
	}
	return b
}

// meeting returns the intersection point of three planes, by Cramer's rule.
func meeting(a, b, c *[4]float32) (p [3]float64, ok bool) {
	na, nb, nc := normal(a), normal(b), normal(c)
	bc, ca, ab := cross(nb, nc), cross(nc, na), cross(na, nb)
	det := na[0]*bc[0] + na[1]*bc[1] + na[2]*bc[2]
	for i := range 3 {
		p[i] = -(float64(a[3])*bc[i] + float64(b[3])*ca[i] + float64(c[3])*ab[i]) / det
		if math.IsNaN(p[i]) || math.IsInf(p[i], 0) {
			return p, false
		}
	}
	return p, true
}

func normal(plane *[4]float32) [3]float64 {
	return [3]float64{float64(plane[0]), float64(plane[1]), float64(plane[2])}
}

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// Ties reports whether two neighbours are at the same distance, up to float32 rounding of a distance that was
// compared in float64.
func (n Neighbor) Ties(m Neighbor) bool {
	d, e := float64(n.Dist2), float64(m.Dist2)
	return d == e || math.Abs(d-e) <= 0x1p-20*max(d, e)
}
