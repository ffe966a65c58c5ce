package linear

import (
	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/soa"
)

// marks are the rows of a store that have changed since some moment: what a copy
// of that moment lacks. Rows behind the copy's last one need no mark.
type touched struct {
	nodes   bitset.Set
	packets bitset.Set // slots in which more than boxes and spheres has changed
	boxes   bitset.Set // slots, those of packets too
	all     bool       // every row
}

// join adds the marks of m.
func (k *touched) join(m *touched) {
	k.nodes.Join(&m.nodes)
	k.packets.Join(&m.packets)
	k.boxes.Join(&m.boxes)
	k.all = k.all || m.all
}

// clear takes all marks away.
func (k *touched) clear() {
	k.nodes.Clear()
	k.packets.Clear()
	k.boxes.Clear()
	k.all = false
}

// Whoever writes to a column of nodes touches the node; to the boxes or spheres of
// a slot, its boxes; to another column of packets, the slot. It costs a tree that
// is not shared a branch.

func (t *Tree) touchNode(node uint32) {
	if t.touched != nil {
		t.touched.nodes.Add(node)
	}
}

func (t *Tree) touchBoxes(slot uint32) {
	if t.touched != nil {
		t.touched.boxes.Add(slot)
	}
}

func (t *Tree) touch(slot uint32) {
	if t.touched != nil {
		t.touched.packets.Add(slot)
		t.touched.boxes.Add(slot)
	}
}

// touchBlock touches the slots of a block.
func (t *Tree) touchBlock(first uint32) {
	if t.touched != nil {
		for slot := first; slot < first+soa.BlockSlots; slot++ {
			t.touch(slot)
		}
	}
}

// touchAll touches every row: the columns have been written anew.
func (t *Tree) touchAll() {
	if t.touched != nil {
		t.touched.all = true
	}
}

// Nodes and blocks are taken and given back by these, which touch them.

func (t *Tree) allocNode() uint32 {
	node := t.store.Nodes.Alloc()
	t.work.Allocated++
	t.touchNode(node)
	return node
}

func (t *Tree) freeNode(node uint32) {
	t.store.Nodes.Free(node)
	t.touchNode(node)
}

func (t *Tree) allocBlock() uint32 {
	first := t.store.Packets.AllocBlock()
	t.touchBlock(first)
	return first
}

func (t *Tree) freeBlock(first uint32) {
	t.store.Packets.FreeBlock(first)
	t.touchBlock(first)
}
