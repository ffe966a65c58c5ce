package octree

import (
	"errors"
	"fmt"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Validate lists at most most faults.
func (t *Tree) Validate(most int) error {
	c := checker{t: t, s: t.Store, max: most}
	c.columns()
	if len(c.errs) == 0 {
		c.objects()
		c.leaving()
		c.thinned()
		c.packets()
		c.nodes()
		c.totals()
	}
	return errors.Join(c.errs...)
}

// MaxErrors is the largest number of faults that Validate lists.
const MaxErrors = 8

type checker struct {
	t    *Tree
	s    *soa.Store
	errs []error
	max  int // limit of len(errs)

	owned     []bool // by slot: a node refers to it
	unplaced  []bool
	displaced map[uint32]bool
	seen      int    // nodes reached
	nextKey   uint64 // smallest possible first key of the next cell
	lastCell  uint32
}

func (c *checker) fail(format string, args ...any) {
	if len(c.errs) < c.max {
		c.errs = append(c.errs, fmt.Errorf("linear: "+format, args...))
	}
}

// columns checks that all columns of a kind have the same length.
func (c *checker) columns() {
	n, p := &c.s.Nodes, &c.s.Packets
	for _, col := range n.Columns(nil) {
		if col.Len() != len(n.Hot) {
			c.fail("column %s has %d nodes, the hot columns have %d", col.Name, col.Len(), len(n.Hot))
		}
	}
	for _, col := range p.Columns(nil) {
		if col.Len() != len(p.Bounds) && !(col.Optional && col.Len() == 0) {
			c.fail("column %s has %d packets, the bounds have %d", col.Name, col.Len(), len(p.Bounds))
		}
	}
	c.owned, c.unplaced = make([]bool, len(p.Counts)), make([]bool, len(p.Counts))
}

// objects checks that each live ID is at its location, and checks the free list.
func (c *checker) objects() {
	ids := &c.t.IDs
	live := 0
	for id := range uint32(ids.Cap()) {
		if !ids.Alive(id) {
			continue
		}
		live++
		w := ids.Where[id]
		slot, lane := w.Slot(), w.Lane()
		if int(slot) >= len(c.s.Packets.Counts) || lane >= int(c.s.Packets.Counts[slot]) {
			c.fail("object %d is indexed at slot %d lane %d, which is empty", id, slot, lane)
		} else if got := c.s.Packets.IDs[slot][lane]; got != id {
			c.fail("object %d is indexed at slot %d lane %d, which holds object %d", id, slot, lane, got)
		}
	}
	if live != ids.Len() || live != c.s.Count {
		c.fail("%d live IDs, counted as %d by the index and %d by the store", live, ids.Len(), c.s.Count)
	}
	if err := ids.Check(); err != nil {
		c.errs = append(c.errs, err)
	}
}

// packets checks each slot by itself.
func (c *checker) packets() {
	p := &c.s.Packets
	total := 0
	for _, n := range p.Counts {
		total += int(n)
	}
	// Each live ID has a lane of its own, as objects has found, and there are as many lanes: so each lane holds
	// a live ID with that location.
	known := len(c.errs) == 0 && total == c.s.Count
	bounded := p.Bounded()
	for slot := range uint32(len(p.Counts)) {
		n := int(p.Counts[slot])
		if n > soa.Lanes {
			c.fail("slot %d holds %d objects", slot, n)
			continue
		}
		first := 0
		if known && n > 0 && !bounded && c.plain(slot) {
			first = n
		}
		for l := first; l < soa.Lanes; l++ {
			b := p.Box(slot, l)
			if bounded {
				c.bounds(slot, l, l < n)
			}
			if l < n {
				if err := b.Check(); err != nil {
					c.fail("slot %d lane %d: %v", slot, l, err)
				}
				if id := p.IDs[slot][l]; !known && (!c.t.IDs.Alive(id) || c.t.IDs.Where[id] != soa.MakeLocation(slot, l)) {
					c.fail("slot %d lane %d holds object %d, which does not exist", slot, l, id)
				}
				c.extents(slot, l, &b)
			} else if b != soa.Empty() || p.IDs[slot][l] != 0 && !(l == 0 && c.t.Free.Has(slot)) || len(p.Masks) > 0 && p.Masks[slot][l] != 0 || p.Moving[slot]>>l&1 != 0 {
				c.fail("slot %d lane %d is free and not empty", slot, l)
			}
		}
	}
	if total != c.s.Count {
		c.fail("%d objects in packets, %d live", total, c.s.Count)
	}
	pending := 0
	for _, slot := range c.s.Pending {
		if c.unplaced[slot] {
			c.fail("slot %d is pending twice", slot)
		}
		c.unplaced[slot] = true
		if p.Parents[slot] != soa.NoParent {
			c.fail("pending slot %d has owner %#x", slot, p.Parents[slot])
		}
		pending += int(p.Counts[slot])
	}
	for i, slot := range c.s.Pending {
		if last := i == len(c.s.Pending)-1; p.Counts[slot] == 0 || !last && p.Counts[slot] < soa.Lanes {
			c.fail("pending slot %d, %d of %d, holds %d objects", slot, i, len(c.s.Pending), p.Counts[slot])
		}
	}
	if pending != c.t.Pending {
		c.fail("%d objects in pending slots, %d counted", pending, c.t.Pending)
	}
}

// extents checks a box against the bounds of coordinates.
func (c *checker) extents(slot uint32, l int, b *soa.AABB) {
	near := c.t.Code.Near(b)
	if !near && !c.t.Code.Outlier {
		c.fail("slot %d lane %d: box %v to %v is far, which no box may be", slot, l, b.Min, b.Max)
	}
	for a := range 3 {
		have := max(-b.Min[a], b.Max[a])
		if !(have <= c.s.Extent[a]) || near && !(have <= c.s.Near[a]) {
			c.fail("slot %d lane %d: box %v to %v (near: %v) beyond the extents %v and %v", slot, l, b.Min, b.Max, near, c.s.Near, c.s.Extent)
		}
	}
}

// nodes walks the tree.
func (c *checker) nodes() {
	n := &c.s.Nodes
	if len(n.Hot) == 0 {
		return
	}
	if n.Parents[0] != soa.NoParent {
		c.fail("the root has the parent %#x", n.Parents[0])
	}
	if low := c.firstKey(0); low != 0 {
		c.fail("the root begins with key %d", low)
	}
	c.displaced = make(map[uint32]bool)
	for _, id := range c.t.Displaced {
		c.displaced[id] = true
	}
	c.node(0, 0, false)
}

// firstKey returns the first key of a cell or of a node above cells.
func (c *checker) firstKey(node uint32) uint64 {
	if IsCell(c.s, node) {
		return c.s.Nodes.Cells[node].Low
	}
	return c.s.Nodes.Keys[node][0]
}

// cell checks the keys of a cell against those of the previous cell.
func (c *checker) cell(i uint32) {
	keys := c.s.Nodes.Cells[i]
	if keys.Low > keys.High || keys.Low < c.nextKey || keys.Low-c.nextKey > 1 {
		c.fail("cell %d has keys %d to %d; the one before ends at %d", i, keys.Low, keys.High, c.nextKey)
	}
	c.nextKey, c.lastCell = keys.High, i
}

// below summarizes a subtree.
type below struct {
	slots   soa.Span // smallest span of all packets
	objects int
	refits  bool // a packet or a node below has a pending refit: boxes above may be larger than necessary
}

// node checks a subtree. inCell reports whether it is below a cell.
func (c *checker) node(i uint32, depth int, inCell bool) (all below) {
	n := &c.s.Nodes
	c.seen++
	if c.seen > len(n.Hot) || depth > 64 {
		c.fail("the nodes form a cycle through %d", i)
		return all
	}
	node := &n.Hot[i]
	lanes := int(n.Used[i])
	if lanes == 0 || lanes > soa.Fan {
		c.fail("node %d has %d lanes", i, lanes)
		return all
	}
	if IsCell(c.s, i) {
		if inCell {
			c.fail("cell %d is below a cell", i)
		}
		c.cell(i)
		inCell = true
	}
	all.slots = soa.Span{First: soa.None}
	add := func(b below) {
		all.slots.First = min(all.slots.First, b.slots.First)
		all.slots.End = max(all.slots.End, b.slots.End)
		all.objects += b.objects
		all.refits = all.refits || b.refits
	}
	for l := range soa.Fan {
		ref, box := node.Child[l], LaneBox(node, l)
		if l >= lanes {
			if ref != 0 || node.Mask[l] != 0 || box != soa.Empty() || n.Keys[i][l] != soa.NoKey {
				c.fail("node %d lane %d is free and not empty", i, l)
			}
			continue
		}
		if inCell && n.Keys[i][l] != soa.NoKey {
			c.fail("node %d: lane %d begins with key %d in a cell", i, l, n.Keys[i][l])
		}
		if !inCell && l > 0 && n.Keys[i][l] < n.Keys[i][l-1] {
			c.fail("node %d: lane %d begins with key %d, lane %d with %d", i, l-1, n.Keys[i][l-1], l, n.Keys[i][l])
		}
		up, index := soa.MakeUp(i, l), ref.Index()
		if ref.IsPacket() {
			if int(index) >= len(c.s.Packets.Counts) {
				c.fail("node %d lane %d refers to slot %d of %d", i, l, index, len(c.s.Packets.Counts))
				continue
			}
			if !inCell {
				c.fail("slot %d is below no cell", index)
			}
			c.packet(index, up, node, l)
			add(below{soa.Span{First: index, End: index + 1}, int(c.s.Packets.Counts[index]), c.t.Dirty.Has(index)})
			continue
		}
		if int(index) >= len(n.Hot) || index == 0 {
			c.fail("node %d lane %d refers to node %d of %d", i, l, index, len(n.Hot))
			continue
		}
		if n.Parents[index] != up {
			c.fail("node %d has parent %#x, want %#x", index, n.Parents[index], up)
		}
		if low := c.firstKey(index); low != n.Keys[i][l] {
			c.fail("node %d begins with key %d, its lane with %d", index, low, n.Keys[i][l])
		}
		under := c.node(index, depth+1, inCell)
		under.refits = under.refits || c.refits(index)
		add(under)
		child := &n.Hot[index]
		if got := NodeBox(child); got != box && (!under.refits || !Covers(box, got)) {
			c.fail("node %d lane %d has the box %v, below it is %v", i, l, box, got)
		}
		var mask uint32
		var flags soa.Ref
		for k := range soa.Fan {
			mask |= child.Mask[k]
			flags |= child.Child[k].Flags()
		}
		if have := ref.Flags(); !under.refits && (mask != node.Mask[l] || flags != have) ||
			mask&^node.Mask[l] != 0 || flags&^have != 0 {
			c.fail("node %d lane %d has mask %#x and reference %#x, below are %#x and %#x", i, l, node.Mask[l], ref, mask, flags)
		}
		if n.Height[index] >= n.Height[i] {
			c.fail("node %d of height %d is below node %d of height %d", index, n.Height[index], i, n.Height[i])
		}
	}
	if k := n.Below[i]; (c.s.Counted || n.Height[i] == 0) && int(k) != all.objects {
		c.fail("node %d counts %d objects, below it are %d", i, k, all.objects)
	}
	if span := n.Slots[i]; span.End != 0 {
		objects := 0
		for _, k := range c.s.Packets.Counts[span.First:span.End] {
			objects += int(k)
		}
		if all.slots.First < span.First || all.slots.End > span.End || objects != all.objects {
			c.fail("node %d has slots %d to %d with %d objects, below it are %d to %d with %d",
				i, span.First, span.End, objects, all.slots.First, all.slots.End, all.objects)
		}
	}
	return all
}

// refits reports whether a refit of the lane of a node is pending.
func (c *checker) refits(node uint32) bool {
	h := int(c.s.Nodes.Height[node])
	return h < len(c.t.RefitByHeight) && c.t.RefitByHeight[h].Has(node)
}

// Covers reports whether a box contains another one, which may be empty.
func Covers(box, b soa.AABB) bool { return b == soa.Empty() || box.Contains(b) }

// packet checks a slot against the lane that refers to it.
func (c *checker) packet(slot uint32, up soa.Up, node *soa.Node, l int) {
	p := &c.s.Packets
	if c.owned[slot] || c.unplaced[slot] {
		c.fail("slot %d is referred to twice", slot)
	}
	c.owned[slot] = true
	if p.Parents[slot] != up {
		c.fail("slot %d has owner %#x, want %#x", slot, p.Parents[slot], up)
	}
	n := min(int(p.Counts[slot]), soa.Lanes)
	tight, _ := tightBox(&p.Bounds[slot], n)
	var mask uint32
	for k := range n {
		mask |= p.MaskAt(slot, k)
	}
	placement := &p.PlacementBoxes[slot]
	all := c.t.BulkMotion || placement.Contains(tight) && c.t.Code.Near(placement) // in place, or not tracked
	for k := 0; k < n && !all; k++ {
		b := p.Box(slot, k)
		if !c.t.isPlaced(slot, &b) && !c.displaced[p.IDs[slot][k]] {
			c.fail("slot %d lane %d has box %v to %v, which does not belong in %v to %v", slot, k, b.Min, b.Max, p.PlacementBoxes[slot].Min, p.PlacementBoxes[slot].Max)
		}
	}
	exact := !c.t.Dirty.Has(slot)
	if box := LaneBox(node, l); box != tight && (exact || !Covers(box, tight)) {
		c.fail("slot %d is in a lane with the box %v, holds %v", slot, box, tight)
	}
	want := soa.PacketRef(slot) | build.RefFlags(p.Moving[slot], n)
	if exact && (node.Mask[l] != mask || node.Child[l] != want) ||
		mask&^node.Mask[l] != 0 || want&^node.Child[l] != 0 || (want^node.Child[l])&soa.RefIndex != 0 {
		c.fail("slot %d is in a lane with mask %#x and reference %#x, want %#x and %#x", slot, node.Mask[l], node.Child[l], mask, want)
	}
}

// totals checks that every node and object is in the tree, in the pending list or free.
func (c *checker) totals() {
	free := 0
	for range c.s.Nodes.EachFree {
		free++
	}
	if c.seen+free != len(c.s.Nodes.Hot) || free != c.s.Nodes.Unused() {
		c.fail("%d nodes reached and %d free (%d counted) of %d", c.seen, free, c.s.Nodes.Unused(), len(c.s.Nodes.Hot))
	}
	if c.seen > 0 && c.nextKey != uint64(morton.MaxKey) {
		c.fail("the last cell, node %d, ends at key %d", c.lastCell, c.nextKey)
	}
	for slot, n := range c.s.Packets.Counts {
		if n > 0 && !c.owned[slot] && !c.unplaced[slot] {
			c.fail("slot %d holds %d objects and is not reached", slot, n)
		}
		if p := &c.s.Packets; !c.owned[slot] && (p.Parents[slot] != soa.NoParent || p.PlacementBoxes[slot] != soa.Empty()) {
			c.fail("slot %d is not in the tree and has owner %#x and placement box %v", slot, p.Parents[slot], p.PlacementBoxes[slot])
		}
	}
	if d, most := &c.t.FastBounds, c.t.computeFastBounds(); !most.Boxes.Contains(d.Boxes) || !most.Centres.Contains(d.Centres) {
		c.fail("boxes have fast bounds %v with centres in %v, want %v and %v", d.Boxes, d.Centres, most.Boxes, most.Centres)
	}
	c.slots()
}

// slots checks that every slot is in one place: in the span of a node or below it, pending, or free.
func (c *checker) slots() {
	n, p := &c.s.Nodes, &c.s.Packets
	placed := make([]uint8, len(p.Counts))
	for i := range n.Hot {
		if n.Used[i] == 0 || n.Height[i] != 0 {
			continue
		}
		span := n.Slots[i]
		for slot := span.First; slot < span.End; slot++ {
			placed[slot]++
		}
		if span.End == 0 {
			for _, child := range n.Hot[i].Child[:n.Used[i]] {
				placed[child.Index()]++
			}
		}
	}
	for _, slot := range c.s.Pending {
		placed[slot]++
	}
	for slot, k := range placed {
		if c.t.Free.Has(uint32(slot)) {
			k++
		}
		if k != 1 {
			c.fail("slot %d is in %d places", slot, k)
		}
	}
}
