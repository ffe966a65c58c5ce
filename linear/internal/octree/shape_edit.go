package octree

import (
	"math"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// This file, packet_edit.go, packet_remove.go, packet_copy.go and packet_boxes.go are the editing functions of a tree
// that is changed in place. All other code calls them, and writes to no column directly (TestPen of internal/typed).
// They also record each write for its dependants:
//
//	touch…      versions of the tree, which receive the touched rows
//	dirty       the refit: the lane of this slot may be too large
//	refitLater  the refit: the lanes of this node may be too large
//	thin        the pruning: this node of packets has lost objects
//	ids.Where   the locations of objects by ID
//
// This file edits the structure: nodes and their lanes, owners, keys. Whole trees are
// written by build*.go, and lanes recomputed by shape_refit.go.

// newNode returns a node of that height without lanes.
func (t *Tree) newNode(height uint8) uint32 {
	n := &t.Store.Nodes
	node := n.Alloc()
	n.Height[node] = height
	t.Work.Allocated++
	t.touchNode(node)
	return node
}

func (t *Tree) freeNode(node uint32) {
	t.Store.Nodes.Free(node)
	t.touchNode(node)
}

// addSlots appends n empty slots to the columns, and returns the first one.
func (t *Tree) addSlots(n int) (first uint32) {
	p := &t.Store.Packets
	first = uint32(len(p.Counts))
	p.Resize(len(p.Counts) + n)
	for slot := first; slot < first+uint32(n); slot++ {
		p.Clear(slot)
		t.touch(slot)
	}
	return first
}

// ClearLinks clears the first IDs of free slots, which files of earlier versions use as links of a list.
func (t *Tree) ClearLinks() {
	for slot, ok := t.Free.Next(0); ok; slot, ok = t.Free.Next(slot + 1) {
		t.Store.Packets.IDs[slot][0] = 0
	}
}

// clearSlot makes a slot an empty packet without owner.
func (t *Tree) clearSlot(slot uint32) {
	if p := &t.Store.Packets; p.Counts[slot] == 0 { // so are its lanes
		p.Parents[slot], p.PlacementBoxes[slot] = soa.NoParent, soa.Empty()
	} else {
		p.Clear(slot)
	}
	t.touch(slot)
}

// clearStore removes all nodes and packets.
func (t *Tree) clearStore() {
	t.Store.Empty()
	t.touchAll()
}

func (t *Tree) setHeight(node uint32, height uint8) {
	t.Store.Nodes.Height[node] = height
	t.touchNode(node)
}

// setSlots sets the slots below a node; the empty span means that they are not contiguous.
func (t *Tree) setSlots(node uint32, slots soa.Span) {
	t.Store.Nodes.Slots[node] = slots
	t.touchNode(node)
}

// setArea stores the area of the packets of a node after a cut.
func (t *Tree) setArea(node uint32) {
	n := &t.Store.Nodes
	n.Area[node] = packetArea(&n.Hot[node], int(n.Used[node]))
	t.touchNode(node)
}

// setMinTicks sets the number of ticks that a node is kept when empty, and the tick at which it is
// freed; 0: it is in use.
func (t *Tree) setMinTicks(node uint32, life uint8, dies uint32) {
	n := &t.Store.Nodes
	n.MinTicks[node], n.FreeAtTick[node] = life, dies
	t.touchNode(node)
}

// scatter records that the slots below a lane, and below the lanes above it, are no longer
// contiguous.
func (t *Tree) scatter(up soa.Up) {
	n := &t.Store.Nodes
	for ; up != soa.NoParent && n.Slots[up.Node()].End != 0; up = n.Parents[up.Node()] {
		t.setSlots(up.Node(), soa.Span{})
	}
}

// insertLane inserts a child at lane l of a node that has a free lane. The caller sets box, mask
// and flags.
func (t *Tree) insertLane(node uint32, l int, child soa.Ref, low uint64) {
	n := &t.Store.Nodes
	for i := int(n.Used[node]); i > l; i-- {
		t.copyLane(node, i, node, i-1)
	}
	n.Keys[node][l] = low
	n.Used[node]++
	t.setChild(node, l, child)
}

// removeLane removes a lane and closes the gap. The lanes above may then be too large.
func (t *Tree) removeLane(node uint32, l int) {
	last := int(t.Store.Nodes.Used[node]) - 1
	for i := l; i < last; i++ {
		t.copyLane(node, i, node, i+1)
	}
	t.clearLanes(node, last)
	t.refitLater(node)
}

// moveLanes appends the lanes of a node from l on to those of another.
func (t *Tree) moveLanes(to, from uint32, l int) {
	n := &t.Store.Nodes
	for k := l; k < int(n.Used[from]); k++ {
		t.copyLane(to, int(n.Used[to]), from, k)
		n.Used[to]++
	}
	t.clearLanes(from, l)
}

// copyLane copies a lane with all of its columns.
func (t *Tree) copyLane(to uint32, toLane int, from uint32, lane int) {
	n := &t.Store.Nodes
	d, s := &n.Hot[to], &n.Hot[from]
	for c := range d.Bounds {
		d.Bounds[c][toLane] = s.Bounds[c][lane]
	}
	d.Mask[toLane] = s.Mask[lane]
	n.Keys[to][toLane] = n.Keys[from][lane]
	t.setChild(to, toLane, s.Child[lane])
}

// swapLanes exchanges two lanes of a node.
func (t *Tree) swapLanes(node uint32, a, b int) {
	n := &t.Store.Nodes
	h := &n.Hot[node]
	for c := range h.Bounds {
		h.Bounds[c][a], h.Bounds[c][b] = h.Bounds[c][b], h.Bounds[c][a]
	}
	h.Mask[a], h.Mask[b] = h.Mask[b], h.Mask[a]
	n.Keys[node][a], n.Keys[node][b] = n.Keys[node][b], n.Keys[node][a]
	x, y := h.Child[a], h.Child[b]
	t.setChild(node, a, y)
	t.setChild(node, b, x)
}

// setChild makes a lane refer to a child, and sets the child's parent link.
func (t *Tree) setChild(node uint32, l int, child soa.Ref) {
	s := t.Store
	s.Nodes.Hot[node].Child[l] = child
	t.touchNode(node)
	up := soa.MakeUp(node, l)
	if child.IsPacket() {
		s.Packets.Parents[child.Index()] = up
		t.touch(child.Index())
	} else {
		s.Nodes.Parents[child.Index()] = up
		t.touchNode(child.Index())
	}
}

// clearLanes empties the lanes of a node from l on.
func (t *Tree) clearLanes(node uint32, l int) {
	n := &t.Store.Nodes
	h := &n.Hot[node]
	for i := l; i < soa.Fan; i++ {
		for c := range h.Bounds {
			h.Bounds[c][i] = soa.EmptyNode.Bounds[c][i]
		}
		h.Child[i], h.Mask[i] = 0, 0
		n.Keys[node][i] = soa.NoKey
	}
	n.Used[node] = uint8(l)
	t.touchNode(node)
}

// dropPackets removes the packets of a node from lane l on.
func (t *Tree) dropPackets(node uint32, l int) {
	n := &t.Store.Nodes
	apart := n.Slots[node].End == 0
	for _, child := range n.Hot[node].Child[l:n.Used[node]] {
		t.clearSlot(child.Index())
		if apart {
			t.Free.Add(child.Index())
		}
	}
	t.clearLanes(node, l)
	if t.freeSlots(node) > keptSlots {
		t.releaseSlots(node)
	}
	t.refitLater(node)
}

// setCell makes a node a cell with these keys, or, with soa.NoSpan, not a cell.
func (t *Tree) setCell(node uint32, keys soa.KeySpan) {
	t.Store.Nodes.Cells[node] = keys
	t.touchNode(node)
}

// setLow sets the first key of a cell, and of the lanes that begin with it.
func (t *Tree) setLow(cell uint32, low uint64) {
	n := &t.Store.Nodes
	n.Cells[cell].Low = low
	t.touchNode(cell)
	for up := n.Parents[cell]; up != soa.NoParent; up = n.Parents[up.Node()] {
		n.Keys[up.Node()][up.Lane()] = low
		t.touchNode(up.Node())
		if up.Lane() > 0 {
			break
		}
	}
}

// setHigh sets the last key of a cell.
func (t *Tree) setHigh(cell uint32, high uint64) {
	t.Store.Nodes.Cells[cell].High = high
	t.touchNode(cell)
}

// mapKeys replaces all keys: a first key k of lanes and cells by low(k), a last key k by the lesser
// of high(k) and the next cell's first one. The functions are monotone. The keys of the tree still
// begin with 0 and end with the last. Grafts keep their interval.
func (t *Tree) mapKeys(low, high func(morton.Key) morton.Key) {
	t.touchAll()
	n := &t.Store.Nodes
	last := soa.None // the previous cell
	t.eachCell(0, func(cell uint32) {
		if last == soa.None && t.isGraft(cell) {
			return
		}
		k := &n.Cells[cell]
		k.Low, k.High = uint64(low(morton.Key(k.Low))), uint64(high(morton.Key(k.High)))
		if last == soa.None {
			k.Low = 0
		} else {
			n.Cells[last].High = min(n.Cells[last].High, k.Low)
		}
		last = cell
	})
	n.Cells[last].High = uint64(morton.MaxKey)
	t.eachCell(0, func(cell uint32) { t.setLow(cell, n.Cells[cell].Low) })
}

// setPlacementBox sets the placement box of a packet.
func (t *Tree) setPlacementBox(slot uint32, box soa.AABB) {
	t.Store.Packets.PlacementBoxes[slot] = box
	t.touch(slot)
}

// setPacketLane recomputes the lane of a slot that has changed.
func (t *Tree) setPacketLane(slot uint32) {
	list := [1]uint32{slot}
	build.ReducePackets(&t.Store.Packets, t.Store.Nodes.Hot, list[:])
	t.touchNode(t.Store.Packets.Parents[slot].Node())
}

// setNodeLane recomputes the lane of a node.
func (t *Tree) setNodeLane(node uint32) {
	list := [1]uint32{node}
	build.ReduceNodes(t.Store.Nodes.Hot, t.Store.Nodes.Parents, list[:])
	t.touchNode(t.Store.Nodes.Parents[node].Node())
}

// grow extends the tight boxes from a lane upwards to contain a box. It ends at the first one that
// contains it already: so do all above.
func (t *Tree) grow(up soa.Up, box *soa.AABB) {
	n := &t.Store.Nodes
	for up != soa.NoParent {
		b, l := &n.Hot[up.Node()].Bounds, up.Lane()
		if !exceeds(&box.Min, &box.Max, b, l) {
			return
		}
		for a := range 3 {
			if box.Min[a] < b[2*a][l] {
				b[2*a][l] = box.Min[a] + 0 // + 0 replaces -0
			}
			if box.Max[a] > b[2*a+1][l] {
				b[2*a+1][l] = box.Max[a] + 0
			}
		}
		t.touchNode(up.Node())
		up = n.Parents[up.Node()]
	}
}

// growLane is grow and raise from the lane of a packet upwards, for an object whose box is as likely to be outside the
// lane as inside: there is no branch for that lane. The tree is not published.
func (t *Tree) growLane(up soa.Up, o *soa.Object) {
	n := &t.Store.Nodes
	h, l := &n.Hot[up.Node()], up.Lane()
	b := &h.Bounds
	widenSide(&b[soa.MinX][l], &b[soa.MaxX][l], o.Box.Min[0], o.Box.Max[0])
	widenSide(&b[soa.MinY][l], &b[soa.MaxY][l], o.Box.Min[1], o.Box.Max[1])
	widenSide(&b[soa.MinZ][l], &b[soa.MaxZ][l], o.Box.Min[2], o.Box.Max[2])
	if flags := flagOf(o); h.Mask[l]&o.Mask != o.Mask || h.Child[l]&flags != flags {
		t.raise(up, o.Mask, flags)
	}
	if up := n.Parents[up.Node()]; up != soa.NoParent {
		b, l := &n.Hot[up.Node()].Bounds, up.Lane()
		if o.Box.Min[0] < b[soa.MinX][l] || o.Box.Max[0] > b[soa.MaxX][l] || o.Box.Min[1] < b[soa.MinY][l] ||
			o.Box.Max[1] > b[soa.MaxY][l] || o.Box.Min[2] < b[soa.MinZ][l] || o.Box.Max[2] > b[soa.MaxZ][l] {
			t.grow(up, &o.Box)
		}
	}
}

// widenSide extends a side of a lane to contain that of a box, by conditional moves.
func widenSide(laneMin, laneMax *float32, boxMin, boxMax float32) {
	low, least := math.Float32bits(*laneMin), math.Float32bits(boxMin+0) // + 0 replaces -0
	high, most := math.Float32bits(*laneMax), math.Float32bits(boxMax+0)
	if boxMin < *laneMin {
		low = least
	}
	if boxMax > *laneMax {
		high = most
	}
	*laneMin, *laneMax = math.Float32frombits(low), math.Float32frombits(high)
}

// setTight sets a lane to the exact tight box of a packet after one of its boxes has moved, and
// extends the lanes above. The refit finds whether these have shrunk, which requires that the old
// box touched a face.
//
// Whether it does, and which flags are set, is unpredictable: there are few branches.
func (t *Tree) setTight(up soa.Up, m *build.Moved) {
	if m.Flags < build.MovedGrows {
		return
	}
	n := &t.Store.Nodes
	node, l := up.Node(), up.Lane()
	b := &n.Hot[node].Bounds
	b[soa.MinX][l], b[soa.MinY][l], b[soa.MinZ][l] = m.Min[0], m.Min[1], m.Min[2]
	b[soa.MaxX][l], b[soa.MaxY][l], b[soa.MaxZ][l] = m.Max[0], m.Max[1], m.Max[2]
	t.refitLaterIf(node, m.Flags/build.MovedFromFace&1)
	if up := n.Parents[node]; up != soa.NoParent && exceeds(&m.Min, &m.Max, &n.Hot[up.Node()].Bounds, up.Lane()) {
		t.grow(up, &soa.AABB{Min: m.Min, Max: m.Max})
	}
}

// exceeds reports whether a box exceeds that of a lane, without a branch for each side. With zeros of two signs it may
// report true for a box that does not.
func exceeds(low, high *[3]float32, b *soa.Packet, l int) bool {
	return (math.Float32bits(low[0]-b[soa.MinX][l])|math.Float32bits(b[soa.MaxX][l]-high[0])|
		math.Float32bits(low[1]-b[soa.MinY][l])|math.Float32bits(b[soa.MaxY][l]-high[1])|
		math.Float32bits(low[2]-b[soa.MinZ][l])|math.Float32bits(b[soa.MaxZ][l]-high[2]))>>31 != 0
}

// anyExceeds is exceeds for all boxes of a packet.
func anyExceeds(p, b *soa.Packet, l int) bool {
	signs := uint32(0)
	for a := 0; a < len(p); a += 2 {
		low, high := b[a][l], b[a+1][l]
		for k := range soa.Lanes { // free lanes have the empty box
			signs |= math.Float32bits(p[a][k]-low) | math.Float32bits(high-p[a+1][k])
		}
	}
	return signs>>31 != 0
}

// raise adds the mask and flags of an object to the lanes from a lane upwards.
func (t *Tree) raise(up soa.Up, mask uint32, flags soa.Ref) {
	n := &t.Store.Nodes
	for ; up != soa.NoParent; up = n.Parents[up.Node()] {
		h, l := &n.Hot[up.Node()], up.Lane()
		if h.Mask[l]&mask == mask && h.Child[l]&flags == flags {
			return
		}
		t.touchNode(up.Node())
		h.Mask[l] |= mask
		h.Child[l] |= flags
	}
}

// Nodes count the objects below them, so that a query that only counts need not descend. The counts
// of nodes of packets are updated at once. A refit updates the others up to the root, along the
// marks that it follows anyway.

// count adds by to the number of objects of a node of packets; it may be the two's complement of a
// negative number.
func (t *Tree) count(node, by uint32) {
	t.Store.Nodes.Below[node] += by
	t.Store.Counted = false
	t.touchNode(node)
}

// recount sets the number of objects below a node to the sum of its lanes.
func (t *Tree) recount(node uint32) {
	s := t.Store
	k := uint32(0)
	for _, ref := range s.Nodes.Hot[node].Child[:s.Nodes.Used[node]] {
		if at := ref.Index(); ref.IsPacket() {
			k += uint32(s.Packets.Counts[at])
		} else {
			k += s.Nodes.Below[at]
		}
	}
	s.Nodes.Below[node] = k
	t.touchNode(node)
}

// regroup recounts a node whose lanes have changed, and leaves the nodes above it to the refit.
func (t *Tree) regroup(node uint32) {
	t.recount(node)
	t.refitLater(node)
}
