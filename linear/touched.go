package linear

import (
	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/soa"
)

// touched is the set of rows of a store that have changed since a given version, and that a copy of
// it has to patch. Rows beyond the last row of the copy may be missing from it.
type touched struct {
	nodes   bitset.Set
	packets bitset.Set // slots in which more than boxes and bounds has changed
	boxes   bitset.Set // slots, including those in packets
	ids     bitset.Set // IDs of inserted objects
	all     bool       // every row
	allIDs  bool       // every ID
}

// join adds the rows of m.
func (k *touched) join(m *touched) {
	k.nodes.Join(&m.nodes)
	k.packets.Join(&m.packets)
	k.boxes.Join(&m.boxes)
	k.ids.Join(&m.ids)
	k.all, k.allIDs = k.all || m.all, k.allIDs || m.allIDs
}

// packet adds a slot in which any column may have changed.
func (k *touched) packet(slot uint32) {
	k.packets.Add(slot)
	k.boxes.Add(slot)
}

// clear removes all rows.
func (k *touched) clear() {
	k.nodes.Clear()
	k.packets.Clear()
	k.boxes.Clear()
	k.ids.Clear()
	k.all, k.allIDs = false, false
}

// trim frees the memory that the rows do not need.
func (k *touched) trim() {
	for _, set := range [...]*bitset.Set{&k.nodes, &k.packets, &k.boxes, &k.ids} {
		set.Trim()
	}
}

// A write to a column of nodes touches the node. A write to the boxes or bounds of a slot touches
// its boxes. A write to another column of packets touches the slot. Only the editing functions (see
// shape_edit.go) call these; insertions touch the ID. For a tree that is not published they cost a branch.

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

func (t *Tree) touchID(id uint32) {
	if t.touched != nil {
		t.touched.ids.Add(id)
	}
}

// touchAllIDs touches every ID: all objects are new.
func (t *Tree) touchAllIDs() {
	if t.touched != nil {
		t.touched.allIDs = true
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

// touchAll touches every row and ID: the columns have been rewritten.
func (t *Tree) touchAll() {
	if t.touched != nil {
		t.touched.all = true
	}
}
