package query

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// spheres keeps, among the hits on the border, the objects without a sphere and
// those whose sphere meets the volume. Packets wholly inside hold spheres wholly
// inside. The tests are in float64 and widened, so that no sphere that meets the
// volume is lost and none that lies in a box wholly inside is removed.
func (w *walk) spheres() {
	p := &w.store.Packets
	if len(p.Spheres) == 0 {
		return
	}
	body := bodyOf(&w.volume, w.store.Near, w.store.Extent)
	kept := w.ranges[:0]
	for _, r := range w.ranges {
		if r.N&asm.RangeHit == 0 {
			kept = append(kept, r)
			continue
		}
		s := &p.Spheres[r.First]
		hit := r.N & 0xffff
		for m := hit; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			if s[3][l] >= 0 && !body.meets(&w.volume, s, l, body.two && !keeps(&body.near, &p.Bounds[r.First], l)) {
				hit &^= 1 << l
			}
		}
		if hit != 0 {
			kept = append(kept, asm.Range{First: r.First, N: asm.RangeHit | hit})
		}
	}
	w.ranges = kept
}

// body is what the sphere test of a volume needs beside the volume.
type body struct {
	planes [asm.MaxPlanes][5]float64 // nx ny nz d and the length of the normal
	n      int
	radius float64

	two  bool // planes with two bounds
	near asm.Box
	wide [asm.MaxPlanes]float64 // d for spheres in boxes that are not near
}

// keeps reports whether the box in a lane lies in a box.
func keeps(in *asm.Box, b *soa.Packet, l int) bool {
	for a := 0; a < len(b); a += 2 {
		if b[a][l] < in[a] || b[a+1][l] > in[a+1] {
			return false
		}
	}
	return true
}

// bodyOf prepares a volume. Planes are widened once more, so that the spheres of
// a box that the kernels find wholly inside pass.
func bodyOf(v *asm.Volume, near, extent [3]float32) (b body) {
	planes := func(coef [][4]float32, wide []float32) {
		var c asm.Convex
		c.Set(coef, near, extent)
		for i, p := range c.Coef[:len(coef)] {
			n := [3]float64{float64(p[0]), float64(p[1]), float64(p[2])}
			b.planes[i] = [5]float64{n[0], n[1], n[2], float64(p[3]), math.Sqrt(exact.Dot(n, n)) * exact.Widen}
		}
		b.n = len(coef)
		if !b.two {
			return
		}
		var far [asm.MaxPlanes][4]float32
		copy(far[:], coef)
		for i := range coef {
			far[i][3] = wide[i]
		}
		c.Set(far[:len(coef)], extent, extent)
		for i, p := range c.Coef[:len(coef)] {
			b.wide[i] = float64(p[3])
		}
	}
	switch v.Shape {
	case asm.ShapeFrustum:
		b.two, b.near = v.Planes.Two, v.Planes.Near
		planes(v.Planes.Coef[:], v.Planes.Wide[:])
	case asm.ShapeConvex:
		b.two, b.near = v.Convex.Two, v.Convex.Near
		planes(v.Convex.Coef[:v.Convex.N], v.Convex.Wide[:])
	case asm.ShapeSphere:
		b.radius = math.Sqrt(float64(v.Sphere.Limit)) / float64(v.Sphere.Scale) * exact.Widen
	}
	return b
}

// meets reports whether the sphere of a lane meets the volume. far says that its
// box is not near.
func (b *body) meets(v *asm.Volume, s *soa.SphereLanes, l int, far bool) bool {
	c := [3]float64{float64(s[0][l]), float64(s[1][l]), float64(s[2][l])}
	r := float64(s[3][l])
	switch v.Shape {
	case asm.ShapeFrustum, asm.ShapeConvex:
		for i, p := range b.planes[:b.n] {
			if far {
				p[3] = b.wide[i]
			}
			if exact.Dot([3]float64{p[0], p[1], p[2]}, c)+p[3]+float64(r*p[4]) < 0 {
				return false
			}
		}
		return true
	case asm.ShapeSphere:
		d := [3]float64{c[0] - float64(v.Sphere.Center[0]), c[1] - float64(v.Sphere.Center[1]), c[2] - float64(v.Sphere.Center[2])}
		return math.Sqrt(exact.Dot(d, d)) <= (b.radius+r)*exact.Widen
	default:
		var d [3]float64
		for a := range d {
			d[a] = max(float64(v.Box[2*a])-c[a], c[a]-float64(v.Box[2*a+1]), 0)
		}
		return math.Sqrt(exact.Dot(d, d)) <= r*exact.Widen
	}
}

// sphereDist2 returns the squared distance from a point to the sphere of an
// object in the unit of a walk, computed in float64 and rounded to float32, but
// not less than that to its box, d2; and d2 if it has none.
func sphereDist2(p *soa.PacketColumns, slot uint32, lane int, point [3]float32, d2 float32, u *nearScale) float32 {
	s, ok := p.Sphere(slot, lane)
	if !ok {
		return d2
	}
	var d [3]float64
	for a := range d {
		d[a] = float64(point[a]) - float64(s[a])
	}
	gap := max(math.Sqrt(exact.Dot(d, d))-float64(s[3]), 0)
	if u.scale != 0 {
		gap *= float64(u.scale)
	}
	return max(d2, float32(gap*gap))
}
