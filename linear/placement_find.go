package linear

import (
	"fmt"
	"iter"
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// CellOf returns the packet slots of the octree cell that contains a Morton key. An object with that key
// ([Tree.Key]) would be inserted into one of its packets; the boxes determine which one. If more objects than fit
// in a cell have equal keys in all 63 bits, several cells in a row share that key. CellOf then returns the slots of
// the last one, which receives new objects. In a frozen tree that has been changed, the span of a cell may include
// slots of other cells. Pending objects are in no cell. ok is false when the tree has no packets.
//
// It reads one cache line per level: the first keys of the lanes of a node.
func (v View) CellOf(key morton.Key) (slots soa.Span, ok bool) {
	s := v.Store()
	if len(s.Nodes.Hot) == 0 {
		return soa.Span{}, false
	}
	return slotsBelowNode(s, lastCell(s, uint64(key&morton.MaxKey))), true
}

// slotsBelowNode returns the smallest span of the packets of a subtree.
func slotsBelowNode(s *soa.Store, node uint32) soa.Span {
	span := s.Nodes.Slots[node]
	if span.End != 0 && s.Nodes.Height[node] > 0 {
		return span
	}
	span = soa.Span{First: soa.None}
	for _, ref := range s.Nodes.Hot[node].Child[:s.Nodes.Used[node]] {
		below := soa.Span{First: ref.Index(), End: ref.Index() + 1}
		if !ref.IsPacket() {
			below = slotsBelowNode(s, ref.Index())
		}
		span.First, span.End = min(span.First, below.First), max(span.End, below.End)
	}
	return span
}

// isCell reports whether a node is a cell.
func isCell(s *soa.Store, node uint32) bool { return s.Nodes.Cells[node] != soa.NoSpan }

// lastCell returns the last cell whose interval contains the key: of a run of equal keys the one that grows.
func lastCell(s *soa.Store, key uint64) (node uint32) {
	for !isCell(s, node) {
		node = toward(s, node, key)
	}
	return node
}

// toward returns the child of a node above cells that leads to lastCell of a key.
func toward(s *soa.Store, node uint32, key uint64) uint32 {
	return s.Nodes.Hot[node].Child[laneOf(&s.Nodes.Keys[node], key)].Index()
}

// laneOf returns the last lane whose first key is not above a key, or lane 0. It is branch-free.
func laneOf(keys *[soa.Fan]uint64, key uint64) (lane int) {
	for step := soa.Fan / 2; step > 0; step /= 2 {
		if keys[(lane+step)&(soa.Fan-1)] <= key {
			lane += step
		}
	}
	return lane & (soa.Fan - 1)
}

// A trail is the path from the root to a cell. For a key that is not below the last one it ascends only as far as
// necessary. It is valid until a cell is split or merged.
type trail struct {
	nodes [8]uint32 // from the root on, without the last ones of a longer path
	ends  [8]uint64 // keys below a node are less
	last  int
}

// newTrail returns a trail at the root.
func newTrail() trail { return trail{ends: [8]uint64{soa.NoKey}} }

// cell returns lastCell of a key that is not below the last one.
func (w *trail) cell(s *soa.Store, key uint64) (node uint32) {
	for key >= w.ends[w.last] {
		w.last--
	}
	node, end := w.nodes[w.last], w.ends[w.last]
	for !isCell(s, node) {
		keys := &s.Nodes.Keys[node]
		lane := laneOf(keys, key)
		if lane+1 < soa.Fan {
			end = min(end, keys[lane+1])
		}
		node = s.Nodes.Hot[node].Child[lane].Index()
		if w.last+1 < len(w.nodes) {
			w.last++
			w.nodes[w.last], w.ends[w.last] = node, end
		}
	}
	return node
}

// packetFor returns the packet in which a box with that key is inserted. In the cell of the key it descends from node
// to node to the lane that grows least ([asm.HomeStep]).
func packetFor(s *soa.Store, key uint64, box *soa.AABB) (slot uint32) {
	return packetBelow(s, lastCell(s, key), box)
}

// packetBelow is packetFor from a cell on.
func packetBelow(s *soa.Store, cell uint32, box *soa.AABB) (slot uint32) {
	ref := [1]soa.Ref{soa.Ref(cell)}
	for !ref[0].IsPacket() {
		asm.HomeStep(ref[:], s.Nodes.Hot, unsafe.Slice(box, 1))
	}
	return ref[0].Index()
}

// packetNear is packetFor with a hint: a slot that has been in that cell. If it still is, the search for the cell is
// skipped.
func packetNear(s *soa.Store, slot uint32, key uint64, box *soa.AABB) uint32 {
	if up := s.Packets.Parents[slot]; up != soa.NoParent {
		// Another cell may begin at the last key of a cell.
		if cell := s.Nodes.Cells[up.Node()]; cell.Low <= key && key < cell.High {
			return packetBelow(s, up.Node(), box)
		}
	}
	return packetFor(s, key, box)
}

// growth is the measure that [asm.HomeStep] compares, for one box.
func growth(b, box *soa.AABB) (sum float32) {
	for a := range 3 {
		sum += max(b.Min[a]-box.Min[a], 0) + max(box.Max[a]-b.Max[a], 0)
	}
	return sum
}

// descendToPackets advances references from nodes in cells to packets, one level of the tree at a time, and prefetches
// all nodes of a level together.
func descendToPackets(s *soa.Store, refs []soa.Ref, boxes []soa.AABB) {
	for {
		asm.HomeStep(refs, s.Nodes.Hot, boxes)
		var room [batchStride]uint32
		nodes := room[:0]
		for _, ref := range refs {
			if !ref.IsPacket() {
				nodes = append(nodes, ref.Index())
			}
		}
		if len(nodes) == 0 {
			return
		}
		mem.Prefetch(s.Nodes.Hot, nodes, 0)
	}
}

// Cell is an octree cell: a node that owns an interval of Morton keys. Below it the packets are partitioned by the
// boxes of their objects, not by keys.
type Cell struct {
	Node    uint32
	Slots   soa.Span    // from its first to its last packet; after changes it may include slots of other cells
	Prefix  morton.Cell // longest common prefix of the cell's keys
	Depth   int         // nodes above the cell
	Box     AABB        // cube of the prefix
	Tight   AABB        // union of the boxes in the cell, which may extend beyond Box
	Packets int
	Count   int // objects
}

// Cells returns an iterator over the octree cells of the tree in the order of their keys, each with the longest
// common prefix of its key interval. Cells may nest, and several may share a prefix; the counts add up to the
// number of objects that are not pending. Use it to draw the octree. Changing the tree during the iteration makes
// it panic.
func (t *Tree) Cells() iter.Seq[Cell] {
	v := t.View()
	return func(yield func(Cell) bool) {
		if len(v.Store().Nodes.Hot) > 0 {
			t.cells(v, 0, 0, yield)
		}
	}
}

func (t *Tree) cells(v View, node uint32, depth int, yield func(Cell) bool) bool {
	s := v.Store()
	if !isCell(s, node) {
		for _, ref := range s.Nodes.Hot[node].Child[:s.Nodes.Used[node]] {
			if !t.cells(v, ref.Index(), depth+1, yield) {
				return false
			}
		}
		return true
	}
	keys := s.Nodes.Cells[node]
	c := Cell{
		Node:   node,
		Slots:  slotsBelowNode(s, node),
		Prefix: morton.Common(morton.Key(keys.Low), morton.Key(keys.High|t.code.drop)),
		Depth:  depth,
		Tight:  nodeBox(&s.Nodes.Hot[node]),
	}
	eachPacketBelow(s, node, depth+1, func(p Packet) bool {
		c.Packets++
		c.Count += p.Count
		return true
	})
	c.Box.Min, c.Box.Max = t.world.CellBox(c.Prefix)
	if !yield(c) {
		return false
	}
	v.Store() // panics if the tree has changed
	return true
}

// Packet describes one packet of a tree: a leaf of up to 16 objects.
type Packet struct {
	Slot  uint32
	Depth int  // nodes above it
	Stay  AABB // placement box: an object whose box is inside keeps its packet
	Tight AABB // union of the boxes of its objects, which may be larger until the next refit
	Count int  // objects
}

// Packets returns an iterator over the packets of the tree, cell by cell in the order of keys, those in a cell in
// the order of the last split. Pending packets are not included. Changing the tree during the iteration makes it
// panic.
func (t *Tree) Packets() iter.Seq[Packet] {
	v := t.View()
	return func(yield func(Packet) bool) {
		s := v.Store()
		if len(s.Nodes.Hot) == 0 {
			return
		}
		eachPacketBelow(s, 0, 1, func(p Packet) bool {
			more := yield(p)
			v.Store() // panics if the tree has changed
			return more
		})
	}
}

// PacketsOf returns an iterator over the packets of one cell, in the order of [Tree.Packets]. Unlike [Cell.Slots]
// it never includes packets of other cells. The cell must be one that [Tree.Cells] has yielded since the last
// change of the tree. It panics if the number of the node is not that of a cell. Changing the tree during the
// iteration makes it panic. It takes constant time for each packet and allocates nothing.
func (t *Tree) PacketsOf(c Cell) iter.Seq[Packet] {
	v := t.View()
	s := v.Store()
	if n := len(s.Nodes.Hot); uint64(c.Node) >= uint64(n) || s.Nodes.Used[c.Node] == 0 || !isCell(s, c.Node) {
		panic(fmt.Sprintf("linear: node %d of %d is not a cell", c.Node, n))
	}
	return func(yield func(Packet) bool) {
		eachPacketBelow(v.Store(), c.Node, c.Depth+1, func(p Packet) bool {
			more := yield(p)
			v.Store() // panics if the tree has changed
			return more
		})
	}
}

// eachPacketBelow calls f with the packets of a subtree, whose lanes are at a depth, until it returns false.
func eachPacketBelow(s *soa.Store, node uint32, depth int, f func(p Packet) bool) bool {
	n := &s.Nodes.Hot[node]
	for l, ref := range n.Child[:s.Nodes.Used[node]] {
		at := ref.Index()
		if !ref.IsPacket() {
			if !eachPacketBelow(s, at, depth+1, f) {
				return false
			}
		} else if !f(Packet{at, depth, s.Packets.PlacementBoxes[at], laneBox(n, l), int(s.Packets.Counts[at])}) {
			return false
		}
	}
	return true
}

// laneBox returns the tight box of a lane.
func laneBox(n *soa.Node, l int) (b soa.AABB) {
	for a := range 3 {
		b.Min[a], b.Max[a] = n.Bounds[2*a][l], n.Bounds[2*a+1][l]
	}
	return b
}
