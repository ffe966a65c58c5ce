package linear

import (
	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/soa"
)

// touched are the rows of a store that have changed since some moment: what a copy
// of that moment lacks. Rows behind the copy's last one need not be in it.
type touched struct {
	nodes   bitset.Set
	packets bitset.Set // slots in which more than boxes and bounds has changed
	boxes   bitset.Set // slots, those of packets too
	all     bool       // every row
}

// join adds the rows of m.
func (k *touched) join(m *touched) {
	k.nodes.Join(&m.nodes)
	k.packets.Join(&m.packets)
	k.boxes.Join(&m.boxes)
	k.all = k.all || m.all
}

// packet adds a slot in which anything may have changed.
func (k *touched) packet(slot uint32) {
	k.packets.Add(slot)
	k.boxes.Add(slot)
}

// clear forgets all rows.
func (k *touched) clear() {
	k.nodes.Clear()
	k.packets.Clear()
	k.boxes.Clear()
	k.all = false
}

// Whoever writes to a column of nodes touches the node; to the boxes or bounds of
// a slot, its boxes; to another column of packets, the slot: that is the pen
// (shape_edit.go), and nobody else. It costs a tree that is not shared a branch.

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
		t.touched.packet(slot)
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
