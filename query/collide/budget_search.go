package collide

import (
	"math"
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/asm/pair"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/follow"
	"github.com/zoctree/zoctree/soa"
)

// budgetSearch is the resumable search for the overlaps of one object. It may continue in another
// update, on another version of the tree and with another box.
//
//	in an update     slots    packets that this search has tested
//	between two      tested   the IDs in them
//
// A packet is skipped if all its objects have been tested: the test has found each object that
// overlaps all the time.
type budgetSearch struct {
	active bool
	id     uint32
	slots  []uint32
	tested []uint64
	some   bool // tested is not empty

	view     linear.View
	work     search
	part     int       // first part of a search; partCount: no pair can pass the filter
	store    soa.Store // one object, in lane 0 of packet 0
	searched []uint32  // objects whose searches have ended
}

// begin starts an update.
func (c *budgetSearch) begin(v linear.View, flt *Filter) {
	w, s := &c.work, v.Store()
	c.view, c.searched = v, c.searched[:0]
	w.objects, w.once, w.swapped = true, true, false
	c.store.Count = 1
	c.store.Packets.Resize(1)
	c.store.Packets.UseBoundsOf(&s.Packets)
	w.prepare(&c.store, s, flt, false)
	w.filter.exclude(v, flt.Exclude)
	c.part = w.part
	w.pending[1].build(s)
}

// end ends an update. It keeps the tested packets of an unfinished search as IDs, because slots
// change between updates.
func (c *budgetSearch) end() {
	if c.active {
		p := &c.view.Store().Packets
		for _, slot := range c.slots {
			for _, id := range p.IDs[slot][:p.Counts[slot]] {
				for int(id>>6) >= len(c.tested) {
					c.tested = append(c.tested, 0)
				}
				c.tested[id>>6] |= 1 << (id & 63)
			}
		}
		c.some = c.some || len(c.slots) > 0
	}
	c.slots = c.slots[:0]
	c.view = linear.View{}
	c.work.leave()
}

// start begins the search of an object.
func (c *budgetSearch) start(id uint32) { c.active, c.id = true, id }

// drop ends the search.
func (c *budgetSearch) drop() {
	c.active, c.slots = false, c.slots[:0]
	c.tested, c.some = c.tested[:0], false
}

// trim frees memory, between two updates.
func (c *budgetSearch) trim() {
	*c = budgetSearch{active: c.active, id: c.id, tested: slices.Clone(c.tested), some: c.some, searched: slices.Clone(c.searched)}
}

// forget removes an ID, which is now a different object, from the tested ones.
func (c *budgetSearch) forget(id uint32) {
	if i := int(id >> 6); i < len(c.tested) {
		c.tested[i] &^= 1 << (id & 63)
	}
}

// ask continues the search of the object in this lane by up to most packets, and adds the pairs
// to keys. It returns the number of tested packets, the number of them with objects tested
// before, and whether the search has ended.
func (c *budgetSearch) ask(slot uint32, lane int, most int, keys *[]uint64) (units, again int, done bool) {
	w, p := &c.work, &c.work.walk
	c.put(slot, lane)
	for w.part = c.part; w.begin(); {
		for len(p.Tasks) > 0 {
			pair.Nodes(p, math.MaxInt)
			n, mixed, left := c.choose(most - units)
			units, again = units+n, again+mixed
			for len(p.Rows) > 0 {
				pair.Objects(p)
				c.emit(keys)
			}
			if left {
				return units, again, false
			}
		}
	}
	c.searched = append(c.searched, c.id)
	c.drop()
	return units, again, true
}

// put makes the object in a lane the searched one.
func (c *budgetSearch) put(slot uint32, lane int) {
	w, from, to := &c.work, &c.work.y.Packets, &c.store.Packets
	o := from.Object(slot, lane)
	to.Put(0, 0, c.id, &o)
	if from.Bounded() {
		to.CopyBounds(0, 0, from, slot, lane)
	}
	flag := soa.RefMoving
	if o.Static {
		flag = soa.RefStatic
	}
	only, first := &w.pending[0], 0
	only.nodes = only.nodes[:0]
	only.add(&first, &o.Box, soa.PacketRef(0)|flag, o.Mask)
	only.join()
}

// choose keeps up to most rows of untested packets. It returns their number, the number of them
// with some tested objects, and whether there are more rows.
func (c *budgetSearch) choose(most int) (n, mixed int, left bool) {
	p := &c.work.walk
	for _, r := range p.Rows {
		slot := p.Y.Nodes[r.B.Node()].Child[r.B.Lane()].Index()
		known, all := c.known(slot)
		if known == all {
			continue
		}
		if n == most {
			left = true
			break
		}
		if known > 0 {
			mixed++
		}
		c.slots = append(c.slots, slot)
		p.Rows[n] = r
		n++
	}
	p.Rows = p.Rows[:n]
	return n, mixed, left
}

// known returns the number of tested objects in a packet, and the number of all.
func (c *budgetSearch) known(slot uint32) (known, all int) {
	p := &c.work.y.Packets
	all = int(p.Counts[slot])
	if c.some {
		for _, id := range p.IDs[slot][:all] {
			known += btoi(follow.Has(c.tested, id))
		}
	}
	return known, all
}

// emit adds the pairs of the hits that pass the filter.
func (c *budgetSearch) emit(keys *[]uint64) {
	w, p := &c.work, &c.work.walk
	w.filterHits()
	for _, h := range p.Hits {
		for m := h.Mask; m != 0; m &= m - 1 {
			if id := w.y.Packets.IDs[h.B][bits.TrailingZeros32(m)&(soa.Lanes-1)]; id != c.id {
				*keys = append(*keys, pack(min(id, c.id), max(id, c.id)))
			}
		}
	}
}
