package octree

import (
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// distribute distributes the objects of up to 16 slots of a node evenly to other slots, partitioned in
// space. Slots of from that are not in to are left to the caller, which inserts no objects into
// them.
func (t *Tree) distribute(from, to []uint32) {
	c := t.copyPackets(from)
	c.cutter.load(c.keys[:c.n])
	t.distributeAll(c, 0, c.n, to)
}

// distributeAll distributes the objects lo to hi-1 of the cutter, which refer to a copy, to packets below
// nodes, and makes the lanes of these exact.
func (t *Tree) distributeAll(c *leaf, lo, hi int, to []uint32) {
	var room [soa.Fan + 1]int
	ends := room[:len(to)+1]
	c.cutter.evenly(lo, hi, ends, &c.cut)
	t.refill(to, c, ends)
	t.Work.Shifted += hi - lo
}

// splitPacket moves half of a packet to a new packet, which becomes the next lane of
// the node. The node must have a free lane.
func (t *Tree) splitPacket(slot uint32) {
	up := t.Store.Packets.Parents[slot]
	to := t.slotFor(up.Node())
	t.insertLane(up.Node(), up.Lane()+1, soa.PacketRef(to), soa.NoKey)
	t.distribute([]uint32{slot}, []uint32{slot, to})
	t.Work.Splits++
}

// slotsOf appends the slots of the packets of a node, in the order of its lanes.
func (t *Tree) slotsOf(dst []uint32, node uint32) []uint32 {
	n := &t.Store.Nodes
	for _, ref := range n.Hot[node].Child[:n.Used[node]] {
		dst = append(dst, ref.Index())
	}
	return dst
}

func square(i int) int { return i * i }

// splitNode splits a full node in two, after its parents where they are full too. A cell of one
// node is split into two cells, a node above cells between keys, and a node below them in space.
func (t *Tree) splitNode(node uint32) {
	n := &t.Store.Nodes
	leaf := n.Height[node] == 0
	switch {
	case IsCell(t.Store, node) && !leaf:
		node = t.deepenCell(node)
	case n.Parents[node] == soa.NoParent:
		node = t.deepen()
	case n.Parents[node].Node() == 0 && t.forked():
		t.deepenBranch(node)
	}
	if n.Used[n.Parents[node].Node()] == soa.Fan {
		t.splitNode(n.Parents[node].Node())
	}
	up := n.Parents[node]
	next := t.newNode(n.Height[node])
	t.setMinTicks(next, n.MinTicks[node], 0)
	t.Work.Splits++
	if leaf {
		t.splitLeaf(node, next)
	} else {
		t.setSlots(node, soa.Span{})
		cut := soa.Fan / 2
		if n.Keys[node][0] != soa.NoKey {
			cut = cutLanes(&n.Keys[node])
		} else {
			t.sortLanes(node)
		}
		t.moveLanes(next, node, cut)
	}
	low := n.Keys[next][0]
	if IsCell(t.Store, next) {
		low = n.Cells[next].Low
	}
	t.insertLane(up.Node(), up.Lane()+1, soa.Ref(next), low)
	t.setNodeLane(node)
	t.setNodeLane(next)
	t.regroup(node)
	t.regroup(next)
	t.scatter(up)
}

// splitLeaf moves about half of the objects of a node of packets to the new node next: those with
// the upper keys if it is a cell, else those on one side in space.
func (t *Tree) splitLeaf(node, next uint32) {
	n := &t.Store.Nodes
	var room [2 * soa.Fan]uint32
	from := t.slotsOf(room[:0], node)
	c := t.copyPackets(from)
	cut := c.n / 2
	t.Buffers().cuts.add(node) // a different node if it was the root
	if IsCell(t.Store, node) {
		keys := n.Cells[node]
		var low, high uint64
		cut, high, low = c.loadByKey(keys)
		t.setCell(next, soa.KeySpan{Low: low, High: keys.High})
		t.setHigh(node, high)
	} else {
		c.cutter.load(c.keys[:c.n])
		c.cutter.halve(0, cut, c.n)
	}
	t.Buffers().cuts.add(next) // its slots may have been those of another node in this stride
	wantA, wantB := t.packetsFor(cut), t.packetsFor(c.n-cut)
	t.addPackets(next, wantB, from[0])
	t.distributeAll(c, 0, cut, from[:wantA])
	t.distributeAll(c, cut, c.n, t.slotsOf(room[soa.Fan:soa.Fan], next))
	t.dropPackets(node, wantA)
	t.setArea(node)
	t.setArea(next)
}

// packetsFor returns the number of packets that hold n objects easily, at least 1.
func (t *Tree) packetsFor(n int) int { return min(n/t.easyCapacity(1)+1, max(n, 1), soa.Fan) }

// loadByKey loads the objects of a copy into the cutter, divided in two as halve does.
func (c *leaf) loadByKey(span soa.KeySpan) (cut int, high, low uint64) {
	for i, key := range c.keys[:c.n] {
		c.keys[i] = min(max(key, span.Low), span.High)
	}
	c.listAll()
	cut, high, low = c.halve(part{0, c.n, span})
	c.loadParts()
	return cut, high, low
}

// halve divides the objects of a part in two, by keys, which are in its interval. Both halves keep the order of their
// objects. It returns the first position of the upper half, the last key of the lower one's cell, and the first key of
// the upper one's. These are equal if both have objects with that key.
//
// Keys are split at the highest bit that leaves each half a quarter of the objects. If there is
// none, because many keys are equal, these are split in the middle.
func (c *leaf) halve(p part) (cut int, high, low uint64) {
	keys, order := c.keys[p.lo:p.hi], c.order[p.lo:p.hi]
	least := max(1, len(keys)/4)
	cut = len(keys) / 2
	lo, hi := p.keys.Low, p.keys.High // interval of the keys of ranks least-1 to n-least
	for {
		lo, hi = keysFrom(keys, lo, hi)
		if low = hi; lo == hi {
			break
		}
		low = face(lo, hi)
		below := 0
		for _, key := range keys {
			if key < low {
				below++
			}
		}
		if below >= least && below <= len(keys)-least {
			cut = below
			break
		}
		if below < least {
			lo = low
		} else {
			hi = low - 1
		}
	}
	// Objects whose key equals low go to the upper half, except the first ones if the lower half
	// has too few others.
	equal := 0
	if high = low - 1; lo == hi {
		high, equal = low, cut
		for _, key := range keys {
			if key < low {
				equal--
			}
		}
	}
	down, up := 0, 0
	for i, key := range keys {
		if key < low || key == low && equal > 0 {
			if key == low {
				equal--
			}
			keys[down], order[down] = key, order[i]
			down++
		} else {
			c.upper[up], c.upperOrder[up] = key, order[i]
			up++
		}
	}
	copy(keys[cut:], c.upper[:up])
	copy(order[cut:], c.upperOrder[:up])
	return p.lo + cut, high, low
}

// listAll lists the objects of a copy in their order, for a division.
func (c *leaf) listAll() {
	c.order, c.upper, c.upperOrder = mem.Fresh(c.order, c.n), mem.Fresh(c.upper, c.n), mem.Fresh(c.upperOrder, c.n)
	for i := range c.order {
		c.order[i] = uint32(i)
	}
}

// loadParts loads the objects into the cutter, in the order of a division.
func (c *leaf) loadParts() {
	c.cutter.load(c.keys[:c.n])
	copy(c.cutter.objects.Of, c.order)
}

// keysFrom returns the least and the largest of the keys from lo to hi. There must be some.
func keysFrom(keys []uint64, lo, hi uint64) (least, most uint64) {
	least, most = hi, lo
	for _, key := range keys {
		if key >= lo && key <= hi {
			least, most = min(least, key), max(most, key)
		}
	}
	return least, most
}

// sortLanes sorts the lanes of a node in a cell by their centres, along the axis on which these are
// furthest apart.
func (t *Tree) sortLanes(node uint32) {
	n := &t.Store.Nodes
	lanes := int(n.Used[node])
	var at [3][soa.Fan]float32
	axis, most := 0, float32(-1)
	for a := range 3 {
		for l := range lanes {
			b := LaneBox(&n.Hot[node], l)
			if b != soa.Empty() {
				at[a][l] = b.Center()[a]
			}
		}
		if span := slices.Max(at[a][:lanes]) - slices.Min(at[a][:lanes]); span > most {
			axis, most = a, span
		}
	}
	x := at[axis][:lanes]
	for i := 1; i < lanes; i++ {
		for j := i; j > 0 && x[j-1] > x[j]; j-- {
			x[j-1], x[j] = x[j], x[j-1]
			t.swapLanes(node, j-1, j)
		}
	}
}

// deepenCell inserts a new node between a cell and its lanes, and returns it. The cell stays in
// place.
func (t *Tree) deepenCell(cell uint32) uint32 {
	n := &t.Store.Nodes
	child := t.newNode(n.Height[cell])
	t.setSlots(child, n.Slots[cell])
	t.moveLanes(child, cell, 0)
	t.setHeight(cell, n.Height[cell]+1)
	t.insertLane(cell, 0, soa.Ref(child), soa.NoKey)
	t.setNodeLane(child)
	t.regroup(child)
	for up := n.Parents[cell]; up != soa.NoParent && n.Height[up.Node()] <= n.Height[cell]; up = n.Parents[up.Node()] {
		t.setHeight(up.Node(), n.Height[cell]+1)
		cell = up.Node()
	}
	return child
}

// deepen inserts a new node between the root and its lanes, and returns it. The root stays node 0.
func (t *Tree) deepen() uint32 {
	n := &t.Store.Nodes
	child := t.newNode(n.Height[0])
	t.setSlots(child, n.Slots[0])
	t.moveLanes(child, 0, 0)
	t.setCell(child, n.Cells[0])
	t.setCell(0, soa.NoSpan)
	t.setHeight(0, n.Height[0]+1)
	t.insertLane(0, 0, soa.Ref(child), 0)
	t.setNodeLane(child)
	t.regroup(child)
	return child
}

// cutLanes returns the lane at which to split a full node: at the highest key bit that changes near
// the middle.
func cutLanes(keys *[soa.Fan]uint64) int {
	cut, best := soa.Fan/2, 0
	for i := 2; i <= soa.Fan-2; i++ {
		if b := bits.Len64(keys[i-1] ^ keys[i]); b > best || b == best && square(i-soa.Fan/2) < square(cut-soa.Fan/2) {
			best, cut = b, i
		}
	}
	return cut
}
