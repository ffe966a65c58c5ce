package collide

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// keepExact leaves the hits of objects whose spheres meet, or whose sphere meets
// the box of the other, or that have none.
func (w *search) keepExact(hits []asm.PairHit) []asm.PairHit {
	x, y := &w.x.Packets, &w.y.Packets
	n := 0
	for _, h := range hits {
		slot, lane := h.A.Slot(), h.A.Lane()
		a, round := x.Sphere(slot, lane)
		for m := h.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (soa.Lanes - 1)
			b, other := y.Sphere(h.B, l)
			meet := true
			switch {
			case round && other:
				meet = ballsMeet(&a, &b)
			case round:
				meet = ballMeetsLane(&a, &y.Bounds[h.B], l)
			case other:
				meet = ballMeetsLane(&b, &x.Bounds[slot], lane)
			}
			if !meet {
				h.Mask &^= 1 << l
			}
		}
		if h.Mask != 0 {
			hits[n] = h
			n++
		}
	}
	return hits[:n]
}

// ballsMeet takes spheres x, y, z, radius.
func ballsMeet(a, b *[4]float32) bool {
	var d [3]float64
	for k := range d {
		d[k] = float64(a[k]) - float64(b[k])
	}
	return math.Sqrt(exact.Dot(d, d)) <= (float64(a[3])+float64(b[3]))*exact.Widen
}

// ballMeetsLane takes a sphere and the box in a lane of a packet.
func ballMeetsLane(s *[4]float32, p *soa.Packet, l int) bool {
	var d [3]float64
	for k := range d {
		c := float64(s[k])
		d[k] = max(float64(p[2*k][l])-c, c-float64(p[2*k+1][l]), 0)
	}
	return math.Sqrt(exact.Dot(d, d)) <= float64(s[3])*exact.Widen
}
