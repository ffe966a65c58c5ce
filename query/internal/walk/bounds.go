package walk

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// bounds applies the exact tests of Filter.Exact: among the hits on the border it keeps the
// objects without a bound, and the objects whose bounds, sphere and oriented box, all intersect
// the volume. Packets wholly inside need no test, because the bounds in them are wholly inside.
// The tests are in float64 and widened: there are no false negatives, and no bound is removed that
// lies in a box wholly inside.
func (w *Walk) bounds() {
	p := &w.store.Packets
	if !p.Bounded() {
		return
	}
	body := w.bodyOf()
	w.keepHits(func(slot uint32, l int) bool {
		sphere, isSphere := p.Sphere(slot, l)
		oriented, turned := p.Oriented(slot, l)
		if !isSphere && !turned {
			return true
		}
		b := &p.Bounds[slot]
		body.far = body.two && !keeps(&body.near, b, l)
		return (!isSphere || body.overlaps(w, &sphere)) && (!turned || body.overlapsOriented(w, &oriented, b, l))
	})
}

// keepHits removes the lanes of hit ranges for which keep returns false.
func (w *Walk) keepHits(keep func(slot uint32, lane int) bool) {
	kept := w.ranges[:0]
	for _, r := range w.ranges {
		if r.N&asm.RangeHit == 0 {
			kept = append(kept, r)
			continue
		}
		hit := r.N & 0xffff
		for m := hit; m != 0; m &= m - 1 {
			if l := bits.TrailingZeros32(m) & (soa.Lanes - 1); !keep(r.First, l) {
				hit &^= 1 << l
			}
		}
		if hit != 0 {
			kept = append(kept, asm.Range{First: r.First, N: asm.RangeHit | hit})
		}
	}
	w.ranges = kept
}

// body is the data of the exact tests of bounds beside the volume.
type body struct {
	planes [cull.MaxPlanes][5]float64 // nx ny nz d and the length of the normal
	n      int
	radius float64

	two  bool // planes with two bounds
	near cull.Box
	wide [cull.MaxPlanes]float64 // d for bounds in boxes that are not near
	far  bool                    // the box of the current object is not near

	box exact.Solid // solid of a box query
}

// keeps reports whether the box in a lane lies in the box in.
func keeps(in *cull.Box, b *soa.Packet, l int) bool {
	for a := 0; a < len(b); a += 2 {
		if b[a][l] < in[a] || b[a+1][l] > in[a+1] {
			return false
		}
	}
	return true
}

// bodyOf prepares the volume. Planes are widened once more, so that the bounds in a box that the
// kernels find wholly inside pass.
func (w *Walk) bodyOf() (b body) {
	v := &w.volume
	if w.second == secondOriented {
		return b
	}
	switch v.Shape {
	case cull.ShapeFrustum:
		b.two, b.near = v.Planes.Two, v.Planes.Near
		b.setPlanes(v.Planes.Coef[:], v.Planes.Wide[:], w.store)
	case cull.ShapeConvex:
		b.two, b.near = v.Convex.Two, v.Convex.Near
		b.setPlanes(v.Convex.Coef[:v.Convex.N], v.Convex.Wide[:], w.store)
	case cull.ShapeSphere:
		b.radius = math.Sqrt(float64(v.Sphere.Limit)) / float64(v.Sphere.Scale) * exact.Widen
	default:
		q := &v.Box
		b.box.SetBox(&soa.AABB{Min: [3]float32{q[0], q[2], q[4]}, Max: [3]float32{q[1], q[3], q[5]}})
	}
	return b
}

func (b *body) setPlanes(coef [][4]float32, wide []float32, s *soa.Store) {
	var c cull.Convex
	c.Set(coef, s.Near, s.Extent)
	for i, p := range c.Coef[:len(coef)] {
		n := [3]float64{float64(p[0]), float64(p[1]), float64(p[2])}
		b.planes[i] = [5]float64{n[0], n[1], n[2], float64(p[3]), math.Sqrt(exact.Dot(n, n)) * exact.Widen}
	}
	b.n = len(coef)
	if !b.two {
		return
	}
	var far [cull.MaxPlanes][4]float32
	copy(far[:], coef)
	for i := range coef {
		far[i][3] = wide[i]
	}
	c.Set(far[:len(coef)], s.Extent, s.Extent)
	for i, p := range c.Coef[:len(coef)] {
		b.wide[i] = float64(p[3])
	}
}

// plane returns a plane and the length of its normal.
func (b *body) plane(i int) (n [3]float64, d, length float64) {
	p := &b.planes[i]
	if d = p[3]; b.far {
		d = b.wide[i]
	}
	return [3]float64{p[0], p[1], p[2]}, d, p[4]
}

// overlaps reports whether a sphere intersects the volume.
func (b *body) overlaps(w *Walk, s *[4]float32) bool {
	c := [3]float64{float64(s[0]), float64(s[1]), float64(s[2])}
	r, v := float64(s[3]), &w.volume
	switch {
	case w.oriented.isCell:
		return w.oriented.slabs.Near(c, r)
	case w.second == secondOriented:
		return w.oriented.frame.Distance(c) <= r
	case v.Shape == cull.ShapeFrustum || v.Shape == cull.ShapeConvex:
		for i := range b.n {
			if n, d, length := b.plane(i); exact.Dot(n, c)+d+float64(r*length) < 0 {
				return false
			}
		}
		return true
	case v.Shape == cull.ShapeSphere:
		d := [3]float64{c[0] - float64(v.Sphere.Center[0]), c[1] - float64(v.Sphere.Center[1]), c[2] - float64(v.Sphere.Center[2])}
		return math.Sqrt(exact.Dot(d, d)) <= (b.radius+r)*exact.Widen
	}
	var d [3]float64
	for a := range d {
		d[a] = max(float64(v.Box[2*a])-c[a], c[a]-float64(v.Box[2*a+1]), 0)
	}
	return math.Sqrt(exact.Dot(d, d)) <= r*exact.Widen
}
