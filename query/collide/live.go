package collide

import (
	"math/bits"

	"github.com/zoctree/zoctree/asm/pair"
	"github.com/zoctree/zoctree/query/internal/follow"
	"github.com/zoctree/zoctree/soa"
)

// keepLive keeps the hits that pass Live, LiveBoth and Exclude.
func (w *search) keepLive(hits []pair.Hit) []pair.Hit {
	n := 0
	for _, h := range hits {
		x, ids := w.x.Packets.IDs[h.A.Slot()][h.A.Lane()], &w.y.Packets.IDs[h.B]
		for m := h.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (soa.Lanes - 1)
			if !w.lives(x, ids[l]) {
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

// lives reports whether the pair of an object of x and one of y passes Live, LiveBoth and Exclude.
func (w *search) lives(x, y uint32) bool {
	if w.swapped {
		x, y = y, x
	}
	return w.filter.passes(x, y, w.once)
}

// passes reports whether the pair of an object of the first view and another one passes Live, LiveBoth and Exclude;
// both are of the first view if it is within one.
func (f *laneFilter) passes(x, y uint32, within bool) bool {
	if within {
		if f.isExcluded(x) || f.isExcluded(y) {
			return false
		}
		return (f.one == nil || follow.Has(f.one, x) || follow.Has(f.one, y)) && (f.both == nil || follow.Has(f.both, x) && follow.Has(f.both, y))
	}
	if f.isExcluded(x) {
		return false
	}
	return (f.one == nil || follow.Has(f.one, x)) && (f.both == nil || follow.Has(f.both, x))
}
