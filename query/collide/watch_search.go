package collide

import (
	"math"
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// watched is the search of a watch for what one object overlaps, which may go on in another
// update: in another version of the tree, and with another box.
//
//	of an update     slots    packets that this search has tested
//	between two      tested   the IDs that were in them
//
// A packet is passed over when all that is in it has been tested: an object that overlaps all the
// time did so when it was.
type watched struct {
	active bool
	id     uint32
	slots  []uint32
	tested []uint64
	some   bool // tested is not empty

	view  linear.View
	work  search
	part  int       // with which a search begins; partCount: no pair can pass the filter
	store soa.Store // one object, in lane 0 of packet 0
	asked []uint32  // whose searches have ended
}

// begin starts an update.
func (c *watched) begin(v linear.View, flt *Filter) {
	w, s := &c.work, v.Store()
	c.view, c.asked = v, c.asked[:0]
	w.objects, w.once, w.swapped = true, true, false
	c.store.Count = 1
	c.store.Packets.Resize(1)
	c.store.Packets.UseBoundsOf(&s.Packets)
	w.prepare(&c.store, s, flt, false)
	c.part = w.part
	w.pending[1].build(s)
}

// end ends an update: what a search has tested that is to go on is kept by IDs, for slots will not be
// the same.
func (c *watched) end() {
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
func (c *watched) start(id uint32) { c.active, c.id = true, id }

// drop ends the search.
func (c *watched) drop() {
	c.active, c.slots = false, c.slots[:0]
	c.tested, c.some = c.tested[:0], false
}

// trim gives memory back, between two updates.
func (c *watched) trim() {
	*c = watched{active: c.active, id: c.id, tested: slices.Clone(c.tested), some: c.some, asked: slices.Clone(c.asked)}
}

// forget notes that an ID is another object's.
func (c *watched) forget(id uint32) {
	if i := int(id >> 6); i < len(c.tested) {
		c.tested[i] &^= 1 << (id & 63)
	}
}

// ask goes on with the search, of the object in this lane, by up to most packets, adds the pairs to
// keys, and tells how many packets it has tested, in how many of these it had tested some, and whether
// it has ended.
func (c *watched) ask(slot uint32, lane int, most int, keys *[]uint64) (units, again int, done bool) {
	w, p := &c.work, &c.work.walk
	c.put(slot, lane)
	for w.part = c.part; w.begin(); {
		for len(p.Tasks) > 0 {
			asm.PairNodes(p, math.MaxInt)
			n, mixed, left := c.choose(most - units)
			units, again = units+n, again+mixed
			for len(p.Rows) > 0 {
				asm.PairObjects(p)
				c.emit(keys)
			}
			if left {
				return units, again, false
			}
		}
	}
	c.asked = append(c.asked, c.id)
	c.drop()
	return units, again, true
}

// put makes the object in a lane the one that is asked.
func (c *watched) put(slot uint32, lane int) {
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

// choose leaves up to most rows of packets that have not been tested, and tells how many, in how
// many of these some objects have been, and whether there are others.
func (c *watched) choose(most int) (n, mixed int, left bool) {
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

// known returns how many of the objects in a packet have been tested, and how many there are.
func (c *watched) known(slot uint32) (known, all int) {
	p := &c.work.y.Packets
	all = int(p.Counts[slot])
	if c.some {
		for _, id := range p.IDs[slot][:all] {
			known += btoi(has(c.tested, id))
		}
	}
	return known, all
}

// emit adds the pairs of the hits that pass the filter.
func (c *watched) emit(keys *[]uint64) {
	w, p := &c.work, &c.work.walk
	if w.filter.on {
		p.Hits = w.filter.keep(p.Hits, w.x.Packets.Masks, w.y.Packets.Masks)
	}
	if w.filter.one != nil || w.filter.both != nil {
		p.Hits = w.keepLive(p.Hits)
	}
	if w.exact {
		p.Hits = w.keepExact(p.Hits)
	}
	for _, h := range p.Hits {
		for m := h.Mask; m != 0; m &= m - 1 {
			if id := w.y.Packets.IDs[h.B][bits.TrailingZeros32(m)&(soa.Lanes-1)]; id != c.id {
				*keys = append(*keys, pack(min(id, c.id), max(id, c.id)))
			}
		}
	}
}
