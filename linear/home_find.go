package linear

import (
	"iter"
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// HomeOf returns the slots of the cell that is the home of a key: an object with
// that key ([Tree.Key]) would be put into one of its packets, which one is a matter of
// their boxes. When more objects than a cell takes are equal in all 63 bits, several
// cells in a row share that key, and these are the slots of the last, which is where
// another one goes. Between the slots of a cell of a frozen tree that has been changed
// may lie some of others. Pending objects have no home yet. ok is false when the tree
// has no packets.
//
// It reads one line per level: the first keys of the lanes of a node.
func (v View) HomeOf(key morton.Key) (slots soa.Span, ok bool) {
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

// lastCell returns the last cell whose interval holds the key: of a run of equal keys
// the one that grows.
func lastCell(s *soa.Store, key uint64) (node uint32) {
	for !isCell(s, node) {
		node = toward(s, node, key)
	}
	return node
}

// toward returns the child of a node above cells that leads to lastCell of a key.
func toward(s *soa.Store, node uint32, key uint64) uint32 {
	// Keys ascend, so the last that is not above key is the one after so many
	// others. A count has no branch to guess wrong.
	lane := 0
	for _, first := range s.Nodes.Keys[node][1:] {
		if first <= key {
			lane++
		}
	}
	return s.Nodes.Hot[node].Child[lane&(soa.Fan-1)].Index()
}

// homeOf returns the packet that is the home of a box with that key: in the cell of the
// key it goes to the lane that grows least ([asm.HomeStep]), from node to node.
func homeOf(s *soa.Store, key uint64, box *soa.AABB) (slot uint32) {
	ref := [1]soa.Ref{soa.Ref(lastCell(s, key))}
	for !ref[0].IsPacket() {
		asm.HomeStep(ref[:], s.Nodes.Hot, unsafe.Slice(box, 1))
	}
	return ref[0].Index()
}

// growth is what [asm.HomeStep] compares, for one box.
func growth(b, box *soa.AABB) (sum float32) {
	for a := range 3 {
		sum += max(b.Min[a]-box.Min[a], 0) + max(box.Max[a]-b.Max[a], 0)
	}
	return sum
}

// homesOf writes homeOf of each box, a level of the tree at a time: all its nodes
// come from memory together.
func homesOf(s *soa.Store, homes []uint32, keys []uint64, boxes []soa.AABB) {
	var room [batchStride]soa.Ref
	var nodes [batchStride]uint32
	refs := room[:len(homes)] // all at the root
	for above := true; above; {
		for j, ref := range refs {
			nodes[j] = uint32(ref)
		}
		mem.Prefetch(s.Nodes.Cells, nodes[:len(refs)], 0)
		mem.Prefetch(s.Nodes.Keys, nodes[:len(refs)], 0)
		above = false
		for j, node := range nodes[:len(refs)] {
			if !isCell(s, node) {
				refs[j] = soa.Ref(toward(s, node, keys[j]))
				above = true
			}
		}
	}
	for {
		n := 0
		for _, ref := range refs {
			if !ref.IsPacket() {
				nodes[n] = ref.Index()
				n++
			}
		}
		if n == 0 {
			break
		}
		mem.Prefetch(s.Nodes.Hot, nodes[:n], 0)
		asm.HomeStep(refs, s.Nodes.Hot, boxes)
	}
	for j, ref := range refs {
		homes[j] = ref.Index()
	}
}

// Cell is a part of space that keys address: a node of the tree below which there is no
// order of keys, whose packets are where the objects lie.
type Cell struct {
	Node    uint32
	Slots   soa.Span    // from its first to its last packet
	Prefix  morton.Cell // longest common prefix of the keys whose home it is
	Depth   int         // nodes above the cell
	Box     soa.AABB    // the prefix in space
	Tight   soa.AABB    // the union of the boxes in the cell, which may stick out
	Packets int
	Count   int // objects
}

// Cells returns an iterator over the cells of the tree in the order of their keys,
// each under the longest common prefix of its key interval. Cells may nest and several
// may share a prefix; the counts add up to the number of objects that are not pending.
// This is the tree as one draws an octree. Changing the tree during the iteration
// makes it panic.
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

// Packet describes one packet of a tree.
type Packet struct {
	Slot  uint32
	Depth int      // nodes above it
	Home  soa.AABB // the box in which its objects stay
	Tight soa.AABB // the union of their boxes, which may be larger until the next refit
	Count int      // objects
}

// Packets returns an iterator over the packets of the tree, cell by cell in the order
// of keys, those of a cell as they were cut. Pending packets are not among them.
// Changing the tree during the iteration makes it panic.
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

// eachPacketBelow calls f with the packets of a subtree, whose lanes are at a depth,
// until it returns false.
func eachPacketBelow(s *soa.Store, node uint32, depth int, f func(p Packet) bool) bool {
	n := &s.Nodes.Hot[node]
	for l, ref := range n.Child[:s.Nodes.Used[node]] {
		at := ref.Index()
		if !ref.IsPacket() {
			if !eachPacketBelow(s, at, depth+1, f) {
				return false
			}
		} else if !f(Packet{at, depth, s.Packets.Homes[at], laneBox(n, l), int(s.Packets.Counts[at])}) {
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
