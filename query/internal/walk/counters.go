package walk

import (
	"fmt"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/soa"
)

// Counters are the counters of the work of a query: the Counters of package query.
type Counters struct{ Nodes, Packets, Tested, Ranges int }

// Heat is a heat map of a tree: the Heat of package query.
type Heat struct{ Nodes, Slots []uint32 }

// fits panics unless there is a count for each node and packet of a tree.
func (h *Heat) fits(s *soa.Store) {
	if nodes, slots := len(s.Nodes.Hot), len(s.Packets.Counts); h != nil && (len(h.Nodes) < nodes || len(h.Slots) < slots) {
		panic(fmt.Sprintf("query: a Heat of %d nodes and %d packets for a tree of %d and %d: make one with NewHeat", len(h.Nodes), len(h.Slots), nodes, slots))
	}
}

// Explain runs the walk and counts its work, also in h unless it is nil.
func (w *Walk) Explain(f *Filter, h *Heat) (c Counters) {
	h.fits(w.store)
	m := phase.Enter(phase.Nodes)
	w.gather(m, f)
	if w.size.On() {
		for _, r := range w.ranges { // ranges wholly inside are tested, too
			for slot := r.First; r.N&asm.RangeHit == 0 && slot < r.First+r.N; slot++ {
				c.visit(w.store, soa.PacketRef(slot), h)
			}
		}
	}
	m.Next(phase.Ranges)
	w.filterExact(f)
	m.Leave()
	c.Ranges = len(w.ranges)
	for _, list := range [2][]uint32{w.lists.Queue[:w.lists.Head], w.below} {
		for _, node := range list {
			c.visit(w.store, soa.Ref(node), h)
		}
	}
	if w.scanned {
		for slot := range w.store.Packets.Counts {
			c.visit(w.store, soa.PacketRef(uint32(slot)), h)
		}
	} else {
		for _, slot := range w.lists.Packets {
			c.visit(w.store, soa.PacketRef(slot), h)
		}
	}
	w.Release()
	return c
}

// Explain collects all hits as [Sweep.Cast] does, and counts the work, also in h unless it is nil.
func (s *Sweep) Explain(store *soa.Store, f *Filter, h *Heat) (c Counters) {
	h.fits(store)
	q := takeCast(s, store, f)
	q.collect(s, store, f)
	l := &q.walk.Lists
	c.Ranges = len(q.marks)
	for _, node := range l.Queue[:l.Head] {
		c.visit(store, soa.Ref(soa.Ref(node).Index()), h) // the lists of a ray keep the flags
	}
	for _, slot := range l.Packets {
		c.visit(store, soa.PacketRef(slot), h)
	}
	q.Release()
	return c
}

// visit counts a node or a packet, also in h unless it is nil.
func (c *Counters) visit(s *soa.Store, ref soa.Ref, h *Heat) {
	at := ref.Index()
	if !ref.IsPacket() {
		c.Nodes++
		if h != nil {
			h.Nodes[at]++
		}
		return
	}
	c.Packets++
	c.Tested += int(s.Packets.Counts[at])
	if h != nil {
		h.Slots[at]++
	}
}
