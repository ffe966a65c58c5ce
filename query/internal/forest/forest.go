// Package forest builds trees over loose packets and objects, for the broad-phase kernels of package asm/pair. Pending
// packets have no nodes, and objects that one query selects, or moves, have none either.
package forest

import (
	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/soa"
)

// Tree is a tree over the pending packets of a store, or over objects, built for one query: 16 of them below a node,
// 16 nodes below the next, in the order of their list. The root is last. The zero value is empty.
type Tree struct {
	Nodes []soa.Node
	up    []soa.Up // all nodes except the root
	list  []uint32 // all nodes except the root, from the packets up
}

// Root returns the number of the root. The tree must not be empty.
func (t *Tree) Root() uint32 { return uint32(len(t.Nodes) - 1) }

// Build builds the tree over the pending packets of a store. It is empty if there are none.
func (t *Tree) Build(s *soa.Store) {
	t.Nodes = t.Nodes[:0]
	lane := 0
	for _, slot := range s.Pending {
		if n := int(s.Packets.Counts[slot]); n > 0 {
			box, mask := soa.Empty(), uint32(0)
			for l := range n {
				box = box.Union(s.Packets.Box(slot, l))
				mask |= s.Packets.MaskAt(slot, l)
			}
			ref := soa.PacketRef(slot)
			moving := s.Packets.Moving[slot]
			if moving != 0 {
				ref |= soa.RefMoving
			}
			if moving != 1<<n-1 {
				ref |= soa.RefStatic
			}
			t.Add(&lane, &box, ref, mask)
		}
	}
	t.Join()
}

// Join adds levels above the nodes until there is one root.
func (t *Tree) Join() {
	t.up, t.list = t.up[:0], t.list[:0]
	for first := 0; len(t.Nodes)-first > 1; {
		last := len(t.Nodes)
		for i := first; i < last; i++ {
			if (i-first)%soa.Fan == 0 {
				t.Nodes = append(t.Nodes, soa.EmptyNode)
			}
			parent := uint32(len(t.Nodes) - 1)
			t.up, t.list = append(t.up, soa.MakeUp(parent, (i-first)%soa.Fan)), append(t.list, uint32(i))
		}
		first = last
	}
	build.ReduceNodes(t.Nodes, t.up, t.list)
}

// Add adds a child in the next lane, of a new node if the lane is 0, before the tree is joined.
func (t *Tree) Add(lane *int, box *soa.AABB, ref soa.Ref, mask uint32) {
	if *lane == 0 {
		t.Nodes = append(t.Nodes, soa.EmptyNode)
	}
	n := &t.Nodes[len(t.Nodes)-1]
	for a := range 3 {
		n.Bounds[2*a][*lane], n.Bounds[2*a+1][*lane] = box.Min[a], box.Max[a]
	}
	n.Child[*lane], n.Mask[*lane] = ref, mask
	*lane = (*lane + 1) % soa.Fan
}
