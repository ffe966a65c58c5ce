package linear

import (
	"iter"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Find returns the packet slot that is the home of a key: where an object with
// that key is, or would be put. When objects equal in all 63 bits fill several
// packets they form a run of consecutive homes, and Find returns the first.
// Pending objects have no home yet. ok is false when the tree has no packets.
//
// It reads one line per level: the first keys of the lanes of a node.
func (v View) Find(key morton.Key) (slot uint32, ok bool) {
	s := v.Store()
	if len(s.Nodes.Hot) == 0 {
		return soa.None, false
	}
	return homeOf(s, uint64(key&morton.MaxKey)), true
}

// homeOf descends to the packet of a key: the last lane that begins at or
// before it, and of several that begin with it the first.
func homeOf(s *soa.Store, key uint64) uint32 {
	for node := uint32(0); ; {
		keys := &s.Nodes.Keys[node]
		lane := 0
		for l := 1; l < asm.Fan && keys[l] <= key; l++ {
			if keys[l] != keys[lane] || key != keys[l] {
				lane = l
			}
		}
		ref := s.Nodes.Hot[node].Child[lane]
		if ref&asm.RefPacket != 0 {
			return ref & asm.RefIndex
		}
		node = ref & asm.RefIndex
	}
}

// Cell describes one packet as a cell of an octree.
type Cell struct {
	Slot   uint32
	Prefix morton.Cell // longest common prefix of the keys whose home it is
	Depth  int         // nodes above the packet
	Box    soa.AABB    // the cell in space
	Tight  soa.AABB    // the union of the boxes in the packet, which may stick out
	Count  int         // objects
}

// Cells returns an iterator over the packets of the tree in the order of their
// keys, each under the longest common prefix of its key interval. Cells may
// nest and several packets may share one; the counts add up to the number of
// objects that are not pending. This is the tree as one draws an octree.
func (t *Tree) Cells() iter.Seq[Cell] {
	v := t.View()
	return func(yield func(Cell) bool) {
		s := v.Store()
		if len(s.Nodes.Hot) == 0 {
			return
		}
		t.cells(s, 0, 1, yield)
	}
}

func (t *Tree) cells(s *soa.Store, node uint32, depth int, yield func(Cell) bool) bool {
	n := &s.Nodes.Hot[node]
	for l := range s.Nodes.Lanes[node] {
		ref := n.Child[l]
		if ref&asm.RefPacket == 0 {
			if !t.cells(s, ref&asm.RefIndex, depth+1, yield) {
				return false
			}
			continue
		}
		slot := ref & asm.RefIndex
		keys := s.Packets.Keys[slot]
		c := Cell{
			Slot:   slot,
			Prefix: morton.Common(morton.Key(keys.Low), morton.Key(keys.High)),
			Depth:  depth,
			Tight:  laneBox(n, int(l)),
			Count:  int(s.Packets.Counts[slot]),
		}
		c.Box.Min, c.Box.Max = t.world.CellBox(c.Prefix)
		if !yield(c) {
			return false
		}
	}
	return true
}

// laneBox returns the tight box of a lane.
func laneBox(n *asm.Node, l int) (b soa.AABB) {
	for a := range 3 {
		b.Min[a], b.Max[a] = n.Bounds[2*a][l], n.Bounds[2*a+1][l]
	}
	return b
}
