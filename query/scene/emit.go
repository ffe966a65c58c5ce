package scene

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// takeRange handles a range of the current part. The walk ends when w.at becomes negative.
func (w *volumeWalk) takeRange(r query.Range) bool {
	l := &w.levels[w.at]
	s := l.view.Objects().Store()
	if l.form.Kind == walk.KindBall && !l.form.Spherical && l.treeQuery != everything {
		if !l.images.set {
			l.images.ofBall(&w.levels, w.at)
		}
		plain := !w.filter.Exact || !s.Packets.Bounded() // as in search.each
		for slot := r.First; slot < r.First+r.Count; slot++ {
			if plain && l.images.beyondPacket(s, slot) {
				continue
			}
			m := lanes(s, slot, r.Mask)
			for rest := m; rest != 0; rest &= rest - 1 {
				lane := bits.TrailingZeros16(rest)
				box := s.Packets.Box(slot, lane)
				if plain && l.images.within(&box) {
					continue
				}
				if plain && l.images.beyond(&box) || !w.touches(s, slot, lane) {
					m &^= 1 << lane
				}
			}
			if m != 0 && !w.emitRange(s, query.Range{First: slot, Count: 1, Mask: m}) {
				return false
			}
		}
		return true
	}
	return w.emitRange(s, r)
}

// lanes returns the lanes of a slot in a range with that mask.
func lanes(s *soa.Store, slot uint32, mask uint16) uint16 {
	if mask != 0 {
		return mask
	}
	return uint16(uint32(1)<<s.Packets.Counts[slot] - 1)
}

// emitRange passes a range to the caller.
func (w *volumeWalk) emitRange(s *soa.Store, r query.Range) bool {
	depth := w.at
	if w.ask == askParts {
		if !w.part(Part{w.path(depth), w.levels[depth].view, w.levels[depth].part}, r) {
			w.at = -1
			return false
		}
		w.levels[0].view.Objects() // panics if the scene has changed
		return true
	}
	for slot := r.First; slot < r.First+r.Count; slot++ {
		for m := lanes(s, slot, r.Mask); m != 0; m &= m - 1 {
			id := s.Packets.IDs[slot][bits.TrailingZeros16(m)]
			switch w.ask {
			case askAppend:
				w.answer.IDs = append(w.answer.IDs, id)
			case askCount:
				w.add(1)
			case askAny:
				w.count, w.at = 1, -1
				return false
			default:
				if !w.yield(w.path(depth), id) {
					w.at = -1
					return false
				}
				w.levels[0].view.Objects() // panics if the scene has changed
			}
		}
	}
	return true
}

// add adds to the count, saturating at the largest number.
func (w *volumeWalk) add(n uint64) {
	sum, carry := bits.Add64(w.count, n, 0)
	if carry != 0 {
		sum = math.MaxUint64
	}
	w.count = sum
}
