package collide

import (
	"math/bits"

	"github.com/zoctree/zoctree/asm/pair"
	"github.com/zoctree/zoctree/soa"
)

// A few moving objects among many static ones are gathered from the tree, and each is tested
// against the nodes that its own box overlaps. Walking the tree against itself would test all
// nodes that the packet around it overlaps: some ten times as many. The gathered objects keep the
// order of the tree, so the result is still a function of it.

const (
	// Moving objects are gathered from trees of moversMin objects or more, if they are at most
	// 1/moversShare of all. They are counted first: if there are more, the count stops early and
	// costs little.
	moversMin   = 1 << 10
	moversShare = 32
)

// gatherMovers makes the moving objects of the tree the side of x, one object per lane of its
// pending nodes, unless there are too many.
func (w *search) gatherMovers() bool {
	s := w.y
	if w.walk.Every != 0 || s.Count < moversMin || w.part == partCount {
		return false
	}
	w.most = s.Count / moversShare
	m := &w.movers
	m.Count = 0
	m.Packets.Resize(0)
	if s.Packets.Bounded() {
		m.Packets.Resize(1)
	}
	m.Packets.UseColumnsOf(&s.Packets)
	w.pending[0].Nodes = w.pending[0].Nodes[:0]
	if w.counting = true; !w.gatherAll() {
		return false
	}
	m.Count, w.counting = 0, false
	w.gatherAll()
	w.pending[0].Join()
	w.x, w.self, w.objects = m, false, true
	return true
}

// gatherAll counts or gathers the moving objects and reports whether they are few.
func (w *search) gatherAll() bool {
	if len(w.y.Nodes.Hot) > 0 && !w.gatherNode(0) {
		return false
	}
	for _, slot := range w.y.Pending {
		if !w.gatherPacket(slot) {
			return false
		}
	}
	return true
}

// gatherNode counts or gathers the moving objects below a node and reports whether they are few.
func (w *search) gatherNode(node uint32) bool {
	n := &w.y.Nodes.Hot[node]
	for l, ref := range n.Child {
		if ref&soa.RefMoving == 0 || w.walk.Filter.Mask != 0 && n.Mask[l]&w.walk.Filter.Mask == 0 {
			continue
		}
		var few bool
		if ref.IsPacket() {
			few = w.gatherPacket(ref.Index())
		} else {
			few = w.gatherNode(ref.Index())
		}
		if !few {
			return false
		}
	}
	return true
}

// gatherPacket counts or gathers the moving objects of a packet and reports whether they are few.
func (w *search) gatherPacket(slot uint32) bool {
	from, m := &w.y.Packets, &w.movers
	moving := from.Moving[slot]
	if w.counting {
		m.Count += bits.OnesCount16(moving)
		return m.Count <= w.most
	}
	for ; moving != 0; moving &= moving - 1 {
		l := bits.TrailingZeros16(moving)
		k := m.Count
		if k/soa.Lanes == len(m.Packets.Counts) {
			m.Packets.Resize(k/soa.Lanes + 1)
		}
		o := from.Object(slot, l)
		row, to := uint32(k/soa.Lanes), k%soa.Lanes
		m.Packets.Put(row, to, from.IDs[slot][l], &o)
		if from.Bounded() {
			m.Packets.CopyBounds(row, to, from, slot, l)
		}
		lane := k % soa.Fan
		w.pending[0].Add(&lane, &o.Box, soa.PacketRef(uint32(k))|soa.RefMoving, o.Mask)
		m.Count++
	}
	return true
}

// keepOnce removes duplicates: hits of two moving objects are found from both sides, and the one
// from the smaller ID is kept. It removes hits of an object with itself.
func (w *search) keepOnce(hits []pair.Hit) []pair.Hit {
	n := 0
	for _, h := range hits {
		a, ids := w.x.Packets.IDs[h.A.Slot()][h.A.Lane()], &w.y.Packets.IDs[h.B]
		for m := h.Mask & uint32(w.y.Packets.Moving[h.B]); m != 0; m &= m - 1 {
			if l := bits.TrailingZeros32(m) & (soa.Lanes - 1); ids[l] <= a {
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
