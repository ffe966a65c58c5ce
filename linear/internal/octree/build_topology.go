package octree

import (
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

const (
	// leafMax is the maximum number of objects below a node of height 0.
	leafMax = soa.Fan * soa.Lanes

	// roomyFill is the maximum number of objects that a build puts into a packet that may get
	// insertions later.
	roomyFill = 14

	// roomySlots is the number of free slots that a build gives a node of packets that may get insertions later: the
	// first packet that is split needs one.
	roomySlots = 1

	// alignMax is the maximum number of objects by which a cut between nodes is moved to fill a
	// packet, in a frozen tree that is filled along the curve. 3 saves up to 1 % of the packets,
	// and frusta visit 2 to 4 % more; 8 saves 2 to 4 % and costs 5 to 9 %.
	alignMax = 3

	// frozenCell is the maximum number of objects in a cell of a frozen tree, which is partitioned
	// as a whole. In cells of 65,536 objects queries of a new tree visit up to 4 % less in scenes of
	// 300,000. But insertions choose a packet in a cell by boxes alone, and widen these: when one of
	// 10,000 objects in 100 jumps a frame, small boxes visit 5 times as much in a tree of one cell,
	// and 1.2 times as much with this number (bench scaling changes -n 10k -only "jump, 1 %, frozen").
	// The cells of other trees are single leaves: with 4,096 objects in a cell queries visit 2 to 8 %
	// less in a new tree, and 4 to 25 % more after 400 frames in which one object in 100 moves.
	frozenCell = 1 << 12

	// lowBits is the number of key bits that an item leaves out.
	lowBits = 30

	// maxHeight is an upper bound of the height of a node: 2^31 objects need less than 256 * 16^6 =
	// 2^32.
	maxHeight = 6
)

// topology partitions sorted keys into cells and cells into packets, and groups packets into nodes,
// as in a linear BVH (LBVH) build. It writes the cold columns of the nodes and, for each slot, the
// start of its items and the lane that refers to it; boxes follow in a later phase.
//
//	items    sorted, key's top 33 bits and index: see package radix
//	starts   slot s holds items[starts[s]:starts[s+1]]
//
// From the root down to cells, keys are split at key bits, so that boxes are those of octants;
// where cells are leaves, borders are moved so that these are full. Below cells, splits depend only
// on numbers of objects, and build_cells.go assigns the items of a cell to packets. Equal keys may
// be split between cells, whose intervals then share that key.
type topology struct {
	items   []uint64
	keys    []uint64 // by index
	sq      squeeze  // of items and keys; all other keys are stretched
	frozen  bool
	lone    bool // one packet holds all objects, and there are no other slots
	curve   bool // cells are filled along the curve, not partitioned in space
	outlier bool // keys of far objects get a branch of their own

	fill int // maximum number of objects in a packet
	cell int // maximum number of objects in a cell

	nodes    *soa.NodeColumns
	n        int // nodes so far
	starts   []uint32
	owner    []soa.Up
	last     uint32 // the last cell, None before the first
	maxNodes uint64 // its largest key
}

// run builds the topology of all items. The root is node 0.
func (t *topology) run() {
	t.n, t.last = 0, soa.None
	t.fill = soa.Lanes
	if !t.frozen {
		t.fill = roomyFill
	}
	t.cell = t.leafFill()
	if t.frozen && !t.curve {
		t.cell = frozenCell
	}
	t.reserve()
	if len(t.items) > 0 {
		t.root()
		t.nodes.Cells[t.last].High = uint64(morton.MaxKey)
	}
	t.starts = append(t.starts, uint32(len(t.items)))
}

// reserve empties the lists, with a capacity that suffices for most scenes: a tree with room for
// insertions has a slot for 11 to 13 objects and a node for 55 or more.
func (t *topology) reserve() {
	slots := len(t.items)/10 + soa.Fan
	if t.frozen {
		slots = len(t.items)/14 + soa.Fan
	}
	if t.lone {
		slots = 2
	}
	t.starts = mem.Fresh(t.starts, slots)[:0]
	t.owner = mem.Fresh(t.owner, slots)[:0]
	t.nodes.ResizeCold(max(len(t.nodes.Parents), len(t.items)/55+1))
}

// root builds node 0. If there are near and far objects, it is the parent of a branch for each.
func (t *topology) root() {
	whole := itemRun{0, len(t.items), 0}
	at := whole.hi
	if t.outlier {
		at = searchTop(t.items, outlierLow>>lowBits)
	}
	if at == whole.lo || at == whole.hi {
		t.node(whole, soa.NoParent)
		return
	}
	index, first := t.begin(soa.NoParent)
	t.nodes.Below[index] = uint32(whole.hi - whole.lo)
	near, far := itemRun{whole.lo, at, whole.low}, itemRun{at, whole.hi, outlierLow}
	t.nodes.Keys[index][0], t.nodes.Keys[index][1] = near.low, far.low
	height := t.node(near, soa.MakeUp(index, 0))
	t.end(index, first, 2, 1+max(height, t.node(far, soa.MakeUp(index, 1))))
}

// key returns the key of the item at position i, in the form in which it was sorted.
func (t *topology) key(i int) uint64 { return t.keys[radix.Index(t.items[i])] }

// itemRun is a run of items below one lane; low is the first key of its interval.
type itemRun struct {
	lo, hi int
	low    uint64
}

// node builds the subtree of a run and returns its height. Nodes and slots are numbered depth
// first, so that a subtree is a run of both.
func (t *topology) node(p itemRun, up soa.Up) (height uint8) {
	if p.hi-p.lo <= t.cell {
		return t.cellNode(p, up)
	}
	index, first := t.begin(up)
	t.nodes.Below[index] = uint32(p.hi - p.lo)
	var parts [soa.Fan]itemRun
	lanes := t.split(&parts, p)
	for l, q := range parts[:lanes] {
		t.nodes.Keys[index][l] = q.low
		height = max(height, 1+t.node(q, soa.MakeUp(index, l)))
	}
	t.end(index, first, lanes, height)
	return height
}

// cellNode builds a cell. It also ends the key interval of the previous cell: before the first key
// of this cell, or at that key if an item of the previous cell has it.
func (t *topology) cellNode(p itemRun, up soa.Up) (height uint8) {
	if t.last != soa.None {
		high := p.low
		if t.maxNodes < p.low {
			high--
		}
		t.nodes.Cells[t.last].High = high
	}
	t.last, t.maxNodes = uint32(t.n), t.sq.key(t.key(p.hi-1))
	height = t.below(p.lo, p.hi, up)
	t.nodes.Cells[t.last].Low = p.low
	return height
}

// below builds a subtree of a cell from items lo to hi-1.
func (t *topology) below(lo, hi int, up soa.Up) (height uint8) {
	index, first := t.begin(up)
	t.nodes.Below[index] = uint32(hi - lo)
	lanes := 0
	if hi-lo <= t.leafFill() {
		lanes = t.leaf(index, lo, hi)
	} else {
		d := t.divide(lo, hi)
		lanes = d.n
		for l := range lanes {
			height = max(height, 1+t.below(d.cuts[l], d.cuts[l+1], soa.MakeUp(index, l)))
		}
	}
	t.end(index, first, lanes, height)
	return height
}

// division is a division of a run of objects of a cell into up to 16 parts, by repeated halving.
type division struct {
	n      int              // number of parts
	cuts   [soa.Fan + 1]int // borders of the parts
	halves [soa.Fan][3]int  // n-1 steps: from, middle, to
}

// divide divides a run. It halves the largest part until each part fits into a subtree that is one
// lower than this one must be. Cuts are at multiples that keep the levels below full.
func (t *topology) divide(lo, hi int) (d division) {
	h := t.heightOf(hi - lo)
	fits, grain := int(t.capacity(h-1)), t.fill
	if h > 1 {
		grain = int(t.capacity(h - 2))
	}
	d.cuts[0], d.cuts[1] = lo, hi
	for d.n = 1; ; d.n++ {
		full := 0
		for i := 1; i < d.n; i++ {
			if d.cuts[i+1]-d.cuts[i] > d.cuts[full+1]-d.cuts[full] {
				full = i
			}
		}
		a, b := d.cuts[full], d.cuts[full+1]
		if b-a <= fits {
			return d
		}
		mid := a + ((b-a+1)/2+grain-1)/grain*grain
		d.halves[d.n-1] = [3]int{a, mid, b}
		copy(d.cuts[full+2:d.n+2], d.cuts[full+1:d.n+1])
		d.cuts[full+1] = mid
	}
}

// heightOf returns the height, at least 1, of the lowest subtree with a capacity of n objects.
func (t *topology) heightOf(n int) int {
	h := 1
	for h < maxHeight && t.capacity(h) < int64(n) {
		h++
	}
	return h
}

// begin numbers a node and returns the first slot below it.
func (t *topology) begin(up soa.Up) (index, first uint32) {
	index = uint32(t.n)
	t.n++
	if t.n > len(t.nodes.Parents) {
		t.nodes.ResizeCold(max(t.n, 2*len(t.nodes.Parents)))
	}
	t.nodes.Parents[index] = up
	t.nodes.Keys[index], t.nodes.Cells[index] = soa.NoKeys, soa.NoSpan
	t.nodes.MinTicks[index], t.nodes.FreeAtTick[index] = 0, 0
	return index, uint32(len(t.starts))
}

// end writes the columns of a node that depend on its subtree.
func (t *topology) end(index, first uint32, lanes int, height uint8) {
	t.nodes.Used[index] = uint8(lanes)
	t.nodes.Height[index] = height
	t.nodes.Slots[index] = soa.Span{First: first, End: uint32(len(t.starts))}
}

// leafFill returns the maximum number of objects that a build puts below a node of height 0.
func (t *topology) leafFill() int { return soa.Fan * t.fill }

// leaf distributes the items of a leaf node among packets and returns their number. In a tree with
// room for insertions the node also gets free slots, unless its packet is the only one.
func (t *topology) leaf(index uint32, lo, hi int) int {
	n := 0
	for at := lo; at < hi; at += t.fill {
		t.slot(at, soa.MakeUp(index, n))
		n++
	}
	free := min(roomySlots, soa.Fan-n)
	for ; free > 0 && !t.frozen && !t.lone; free-- {
		t.slot(hi, soa.NoParent)
	}
	return n
}

// slot adds a slot whose items begin at start. The owner is NoParent if no node refers to the slot.
func (t *topology) slot(start int, owner soa.Up) {
	t.starts = append(t.starts, uint32(start))
	t.owner = append(t.owner, owner)
}

// border returns the key that separates the item at position at from the previous one. It is the
// key with the most trailing zeros that is above the previous key and not above the item's key, or
// their common key. It is a face of the largest cell between them: items that move a little seldom
// cross it, unlike a border at the key of one of the items.
//
//	before   0110 1001 1100
//	at       0110 1011 0001
//	border   0110 1010 0000
func (t *topology) border(at int) uint64 {
	if a, b := radix.Top(t.items[at-1]), radix.Top(t.items[at]); a != b {
		return t.sq.face(face(a, b) << lowBits)
	}
	a, b := t.key(at-1), t.key(at)
	if a == b {
		return t.sq.key(b)
	}
	return t.sq.face(face(a, b))
}

// face returns the number with the most trailing zeros in (a, b], for a < b.
func face(a, b uint64) uint64 {
	shift := bits.Len64(a^b) - 1
	return b >> shift << shift
}

// capacity returns the maximum number of objects below a node of height h.
func (t *topology) capacity(h int) int64 { return int64(t.leafFill()) << (4 * h) }

// split splits a run into two to sixteen, always the largest next, until all lanes are used or each
// part fits into a subtree that is one lower than this one must be.
func (t *topology) split(parts *[soa.Fan]itemRun, whole itemRun) int {
	h := t.heightOf(whole.hi - whole.lo)
	fits := t.capacity(h - 1)
	parts[0] = whole
	n := 1
	for n < soa.Fan {
		full := 0
		for i := 1; i < n; i++ {
			if parts[i].hi-parts[i].lo > parts[full].hi-parts[full].lo {
				full = i
			}
		}
		p := parts[full]
		if n > 1 && int64(p.hi-p.lo) <= fits {
			break
		}
		at, key := t.halve(p)
		copy(parts[full+2:n+1], parts[full+1:n])
		parts[full].hi = at
		parts[full+1] = itemRun{at, p.hi, key}
		n++
	}
	if h == 1 {
		n = t.level(parts, n)
	}
	return n
}

// level moves the cuts between parts that become nodes of packets, so that no part has more items
// than a leaf holds. In a frozen tree it also moves cuts by up to alignMax items to fill the last
// packet of a part. It drops empty parts and returns the number of parts left.
func (t *topology) level(parts *[soa.Fan]itemRun, n int) int {
	lo, most := parts[0].lo, t.leafFill()
	var cuts [soa.Fan + 1]int
	for i := range n {
		cuts[i+1] = parts[i].hi - lo
	}
	for i := 1; i < n; i++ { // at most one leaf after the previous cut
		cut := cuts[i]
		if near := (cut + soa.Lanes/2) &^ (soa.Lanes - 1); t.frozen && max(near-cut, cut-near) <= alignMax {
			cut = near
		}
		cuts[i] = min(cut, cuts[i-1]+most)
	}
	for i := n - 1; i > 0; i-- { // and at most one leaf before the next
		cuts[i] = max(min(cuts[i], cuts[i+1]), cuts[i+1]-most)
	}
	old := *parts
	k := 0
	for i := range n {
		if cuts[i] == cuts[i+1] {
			continue
		}
		p := itemRun{lo + cuts[i], lo + cuts[i+1], old[i].low}
		if k == 0 {
			p.low = old[0].low
		} else if p.lo != old[i].lo {
			p.low = t.border(p.lo)
		}
		parts[k] = p
		k++
	}
	return k
}

// halve splits a run at the highest key bit in which its ends differ, and returns the position and
// the first key of the upper half. Equal keys are split in the middle, at a full packet.
func (t *topology) halve(p itemRun) (at int, key uint64) {
	a, b := radix.Top(t.items[p.lo]), radix.Top(t.items[p.hi-1])
	if a != b {
		key = face(a, b)
		return p.lo + searchTop(t.items[p.lo:p.hi], key), t.sq.face(key << lowBits)
	}
	a, b = t.key(p.lo), t.key(p.hi-1)
	if a != b {
		key = face(a, b)
		n, _ := slices.BinarySearchFunc(t.items[p.lo:p.hi], key, func(item, key uint64) int {
			if t.keys[radix.Index(item)] < key {
				return -1
			}
			return 1
		})
		return p.lo + n, t.sq.face(key)
	}
	return p.lo + (p.hi-p.lo)/2&^(soa.Lanes-1), t.sq.key(a) // a run has more items than a leaf holds
}

// searchTop returns the number of items whose top bits are below top, by binary search.
func searchTop(items []uint64, top uint64) int {
	lo, n := 0, len(items)
	for n > 0 {
		half := n / 2
		if radix.Top(items[lo+half]) < top {
			lo += n - half
		}
		n = half
	}
	return lo
}
