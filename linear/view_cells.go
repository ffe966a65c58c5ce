package linear

import (
	"fmt"
	"iter"

	"github.com/zoctree/zoctree/linear/internal/octree"
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
	return octree.SlotsBelowNode(s, octree.LastCell(s, uint64(key&morton.MaxKey))), true
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

// Cells returns an iterator over the octree cells of the tree in the order of their keys, each with the longest common
// prefix of its key interval. Cells may nest, and several may share a prefix; the counts add up to the number of
// objects that are not pending. A graft ([Config.TickBudget]) is a cell of the first key of all, whatever the keys of
// its objects. Use it to draw the octree. Changing the tree during the iteration makes it panic.
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
	if !octree.IsCell(s, node) {
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
		Slots:  octree.SlotsBelowNode(s, node),
		Prefix: morton.Common(morton.Key(keys.Low), morton.Key(keys.High|t.octree.Code.Drop)),
		Depth:  depth,
		Tight:  octree.NodeBox(&s.Nodes.Hot[node]),
	}
	eachPacket(s, node, depth+1, func(p Packet) bool {
		c.Packets++
		c.Count += p.Count
		return true
	})
	c.Box.Min, c.Box.Max = t.octree.World.CellBox(c.Prefix)
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

// Packets returns an iterator over the packets of the tree, cell by cell in the order of keys, those in a cell in the
// order of the last split. Pending packets are not included. Changing the tree during the iteration makes it panic.
func (t *Tree) Packets() iter.Seq[Packet] {
	v := t.View()
	return func(yield func(Packet) bool) {
		s := v.Store()
		if len(s.Nodes.Hot) == 0 {
			return
		}
		eachPacket(s, 0, 1, func(p Packet) bool {
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
	if n := len(s.Nodes.Hot); uint64(c.Node) >= uint64(n) || s.Nodes.Used[c.Node] == 0 || !octree.IsCell(s, c.Node) {
		panic(fmt.Sprintf("linear: node %d of %d is not a cell", c.Node, n))
	}
	return func(yield func(Packet) bool) {
		eachPacket(v.Store(), c.Node, c.Depth+1, func(p Packet) bool {
			more := yield(p)
			v.Store() // panics if the tree has changed
			return more
		})
	}
}

// eachPacket calls f with the packets of a subtree, whose lanes are at a depth, until it returns false.
func eachPacket(s *soa.Store, node uint32, depth int, f func(p Packet) bool) bool {
	return octree.EachPacketBelow(s, node, depth, func(depth int, n *soa.Node, l int) bool {
		at := n.Child[l].Index()
		return f(Packet{at, depth, s.Packets.PlacementBoxes[at], octree.LaneBox(n, l), int(s.Packets.Counts[at])})
	})
}
