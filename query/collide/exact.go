package collide

import (
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
				meet = exact.BallsMeet(&a, &b)
			case round:
				meet = exact.BallMeetsBox(&a, &y.Bounds[h.B], l)
			case other:
				meet = exact.BallMeetsBox(&b, &x.Bounds[slot], lane)
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
