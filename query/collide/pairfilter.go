package collide

import (
	"math/bits"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

// pairLaneFilter is what a filter asks of the type masks of hits.
type pairLaneFilter struct {
	on      bool
	mask    uint32 // 0: any
	layered bool
	accepts Layers // made symmetric: bit d of accepts[c] if each accepts the other
}

// prepare takes over a filter and returns what nodes are filtered by. any is false
// when no pair can pass.
func (s *pairLaneFilter) prepare(flt *PairFilter) (filter asm.NodeFilter, any bool) {
	s.mask, s.layered = flt.Mask, flt.Layers != nil
	s.on = s.mask != 0 || s.layered
	filter = asm.NodeFilter{Mask: flt.Mask, Flags: soa.RefMoving | soa.RefStatic}
	if !s.layered {
		return filter, true
	}
	used := uint32(0)
	for c := range s.accepts {
		s.accepts[c] = 0
		for m := flt.Layers[c]; m != 0; m &= m - 1 {
			d := bits.TrailingZeros32(m) & 31
			s.accepts[c] |= flt.Layers[d] >> c & 1 << d
		}
		used |= s.accepts[c]
	}
	if filter.Mask == 0 {
		filter.Mask = used
	}
	return filter, used != 0
}

// partners returns the layers that accept one of the mask.
func (s *pairLaneFilter) partners(mask uint32) (p uint32) {
	for ; mask != 0; mask &= mask - 1 {
		p |= s.accepts[bits.TrailingZeros32(mask)&31]
	}
	return p
}

// keep leaves the hits whose objects pass.
func (s *pairLaneFilter) keep(hits []asm.PairHit, x, y [][soa.Lanes]uint32) []asm.PairHit {
	n := 0
	for _, h := range hits {
		mask := x[h.A.Slot()][h.A.Lane()]
		if s.mask != 0 {
			if mask&s.mask == 0 {
				continue
			}
			h.Mask &= asm.MaskLanes(&y[h.B], s.mask)
		}
		if s.layered {
			h.Mask &= asm.MaskLanes(&y[h.B], s.partners(mask))
		}
		if h.Mask != 0 {
			hits[n] = h
			n++
		}
	}
	return hits[:n]
}
