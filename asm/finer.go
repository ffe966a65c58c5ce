package asm

import (
	"math/bits"

	"github.com/zoctree/zoctree/soa"
)

// FinerRanges is [SeenRanges] for boxes that this has left: it looks at the level below, at up to 64 columns and
// 16 rows of texels, which are less mixed. A walk has no time for that, but what it leaves is few.
func FinerRanges(ranges []Range, packets []soa.Packet, l *Lens, p *Picture) (left []Range, hidden int) {
	left = ranges[:0]
	for _, r := range ranges {
		m := r.N & 0xffff
		for rest := m; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest) & (soa.Lanes - 1)
			var box rect
			if l.rect(&box, &packets[r.First], lane) && box.hidesFiner(p) {
				m &^= 1 << lane
				hidden++
			}
		}
		if m != 0 {
			left = append(left, Range{r.First, RangeHit | m})
		}
	}
	return left, hidden
}

// hidesFiner is hides at the level below, false where there is none.
func (r *rect) hidesFiner(p *Picture) bool {
	c0, c1, r0, r1, in, ok := r.clip(p)
	if !in || !ok || c1-c0 < rectColumns && r1-r0 < rectRows {
		return false
	}
	level := 0
	for (c1-c0)>>levelShift >= rectColumns || (r1-r0)>>levelShift >= rectRows {
		level++
		c0, c1, r0, r1 = c0>>levelShift, c1>>levelShift, r0>>levelShift, r1>>levelShift
	}
	return p.nearer(level, c0, c1, r0, r1, r.z)
}
