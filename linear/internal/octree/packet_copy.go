package octree

import (
	"slices"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/soa"
)

// Packets are filled anew from a copy of their objects, or of objects of the queue.

// leaf is a copy of the objects of some packets. Kernels fill packets from such records three times as fast as from
// the lanes of other packets (go test ./asm/build -run '^$' -bench 'Fill(Records|Packets)').
type leaf struct {
	// By object, with room for those of all packets.
	objects   []soa.Object
	ids       []uint32
	keys      []uint64
	placement []bool // the object was not displaced
	displaced bool   // some object was displaced; else placement is unspecified
	n         int

	// Of a tree with spheres or oriented boxes.
	packets   soa.PacketColumns // copies of the packets
	rows      int               // of these in use
	locations []soa.Location    // in these, by object

	cutter cutter // of these objects
	cut    build.Cut

	items  []uint64            // objects of packets, and the start of each packet: kernels take their
	starts [soa.Fan + 1]uint32 // addresses

	// A division by keys: its parts, the objects in their order, and memory for the upper half of a part.
	parts             []part
	order, upperOrder []uint32
	upper             []uint64
}

// bytes returns the memory of a copy in bytes.
func (c *leaf) bytes() (bytes int) {
	if c == nil {
		return 0
	}
	var room [16]soa.AnyColumn
	for _, col := range c.packets.Columns(room[:0]) {
		bytes += col.Cap() * col.RowSize()
	}
	return bytes + mem.Bytes(c.locations) + mem.Bytes(c.objects) + mem.Bytes(c.ids) + mem.Bytes(c.keys) + mem.Bytes(c.placement) + mem.Bytes(c.items) +
		mem.Bytes(c.parts) + mem.Bytes(c.order) + mem.Bytes(c.upperOrder) + mem.Bytes(c.upper) + c.cutter.bytes()
}

// emptyLeaf empties a copy, and makes room for so many packets, with the optional columns of the tree. No lane has
// bounds.
func (t *Tree) emptyLeaf(at **leaf, rows int) *leaf {
	if *at == nil {
		*at = new(leaf)
	}
	c := *at
	c.n, c.rows, c.displaced = 0, 0, false
	if n := rows * soa.Lanes; n > len(c.objects) {
		c.objects, c.ids, c.keys = mem.Fresh(c.objects, n), mem.Fresh(c.ids, n), mem.Fresh(c.keys, n)
		c.placement, c.items = mem.Fresh(c.placement, n), mem.Fresh(c.items, n)
	}
	if p := &t.Store.Packets; p.Bounded() {
		if rows > len(c.packets.Counts) {
			c.packets.Resize(rows)
			c.locations = mem.Fresh(c.locations, rows*soa.Lanes)
		}
		c.packets.UseColumnsOf(p)
	}
	return c
}

// copyPackets copies the packets in these slots, up to 16. The copy is valid until the next one.
func (t *Tree) copyPackets(slots []uint32) *leaf {
	c := t.emptyLeaf(&t.Buffers().leaf, soa.Fan)
	t.copyTo(c, slots)
	return c
}

// copyTo copies the packets in these slots, up to 16 of one cell, to an empty copy.
func (t *Tree) copyTo(c *leaf, slots []uint32) {
	p := &t.Store.Packets
	c.n = build.ReadRecords(records(c.objects), c.ids, p, slots)
	fetch(t, t.IDs.Where, c.ids[:c.n], 0)
	if p.Bounded() {
		c.n = 0
		for i, slot := range slots {
			c.packets.CopyRowOf(uint32(i), p, slot)
			c.n += int(p.Counts[slot])
			c.locate(int(p.Counts[slot]))
		}
	}
	t.Code.boxes(c.keys[:c.n], soa.Words(c.objects[:c.n]), 8)
	placed := uint32(0) // packets without a displaced object, as most are
	for i, slot := range slots {
		if t.allPlaced(slot) {
			placed |= 1 << i
		}
	}
	outliers := t.storesOutliers(slots[0])
	if c.displaced = outliers || placed != 1<<len(slots)-1; !c.displaced {
		return
	}
	at, objects := c.placement, c.objects
	for i, slot := range slots {
		n := int(p.Counts[slot])
		for l := range at[:n] {
			at[l] = placed>>i&1 != 0 || t.isPlaced(slot, &objects[l].Box)
		}
		at, objects = at[n:], objects[n:]
	}
	// Near objects that are split together with far ones stay there only if their keys are far keys.
	if outliers {
		for i := range c.n {
			if c.placement[i] && c.keys[i] < outlierLow {
				c.placement[i] = false
				if !t.BulkMotion {
					t.Displaced = append(t.Displaced, c.ids[i])
				}
			}
		}
	}
}

// locate writes the locations of the last n objects, which are in the next packet of a copy.
func (c *leaf) locate(n int) {
	for l := range n {
		c.locations[c.n-n+l] = soa.MakeLocation(uint32(c.rows), l)
	}
	c.rows++
}

// allPlaced reports whether no object of a packet can be displaced.
func (t *Tree) allPlaced(slot uint32) bool {
	p := &t.Store.Packets
	up, a := p.Parents[slot], &p.PlacementBoxes[slot]
	b, l := &t.Store.Nodes.Hot[up.Node()].Bounds, up.Lane()
	return a.Min[0] <= b[soa.MinX][l] && b[soa.MaxX][l] <= a.Max[0] && a.Min[1] <= b[soa.MinY][l] && b[soa.MaxY][l] <= a.Max[1] &&
		a.Min[2] <= b[soa.MinZ][l] && b[soa.MaxZ][l] <= a.Max[2] && t.Code.Near(a)
}

// copyQueue copies objects of the queue, up to leafMax, as copyPackets does.
func (t *Tree) copyQueue(items []uint64) *leaf {
	c, sc := t.emptyLeaf(&t.Buffers().leaf, soa.Fan), t.Buffers()
	var keys [leafMax]uint64
	for i, item := range items {
		keys[i] = sc.keys[radix.Index(item)]
	}
	t.copyQueueTo(c, items, keys[:len(items)])
	c.cutter.load(c.keys[:c.n])
	return c
}

// copyQueueTo adds objects of the queue, which have these keys, to a copy.
func (t *Tree) copyQueueTo(c *leaf, items, keys []uint64) {
	q, n := &t.Buffers().queue, len(items)
	objects, ids := c.objects[c.n:][:n], c.ids[c.n:][:n]
	for i, item := range items {
		id, o := q.object(radix.Index(item))
		objects[i], ids[i] = *o, id
	}
	copy(c.keys[c.n:], keys)
	fetch(t, t.IDs.Where, ids, 0)
	if c.displaced {
		for k := range items {
			c.placement[c.n+k] = true
		}
	}
	if !t.Store.Packets.Bounded() {
		c.n += n
		return
	}
	for ; len(items) > 0; items = items[n:] {
		n = min(soa.Lanes, len(items))
		c.copyBounds(q, items[:n])
		c.n += n
		c.locate(n)
	}
}

// copyBounds copies the bounds of objects of the queue to the lanes of the next packet of a copy.
func (c *leaf) copyBounds(q *queue, items []uint64) {
	p, row := &c.packets, uint32(c.rows)
	for lane, item := range items {
		sphere, oriented := q.bounds(radix.Index(item))
		if sphere[3] >= 0 {
			p.SetSphere(row, lane, *sphere)
		}
		if oriented != nil {
			p.SetOriented(row, lane, oriented)
		}
	}
}

// refill fills packets of nodes with the objects of a copy, which the cutter has between two ends for each, and
// nothing else. Their lanes describe them exactly. Their placement boxes are computed from the objects that were in
// place, without displaced ones.
func (t *Tree) refill(slots []uint32, c *leaf, ends []int) {
	p := &t.Store.Packets
	for i, end := range ends {
		c.starts[i] = uint32(end)
	}
	lo, hi, where, slack := ends[0], ends[len(ends)-1], t.IDs.Where, t.slack()
	for i, o := range c.cutter.objects.Of[lo:hi] {
		c.items[lo+i] = uint64(o)
	}
	// Runs of slots are filled at once.
	for i, k := 0, 0; i < len(slots); i = k {
		for k = i + 1; k < len(slots) && slots[k] == slots[k-1]+1; k++ {
		}
		build.FillRecords(p, t.Store.Nodes.Hot, int(slots[i]), c.starts[i:k+1], c.items[:hi], records(c.objects[:c.n]))
	}
	for i, slot := range slots {
		objects := c.cutter.objects.Of[ends[i]:ends[i+1]]
		ids := p.IDs[slot][:len(objects)]
		for l, o := range objects {
			id := c.ids[o]
			ids[l], where[id] = id, soa.MakeLocation(slot, l)
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
		placeAround(&p.PlacementBoxes[slot], slack, &t.Store.Nodes.Hot[up.Node()].Bounds, up.Lane())
		if c.displaced && slices.ContainsFunc(objects, func(o uint32) bool { return !c.placement[o] }) {
			placement := soa.Empty()
			for l, o := range objects {
				if c.placement[o] {
					placement = placement.Union(p.Box(slot, l))
				}
			}
			t.setPlacementBox(slot, t.placementBox(&placement))
		}
		t.touch(slot)
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
