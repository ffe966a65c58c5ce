package octree

import (
	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/soa"
)

// Packets are filled anew from a copy of their objects, or of objects of the queue.

// leaf is a copy of some packets of a node, with a list of their objects.
type leaf struct {
	packets   soa.PacketColumns
	locations [leafMax]soa.Location // in the copy
	keys      [leafMax]uint64
	placement [leafMax]bool // the object was not displaced
	n         int

	cutter cutter // of these objects
	cut    build.Cut

	items  [leafMax]uint64     // objects of packets, and the start of each packet: kernels take their
	starts [soa.Fan + 1]uint32 // addresses
}

// emptyLeaf returns the room for a copy, which is valid until the next call, with columns for the bounds of bodies if
// the tree has these.
func (t *Tree) emptyLeaf() *leaf {
	if t.Buffers().leaf == nil {
		t.Buffers().leaf = new(leaf)
	}
	c := t.Buffers().leaf
	if len(c.packets.Counts) != soa.Fan {
		c.packets.Moving = mem.Fresh(c.packets.Moving, soa.Fan+1) // see refill
		c.packets.Resize(soa.Fan)
	}
	c.packets.UseBoundsOf(&t.Store.Packets)
	return c
}

// copyPackets copies the packets in these slots, up to 16. The copy is valid until the next one.
func (t *Tree) copyPackets(slots []uint32) *leaf {
	c, p := t.emptyLeaf(), &t.Store.Packets
	for row, slot := range slots {
		c.packets.CopyRowOf(uint32(row), p, slot)
		mem.Prefetch(t.IDs.Where, p.IDs[slot][:p.Counts[slot]], 0)
	}
	c.n = t.Code.packets(c.keys[:], c.locations[:], &c.packets, 0, len(slots), 0)
	i := 0
	for row, slot := range slots {
		n := int(p.Counts[slot])
		placement := c.placement[i : i+n]
		tight := LaneBox(&t.Store.Nodes.Hot[p.Parents[slot].Node()], p.Parents[slot].Lane())
		most := p.PlacementBoxes[slot].Contains(tight) && t.Code.Near(&p.PlacementBoxes[slot]) // most packets have no displaced object
		for l := range placement {
			if placement[l] = most; !most {
				box := c.packets.Box(uint32(row), l)
				placement[l] = t.isPlaced(slot, &box)
			}
		}
		i += n
	}
	// Near objects that are split together with far ones stay there only if their keys are far keys.
	if t.storesOutliers(slots[0]) {
		for i, w := range c.locations[:c.n] {
			if c.placement[i] && c.keys[i] < outlierLow {
				c.placement[i] = false
				if !t.BulkMotion {
					t.Displaced = append(t.Displaced, c.packets.IDs[w.Slot()][w.Lane()])
				}
			}
		}
	}
	return c
}

// copyQueue copies objects of the queue, up to leafMax, as copyPackets does.
func (t *Tree) copyQueue(items []uint64) *leaf {
	c := t.emptyLeaf()
	clear(c.packets.Counts)
	c.n = len(items)
	for i, item := range items {
		q := &t.Buffers().unplaced[radix.Index(item)]
		row, lane := uint32(i/soa.Lanes), i%soa.Lanes
		c.packets.Put(row, lane, q.id, &q.obj)
		c.packets.Counts[row]++
		c.keys[i], c.locations[i], c.placement[i] = q.key, soa.MakeLocation(row, lane), true
		if q.sphere[3] >= 0 {
			c.packets.SetSphere(row, lane, q.sphere)
		}
		if q.oriented != 0 {
			c.packets.SetOriented(row, lane, &t.Buffers().oriented[q.oriented-1])
		}
	}
	c.cutter.load(c.keys[:c.n])
	return c
}

// refill fills packets of nodes with the objects of a copy, which the cutter has between two ends for each, and
// nothing else. Their lanes describe them exactly. Their placement boxes are computed from the objects that were in
// place, without displaced ones.
func (t *Tree) refill(slots []uint32, c *leaf, ends []int) {
	p := &t.Store.Packets
	for i, end := range ends {
		c.starts[i] = uint32(end)
	}
	lo, hi := ends[0], ends[len(ends)-1]
	for i, o := range c.cutter.objects.Of[lo:hi] {
		c.items[lo+i] = uint64(o)
	}
	// Runs of slots are filled at once.
	for i, k := 0, 0; i < len(slots); i = k {
		for k = i + 1; k < len(slots) && slots[k] == slots[k-1]+1; k++ {
		}
		build.FillPackets(p, t.Store.Nodes.Hot, int(slots[i]), c.starts[i:k+1], c.items[:hi], &c.packets, c.locations[:c.n])
	}
	for i, slot := range slots {
		objects := c.cutter.objects.Of[ends[i]:ends[i+1]]
		strays := false
		for l, id := range p.IDs[slot][:len(objects)] {
			t.IDs.Where[id] = soa.MakeLocation(slot, l)
			strays = strays || !c.placement[objects[l]]
		}
		if p.Bounded() {
			for l := range soa.Lanes {
				p.DropBounds(slot, l)
				if l < len(objects) {
					w := c.locations[objects[l]]
					p.CopyBounds(slot, l, &c.packets, w.Slot(), w.Lane())
				}
			}
		}
		up := p.Parents[slot]
		placement := LaneBox(&t.Store.Nodes.Hot[up.Node()], up.Lane())
		if strays {
			placement = soa.Empty()
			for l, o := range objects {
				if c.placement[o] {
					placement = placement.Union(p.Box(slot, l))
				}
			}
		}
		t.setPlacementBox(slot, t.placementBox(placement))
		t.refitLater(up.Node())
	}
	t.Arrangement += uint64(len(slots))
}

// refillEvenly is refill with the same number of objects for each packet, or one less, in their order.
func (t *Tree) refillEvenly(slots []uint32, c *leaf) {
	var room [soa.Fan + 1]int
	ends := room[:len(slots)+1]
	ends[len(slots)] = c.n
	share(ends)
	t.refill(slots, c, ends)
}
