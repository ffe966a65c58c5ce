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

// progress is the resumable search for the overlaps of one object. It may continue in another
// update, on another version of the tree and with another box.
//
//	slots    packets that this search has tested
//	tested   the IDs in the packets that it had tested before the last pause
//
// A packet is skipped if all its objects have been tested: the test has found each object that
// overlaps all the time.
type progress struct {
	active bool
	id     uint32
	slots  []uint32
	tested []uint64
	some   bool // tested is not empty
}

// drop ends the search.
func (p *progress) drop() {
	p.active, p.slots = false, p.slots[:0]
	p.tested, p.some = p.tested[:0], false
}

// budgetSearch has the searches of all classes.
type budgetSearch struct {
	open []progress // by class; there may have been more classes before

	view     linear.View
	work     search
	part     int       // first part of a search; partCount: no pair can pass the filter
	store    soa.Store // one object, in lane 0 of packet 0
	searched []uint32  // objects whose searches have ended
}

// begin starts an update.
func (c *budgetSearch) begin(v linear.View, flt *Filter, classes int) {
	for len(c.open) < classes {
		c.open = append(c.open, progress{})
	}
	w, s := &c.work, v.Store()
	c.view, c.searched = v, c.searched[:0]
	w.objects, w.once, w.swapped = true, true, false
	c.store.Count = 1
	c.store.Packets.Resize(1)
	c.store.Packets.UseColumnsOf(&s.Packets)
	w.prepare(&c.store, s, flt, false)
	w.filter.exclude(v, flt.Exclude)
	c.part = w.part
	w.pending[1].Build(s)
}

// pause keeps the tested packets of an unfinished search as IDs, because slots change between
// updates.
func (c *budgetSearch) pause(p *progress) {
	from := &c.view.Store().Packets
	for _, slot := range p.slots {
		for _, id := range from.IDs[slot][:from.Counts[slot]] {
			for int(id>>6) >= len(p.tested) {
				p.tested = append(p.tested, 0)
			}
			p.tested[id>>6] |= 1 << (id & 63)
		}
	}
	p.some = p.some || len(p.slots) > 0
	p.slots = p.slots[:0]
}

// end ends an update.
func (c *budgetSearch) end() {
	c.view = linear.View{}
	c.work.leave()
}

// drop ends all searches.
func (c *budgetSearch) drop() {
	for i := range c.open {
		c.open[i].drop()
	}
}

// dropOf ends the search of an object of this class, and reports whether there was one.
func (c *budgetSearch) dropOf(class uint8, id uint32) bool {
	if int(class) >= len(c.open) || !c.open[class].active || c.open[class].id != id {
		return false
	}
	c.open[class].drop()
	return true
}

// trim frees memory, between two updates.
func (c *budgetSearch) trim() {
	open := slices.Clone(c.open)
	for i := range open {
		open[i].slots, open[i].tested = nil, slices.Clone(open[i].tested)
	}
	*c = budgetSearch{open: open, searched: slices.Clone(c.searched)}
}

// forget removes an ID, which is now a different object, from the tested ones.
func (c *budgetSearch) forget(id uint32) {
	for k := range c.open {
		if p, i := &c.open[k], int(id>>6); i < len(p.tested) {
			p.tested[i] &^= 1 << (id & 63)
		}
	}
}

// ask continues the search of the object in this lane by up to most packets, and adds the pairs
// to keys. It returns the number of tested packets, the number of them with objects tested
// before, and whether the search has ended.
func (c *budgetSearch) ask(of *progress, slot uint32, lane int, most int, keys *[]uint64) (units, again int, done bool) {
	w, p := &c.work, &c.work.walk
	c.put(of.id, slot, lane)
	for w.part = c.part; w.begin(); {
		for len(p.Tasks) > 0 {
			pair.Nodes(p, math.MaxInt)
			n, mixed, left := c.choose(of, most-units)
			units, again = units+n, again+mixed
			for len(p.Rows) > 0 {
				pair.Objects(p)
				c.emit(of.id, keys)
			}
			if left {
				return units, again, false
			}
		}
	}
	c.searched = append(c.searched, of.id)
	of.drop()
	return units, again, true
}

// put makes the object in a lane the searched one.
func (c *budgetSearch) put(id, slot uint32, lane int) {
	w, from, to := &c.work, &c.work.y.Packets, &c.store.Packets
	o := from.Object(slot, lane)
	to.Put(0, 0, id, &o)
	if from.Bounded() {
		to.CopyBounds(0, 0, from, slot, lane)
	}
	flag := soa.RefMoving
	if o.Static {
		flag = soa.RefStatic
	}
	only, first := &w.pending[0], 0
	only.Nodes = only.Nodes[:0]
	only.Add(&first, &o.Box, soa.PacketRef(0)|flag, o.Mask)
	only.Join()
}

// choose keeps up to most rows of untested packets. It returns their number, the number of them
// with some tested objects, and whether there are more rows.
func (c *budgetSearch) choose(of *progress, most int) (n, mixed int, left bool) {
	p := &c.work.walk
	for _, r := range p.Rows {
		slot := p.Y.Nodes[r.B.Node()].Child[r.B.Lane()].Index()
		known, all := c.known(of, slot)
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
		of.slots = append(of.slots, slot)
		p.Rows[n] = r
		n++
	}
	p.Rows = p.Rows[:n]
	return n, mixed, left
}

// known returns the number of tested objects in a packet, and the number of all.
func (c *budgetSearch) known(of *progress, slot uint32) (known, all int) {
	p := &c.work.y.Packets
	all = int(p.Counts[slot])
	if of.some {
		for _, id := range p.IDs[slot][:all] {
			known += btoi(follow.Has(of.tested, id))
		}
	}
	return known, all
}

// emit adds the pairs of the hits that pass the filter.
func (c *budgetSearch) emit(of uint32, keys *[]uint64) {
	w, p := &c.work, &c.work.walk
	w.filterHits()
	for _, h := range p.Hits {
		for m := h.Mask; m != 0; m &= m - 1 {
			if id := w.y.Packets.IDs[h.B][bits.TrailingZeros32(m)&(soa.Lanes-1)]; id != of {
				*keys = append(*keys, pack(min(id, of), max(id, of)))
			}
		}
	}
}
