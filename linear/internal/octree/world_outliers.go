package octree

import (
	"math/bits"

	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Far objects. A box that reaches beyond the cube of the world, grown by its side in every direction, is far: an
// outlier, or a giant such as a sky box. In a packet with others it would make the tight boxes above it useless,
// and its large coordinates would widen the rounding bound of planes for all objects. Two measures confine its
// cost:
//
//   - Its key is in a range at the end of the curve. Where such keys exist, the root is a fork of two branches, and no
//     other node has keys of both:
//
//     keys    0 .. outlierLow-1    outlierLow .. MaxKey
//     root      [ near ]           [ far ]
//
//     Near objects in the cells of the last keys are stored among the far ones.
//
//   - The store has two bounds of coordinates, of near boxes and of all. Plane volumes widen their planes
//     for each box by the smaller bound that the box satisfies.
//
// The world determines which boxes are far. This does not affect query results, except for boxes that nearly touch
// a plane.
const (
	// outlierBits is the number of bits of each coordinate in the key of a far object.
	outlierBits = 16

	// outlierLow is the first key of far objects: the last octant of level 5, at the upper corner of the world.
	outlierLow = uint64(morton.MaxKey) + 1 - 1<<(3*outlierBits)
)

// bound widens the bounds of coordinates to include a box.
func (t *Tree) bound(box *soa.AABB) {
	s := t.Store
	s.Extent = widen(s.Extent, *box)
	if t.Code.Near(box) {
		s.Near = widen(s.Near, *box)
	} else {
		t.Code.Outlier = true
	}
}

// tightenExtent makes the bounds of coordinates exact after changes, when a far object has returned or has been
// removed. It visits only subtrees that may hold both near and far boxes, and returns the union of the near boxes.
// Where boxes are not exact yet, its results may be larger than necessary.
func (t *Tree) tightenExtent() soa.AABB {
	s := t.Store
	h := tightener{t: t, near: soa.Empty(), all: soa.Empty()}
	if len(s.Nodes.Hot) > 0 {
		h.node(0)
	}
	for _, slot := range s.Pending {
		h.packet(slot)
	}
	if t.Unpacked() > 0 {
		objects, _ := t.records.list()
		h.objects(objects)
	}
	near, all := extentOf(h.near), extentOf(h.all)
	if near != s.Near || all != s.Extent {
		t.BeginChange()
		s.Near, s.Extent = near, all
	}
	t.Code.Outlier = h.outlier
	t.FastBounds = t.computeFastBounds()
	return h.near
}

// tightenWorld makes the bounds of coordinates exact and fits the world at the end of a tick, unless the tree is
// unchanged since a tick at which this had no effect.
func (t *Tree) tightenWorld() error {
	if t.tightened != 0 && t.tightened == t.Store.Version {
		return nil
	}
	if t.ends.hold(t) {
		t.FastBounds = t.computeFastBounds()
		return nil
	}
	near := t.tightenExtent()
	t.ends.find(t.Store)
	version := t.Store.Version
	if err := t.shrinkWorld(near); err != nil {
		return err
	}
	t.tightened = 0
	if t.Store.Version == version {
		t.tightened = version
	}
	return nil
}

// ends names lanes of the root that show how far its boxes reach. With any lanes hold is correct.
type ends struct {
	far       [3]uint8 // lane, plus 16 for its upper face, with the largest |coordinate| on each axis
	axis      uint8    // axis on which the boxes extend most
	low, high uint8    // lanes at both ends of it
}

// find finds the ends of the root, whose boxes are exact.
func (e *ends) find(s *soa.Store) {
	*e = ends{}
	if len(s.Nodes.Hot) == 0 {
		return
	}
	b := &s.Nodes.Hot[0].Bounds
	most := float32(-1)
	for a := range uint8(3) {
		low, high := uint8(0), uint8(0)
		lows, highs := &b[2*a], &b[2*a+1]
		for l := range uint8(soa.Fan) {
			if lows[l] < lows[low] {
				low = l
			}
			if highs[l] > highs[high] {
				high = l
			}
		}
		e.far[a] = low
		if highs[high] > -lows[low] {
			e.far[a] = high + soa.Fan
		}
		if side := highs[high] - lows[low]; side > most {
			most, e.axis, e.low, e.high = side, a, low, high
		}
	}
}

// hold reports whether the ends show that tightenExtent and shrinkWorld would change nothing: no box is far, the
// largest coordinates are still there, and the boxes extend too far for a smaller world.
func (e *ends) hold(t *Tree) bool {
	s := t.Store
	if t.Code.Outlier || len(s.Nodes.Hot) == 0 || s.Near != s.Extent {
		return false
	}
	b := &s.Nodes.Hot[0].Bounds
	for a, end := range e.far {
		if x := b[2*a+int(end/soa.Fan)][end%soa.Fan]; x != s.Near[a] && -x != s.Near[a] {
			return false
		}
	}
	return !(float64(b[2*e.axis+1][e.high])-float64(b[2*e.axis][e.low]) < t.Config.shrinkBelow(&t.World))
}

// widen returns the extent, which is not negative, grown to include a box that is not empty.
func widen(e [3]float32, b soa.AABB) [3]float32 {
	for a := range 3 {
		e[a] = max(e[a], -b.Min[a], b.Max[a])
	}
	return e
}

// extentOf returns the largest |coordinate| of a box on each axis, 0 for the empty one.
func extentOf(b soa.AABB) [3]float32 {
	if b == soa.Empty() {
		return [3]float32{}
	}
	return widen([3]float32{}, b)
}

type tightener struct {
	t         *Tree
	near, all soa.AABB
	outlier   bool
	packets   int // packets read
}

func (h *tightener) node(i uint32) {
	n := &h.t.Store.Nodes.Hot[i]
	if box := NodeBox(n); h.t.Code.Near(&box) { // and so are all boxes below
		h.near, h.all = h.near.Union(box), h.all.Union(box)
		return
	}
	for l := range int(h.t.Store.Nodes.Used[i]) {
		box := LaneBox(n, l)
		if box == soa.Empty() {
			continue
		}
		h.all = h.all.Union(box)
		switch ref := n.Child[l]; {
		case h.t.Code.Near(&box):
			h.near = h.near.Union(box)
		case !h.t.Code.reach.Overlaps(box):
			h.outlier = true // and so are all boxes in it
		case ref.IsPacket():
			h.packet(ref.Index())
		default:
			h.node(ref.Index())
		}
	}
}

// objects reads the boxes of objects.
func (h *tightener) objects(objects []soa.Object) {
	for i := range objects {
		box := &objects[i].Box
		h.all = h.all.Union(*box)
		if h.t.Code.Near(box) {
			h.near = h.near.Union(*box)
		} else {
			h.outlier = true
		}
	}
}

// packet reads the objects of a packet column by column: many may be far, and each tick after a change visits them.
func (h *tightener) packet(slot uint32) {
	h.packets++
	p, reach := &h.t.Store.Packets, &h.t.Code.reach
	b, lanes := &p.Bounds[slot], int(p.Counts[slot])
	far := uint16(0)
	for a := range 3 {
		least, most := h.all.Min[a], h.all.Max[a]
		for l := range lanes {
			lo, hi := b[2*a][l], b[2*a+1][l]
			if !(lo >= reach.Min[a] && hi <= reach.Max[a]) {
				far |= 1 << l
			}
			least, most = min(least, lo), max(most, hi)
		}
		h.all.Min[a], h.all.Max[a] = least, most
	}
	h.outlier = h.outlier || far != 0
	for near := (uint16(1)<<lanes - 1) &^ far; near != 0; near &= near - 1 {
		h.near = h.near.Union(p.Box(slot, bits.TrailingZeros16(near)))
	}
}

// MakePending makes an object pending whose next box is far while its packet is not: left there, it would enlarge the
// boxes above.
func (t *Tree) MakePending(id uint32, box *soa.AABB) {
	p := &t.Store.Packets
	slot, lane := t.Locate(id)
	if t.Code.Near(box) || p.Parents[slot] == soa.NoParent || t.storesOutliers(slot) || t.AdmitsPending(1) != nil {
		return
	}
	o := p.Object(slot, lane)
	t.takeOut(id, slot, lane)
	t.place(t.openPending(), id, &o, &NoSphere) // sphere and oriented box are written with the box
}

// forked reports whether the root separates far objects from the others, and nothing else: two branches that grow
// and shrink independently.
func (t *Tree) forked() bool {
	n := &t.Store.Nodes
	return len(n.Hot) > 0 && n.Height[0] > 0 && n.Used[0] == 2 && outlierBorder(&n.Keys[0], 0)
}

// deepenBranch inserts a new node between a forked root and a node below it.
func (t *Tree) deepenBranch(node uint32) {
	n := &t.Store.Nodes
	top, l := t.newNode(n.Height[node]+1), n.Parents[node].Lane()
	t.setSlots(top, n.Slots[node])
	t.insertLane(top, 0, soa.Ref(node), n.Keys[0][l])
	t.setNodeLane(node)
	t.setChild(0, l, soa.Ref(top))
	t.setHeight(0, max(n.Height[0], n.Height[top]+1))
	t.setNodeLane(top)
	t.regroup(top)
}

// flattenBranches removes nodes of one lane below a forked root.
func (t *Tree) flattenBranches() {
	n := &t.Store.Nodes
	for l := range 2 {
		for {
			child := n.Hot[0].Child[l].Index()
			if n.Used[child] != 1 || n.Height[child] == 0 {
				break
			}
			below, cell := n.Hot[child].Child[0].Index(), n.Cells[child]
			t.copyLane(0, l, child, 0)
			if cell != soa.NoSpan { // whose lanes have no keys
				t.setCell(below, cell)
				t.setLow(below, cell.Low)
			}
			t.freeNode(child)
			t.Work.Merges++
		}
	}
	t.setHeight(0, 1+max(n.Height[n.Hot[0].Child[0].Index()], n.Height[n.Hot[0].Child[1].Index()]))
}

// outlierBorder reports whether the keys of far objects begin after a lane, which then shares no key with the next.
func outlierBorder(keys *[soa.Fan]uint64, l int) bool {
	return keys[l] < outlierLow && keys[l+1] >= outlierLow
}

// openOutliers forks the root and assigns the keys of far objects to an empty cell, unless the root is forked or cells
// begin in their range already.
func (t *Tree) openOutliers() {
	n := &t.Store.Nodes
	last := LastCell(t.Store, uint64(morton.MaxKey))
	if t.forked() || n.Cells[last].Low >= outlierLow {
		return
	}
	t.setHigh(last, outlierLow-1)
	EachPacketBelow(t.Store, last, 0, func(_ int, node *soa.Node, lane int) bool {
		t.listDisplaced(node.Child[lane].Index())
		return true
	})
	t.deepen()
	leaf := t.newNode(0)
	t.setCell(leaf, soa.KeySpan{Low: outlierLow, High: uint64(morton.MaxKey)})
	t.addPackets(leaf, 1, 0)
	slot := n.Hot[leaf].Child[0].Index()
	t.insertLane(0, 1, soa.Ref(leaf), outlierLow)
	t.setPacketLane(slot)
	t.setNodeLane(leaf)
	t.scatter(0)
}
