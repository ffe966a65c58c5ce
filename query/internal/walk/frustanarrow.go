package walk

import (
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

// The second tests of a batch, by Frustum.Precise of package query and Filter.Exact, apply to the
// objects on the border of each frustum. A packet wholly inside a frustum needs neither, as in a
// single query.
//
// The entries are the objects that border has added to the answer, in the order of the listed
// packets, lanes ascending.

// narrow runs the second tests of the entries from first on, and removes entries that are left
// without viewers.
func (b *Frusta) narrow(s *soa.Store, first int, exact bool) {
	exact = exact && s.Packets.Bounded()
	if !exact && !slices.ContainsFunc(b.frusta, func(f Frustum) bool { return f.precise }) {
		return
	}
	filter := Filter{Exact: exact}
	b.locate(s, first)
	for k := range b.frusta {
		if !exact && !b.frusta[k].precise {
			continue
		}
		w := b.frusta[k].Begin(s)
		w.ranges = b.seenBy(w.ranges[:0], k, first)
		w.filterExact(&filter)
		b.clear(w.ranges, k, first)
		w.Release()
	}
	n := first
	for i, seen := range b.words {
		b.IDs[n], b.words[n-first] = b.IDs[first+i], seen
		if seen != 0 {
			n++
		}
	}
	b.IDs, b.words = b.IDs[:n], b.words[:n-first]
}

// locate finds the locations of the entries.
func (b *Frusta) locate(s *soa.Store, first int) {
	b.locations = b.locations[:0]
	ids := b.IDs[first:]
	for _, slot := range b.walk.Packets.Refs {
		for l, id := range s.Packets.IDs[slot][:s.Packets.Counts[slot]] {
			if n := len(b.locations); n < len(ids) && ids[n] == id {
				b.locations = append(b.locations, soa.MakeLocation(slot, l))
			}
		}
	}
}

// borderOf calls visit with each packet that has entries and is on the border of frustum k, and
// with the entries.
func (b *Frusta) borderOf(k, first int, visit func(slot uint32, locations []soa.Location, viewers []uint64)) {
	from := 0
	for i, slot := range b.walk.Packets.Refs {
		to := from
		for to < len(b.locations) && b.locations[to].Slot() == slot {
			to++
		}
		if to > from && b.walk.Packets.Open[i]>>k&1 != 0 {
			visit(slot, b.locations[from:to], b.words[from:to])
		}
		from = to
	}
}

// seenBy appends the lanes on the border of frustum k that are in the frustum.
func (b *Frusta) seenBy(out []asm.Range, k, first int) []asm.Range {
	b.borderOf(k, first, func(slot uint32, locations []soa.Location, viewers []uint64) {
		hit := uint32(0)
		for i, location := range locations {
			hit |= uint32(viewers[i]>>k&1) << location.Lane()
		}
		if hit != 0 {
			out = append(out, asm.Range{First: slot, N: asm.RangeHit | hit})
		}
	})
	return out
}

// clear removes frustum k from the viewers of the entries on its border, except for the lanes
// kept.
func (b *Frusta) clear(kept []asm.Range, k, first int) {
	b.borderOf(k, first, func(slot uint32, locations []soa.Location, viewers []uint64) {
		hit := uint32(0)
		if len(kept) > 0 && kept[0].First == slot {
			hit = kept[0].N
			kept = kept[1:]
		}
		for i, location := range locations {
			viewers[i] &^= uint64(^hit>>location.Lane()&1) << k
		}
	})
}
