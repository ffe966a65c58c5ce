package octree

import (
	"slices"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/soa"
)

// Insertion of many objects into a cell. A flush finds the cells that receive many objects, and fills each anew with
// its objects, old and new, by the kernels of a build: these are divided between cells as if the cell were split again
// and again, and partitioned into packets in space. So each object moves once, where insertion one by one would move it
// each time that its packet or its node overflows.

const (
	// manyMin is the number of objects from which a cell that receives them in one flush is filled anew.
	manyMin = 8

	// manyMoved is the largest number of objects of a cell that are moved for each object that it receives, and
	// manyMovedLarge that in a tree that does not fit in the cache: there insertion one by one costs more, and cells
	// are filled at the speed of memory (go test ./linear -run '^$' -bench InsertInto).
	manyMoved, manyMovedLarge, manyLarge = 6, 16, 1 << 19
)

// receiver is a cell that receives objects of the queue.
type receiver struct {
	cell  uint32
	first int // item
	n     int
}

// placeMany inserts the objects of cells that receive many objects, and returns the other items. Both lists are in the
// order of keys. Filling a cell changes the interval of no other cell, so all cells are found first.
func (t *Tree) placeMany(items []uint64) []uint64 {
	s, sc := t.Store, t.Buffers()
	all, moved := sc.receivers[:0], manyMoved
	if t.IDs.Len() > manyLarge {
		moved = manyMovedLarge
	}
	sc.queue.sorted = mem.Fresh(sc.queue.sorted, len(items)) // the reads of keys in the order of the queue are cache misses
	keys := sc.queue.sorted
	for i, item := range items {
		keys[i] = sc.keys[radix.Index(item)]
	}
	for way, i := newTrail(), 0; i < len(items); {
		cell, end := way.cell(s, keys[i])
		r := receiver{cell, i, 0}
		for i++; i < len(items) && keys[i] < end; {
			i++
		}
		if r.n = i - r.first; r.n >= manyMin && t.canFill(r.cell) && r.n >= int(s.Nodes.Below[r.cell])/moved {
			all = append(all, r)
		}
	}
	if sc.receivers = all; len(all) == 0 {
		return items
	}
	rest := sc.rest[:0]
	end := 0
	for k, r := range all {
		t.fetchReceiver(items, all, k+2)
		rest = append(rest, items[end:r.first]...)
		end = r.first + r.n
		t.fillCell(r.cell, items[r.first:end], keys[r.first:end])
	}
	sc.rest = append(rest, items[end:]...)
	return sc.rest
}

// fetchReceiver prefetches the packets of a cell and the objects that it receives, and the node of the cell after
// the next.
func (t *Tree) fetchReceiver(items []uint64, all []receiver, k int) {
	if k+2 < len(all) {
		next := [1]uint32{all[k+2].cell}
		fetch(t, t.Store.Nodes.Hot, next[:], 0)
		fetch(t, t.Store.Nodes.Used, next[:], 0)
	}
	if k < len(all) {
		var room [soa.Fan]uint32
		slots := t.slotsOf(room[:0], all[k].cell)
		fetchPackets(t, slots, 0)
		fetchLabels(t, slots, 0)
		for items = items[all[k].first:][:all[k].n]; len(items) > 0; items = items[min(BatchStride, len(items)):] {
			t.Buffers().queue.fetch(items)
		}
	}
}

// canFill reports whether a cell is a node of packets that may be divided: neither the root nor a branch below a forked
// one, nor a cell of outliers, nor a graft.
func (t *Tree) canFill(cell uint32) bool {
	n := &t.Store.Nodes
	up := n.Parents[cell]
	return n.Height[cell] == 0 && up != soa.NoParent && !(up.Node() == 0 && t.forked()) &&
		n.Cells[cell].Low < outlierLow && !t.isGraft(cell)
}

// fillCell fills a cell anew with its objects and those of the queue, which have these keys, and new cells with those
// that it has no room for.
func (t *Tree) fillCell(node uint32, items, keys []uint64) {
	n := &t.Store.Nodes
	c := t.copyCell(node, items, keys)
	c.divide(n.Cells[node], t.leafFill())
	near := n.Hot[node].Child[0].Index()
	for k, p := range c.parts {
		if k == 0 {
			t.emptyNode(node, t.freshPackets(p.hi), near)
		} else {
			node = t.newCellAfter(node, p.keys.Low)
		}
		t.setCell(node, p.keys)
		t.addPackets(node, t.freshPackets(p.hi-p.lo), near)
		var room [soa.Fan]uint32
		t.distributeAll(c, p.lo, p.hi, t.slotsOf(room[:0], node))
		t.setArea(node)
		t.setNodeLane(node)
		t.regroup(node)
		up := n.Parents[node]
		h, above := &n.Hot[up.Node()], n.Parents[up.Node()]
		box := LaneBox(h, up.Lane())
		t.grow(above, &box)
		t.raise(above, h.Mask[up.Lane()], h.Child[up.Lane()]&(soa.RefMoving|soa.RefStatic))
	}
	t.Store.Counted = false
	t.Work.Placed += len(items)
	t.Work.Shifted -= len(items) // see distributeAll
}

// copyCell copies the objects of a cell, and then those of the queue. The keys of the former are clamped to the
// interval of the cell: those under which they are there.
func (t *Tree) copyCell(cell uint32, items, keys []uint64) *leaf {
	n := &t.Store.Nodes
	c := t.emptyLeaf(&t.Buffers().many, int(n.Used[cell])+(len(items)+soa.Lanes-1)/soa.Lanes)
	var room [soa.Fan]uint32
	t.copyTo(c, t.slotsOf(room[:0], cell))
	span := n.Cells[cell]
	for i, key := range c.keys[:c.n] {
		c.keys[i] = min(max(key, span.Low), span.High)
	}
	t.copyQueueTo(c, items, keys)
	return c
}

// emptyNode prepares a cell for so many packets: it drops the others, or all of them if the cell gets a new span of
// slots.
func (t *Tree) emptyNode(node uint32, packets int, near uint32) {
	n := &t.Store.Nodes
	if n.FreeAtTick[node] != 0 {
		t.reuseNode(node)
	}
	t.dropPackets(node, min(packets, int(n.Used[node])))
	t.makeContiguous(node, packets, near)
}

// reuseNode keeps a node that was to be freed, and doubles the number of ticks that it is kept when it is empty again.
func (t *Tree) reuseNode(node uint32) {
	t.setMinTicks(node, uint8(min(2*t.emptyTicks(node), emptyTicksMax)), 0)
	t.Work.Reused++
}

// newCellAfter makes an empty cell in the lane after another one, whose keys begin with low.
func (t *Tree) newCellAfter(node uint32, low uint64) (next uint32) {
	n := &t.Store.Nodes
	if parent := n.Parents[node].Node(); n.Used[parent] == soa.Fan {
		t.splitNode(parent)
	}
	next = t.newNode(0)
	t.setMinTicks(next, n.MinTicks[node], 0)
	up := n.Parents[node]
	t.insertLane(up.Node(), up.Lane()+1, soa.Ref(next), low)
	t.scatter(up)
	t.Work.Splits++
	return next
}

// part is a part of a division: objects lo to hi-1 of the cutter, and the interval of keys of their cell.
type part struct {
	lo, hi int
	keys   soa.KeySpan
}

// divide divides the objects of a cell into parts of at most most objects, and loads them into the cutter.
func (c *leaf) divide(span soa.KeySpan, most int) {
	c.parts = append(c.parts[:0], part{0, c.n, span})
	if c.n <= most {
		c.cutter.load(c.keys[:c.n])
		return
	}
	c.listAll()
	for k := 0; k < len(c.parts); {
		p := c.parts[k]
		if p.hi-p.lo <= most {
			k++
			continue
		}
		mid, high, low := c.halve(p)
		c.parts[k] = part{p.lo, mid, soa.KeySpan{Low: p.keys.Low, High: high}}
		c.parts = slices.Insert(c.parts, k+1, part{mid, p.hi, soa.KeySpan{Low: low, High: p.keys.High}})
	}
	c.loadParts()
}
