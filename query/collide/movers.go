package collide

import (
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/asm/pair"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/follow"
	"github.com/zoctree/zoctree/soa"
)

// A few live objects, or a few moving ones among many static ones, are gathered from the tree, and each is tested
// against the nodes that its own box overlaps. Walking the tree against itself would test all
// nodes that the packet around it overlaps: some ten times as many. The gathered objects keep the
// order of the tree, so the result is still a function of it.

const (
	// Objects are gathered from trees of moversMin objects or more, if the moving ones are at most
	// 1/moversShare of all, or the live ones 1/liveShare. They are counted first: if there are more,
	// the count stops early and costs little.
	moversMin   = 1 << 10
	moversShare = 32
	liveShare   = 16
)

// gatherMovers gathers the moving objects of the tree in w.movers, and one per lane in nodes in w.pending[0], unless
// there are too many.
func (w *search) gatherMovers() bool {
	s := w.y
	if w.walk.Every != 0 || s.Count < moversMin || w.part == partCount {
		return false
	}
	w.most, w.movers.Count = s.Count/moversShare, 0
	if w.counting = true; !w.gatherAll() {
		return false
	}
	w.counting = false
	w.beginGathering()
	w.gatherAll()
	return true
}

// gatherLive gathers the objects of LiveBoth, or else of Live, unless there are too many.
func (w *search) gatherLive(v linear.View) bool {
	s, set := w.y, w.filter.both
	if set == nil {
		set = w.filter.one
	}
	if set == nil || s.Count < moversMin || w.part == partCount {
		return false
	}
	n := 0
	for _, word := range set {
		if n += bits.OnesCount64(word); n > s.Count/liveShare {
			return false
		}
	}
	places := v.Locator(&w.places)
	w.located = w.located[:0]
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			if slot, lane, ok := places.Locate(uint32(64*i + bits.TrailingZeros64(word))); ok {
				w.located = append(w.located, soa.MakeLocation(slot, lane))
			}
		}
	}
	slices.Sort(w.located) // in about the order of the tree
	w.beginGathering()
	for _, at := range w.located {
		w.gather(at.Slot(), at.Lane())
	}
	w.set = set
	return true
}

// beginGathering empties the gathered objects.
func (w *search) beginGathering() {
	m, from := &w.movers, &w.y.Packets
	m.Count = 0
	m.Packets.Resize(0)
	if from.Bounded() {
		m.Packets.Resize(1)
	}
	m.Packets.UseColumnsOf(from)
	w.pending[0].Nodes = w.pending[0].Nodes[:0]
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
		w.gather(slot, bits.TrailingZeros16(moving))
	}
	return true
}

// gather gathers an object.
func (w *search) gather(slot uint32, l int) {
	from, m := &w.y.Packets, &w.movers
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
	flag := soa.RefMoving
	if o.Static {
		flag = soa.RefStatic
	}
	lane := k % soa.Fan
	w.pending[0].Add(&lane, &o.Box, soa.PacketRef(uint32(k))|flag, o.Mask)
	m.Count++
}

// keepOnce removes duplicates: hits of two gathered objects are found from both sides, and the one
// from the smaller ID is kept. It removes hits of an object with itself.
func (w *search) keepOnce(hits []pair.Hit) []pair.Hit {
	n := 0
	for _, h := range hits {
		a, ids := w.x.Packets.IDs[h.A.Slot()][h.A.Lane()], &w.y.Packets.IDs[h.B]
		m := h.Mask
		if w.set == nil {
			m &= uint32(w.y.Packets.Moving[h.B])
		}
		for ; m != 0; m &= m - 1 {
			if l := bits.TrailingZeros32(m) & (soa.Lanes - 1); ids[l] <= a && (w.set == nil || follow.Has(w.set, ids[l])) {
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
