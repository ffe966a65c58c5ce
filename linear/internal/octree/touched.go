package octree

import (
	"github.com/zoctree/zoctree/internal/bitset"
)

// Touched is the set of rows of a store that have changed since a given version, and that a copy of
// it has to patch. Rows beyond the last row of the copy may be missing from it.
type Touched struct {
	Nodes   bitset.Set
	Packets bitset.Set // slots in which more than boxes and bounds has changed
	Boxes   bitset.Set // slots, including those in packets
	ids     bitset.Set // IDs of inserted objects
	All     bool       // every row
	AllIDs  bool       // every ID
}

// Join adds the rows of m.
func (k *Touched) Join(m *Touched) {
	k.Nodes.Join(&m.Nodes)
	k.Packets.Join(&m.Packets)
	k.Boxes.Join(&m.Boxes)
	k.ids.Join(&m.ids)
	k.All, k.AllIDs = k.All || m.All, k.AllIDs || m.AllIDs
}

// packet adds a slot in which any column may have changed.
func (k *Touched) packet(slot uint32) {
	k.Packets.Add(slot)
	k.Boxes.Add(slot)
}

// Clear removes all rows.
func (k *Touched) Clear() {
	k.Nodes.Clear()
	k.Packets.Clear()
	k.Boxes.Clear()
	k.ids.Clear()
	k.All, k.AllIDs = false, false
}

// Trim frees the memory that the rows do not need.
func (k *Touched) Trim() {
	for _, set := range [...]*bitset.Set{&k.Nodes, &k.Packets, &k.Boxes, &k.ids} {
		set.Trim()
	}
}

// A write to a column of nodes touches the node. A write to the boxes or bounds of a slot touches
// its boxes. A write to another column of packets touches the slot. Only the editing functions (see
// shape_edit.go) call these; insertions touch the ID. For a tree that is not published they cost a branch.

func (t *Tree) touchNode(node uint32) {
	if t.Touched != nil {
		t.Touched.Nodes.Add(node)
	}
}

func (t *Tree) touchBoxes(slot uint32) {
	if t.Touched != nil {
		t.Touched.Boxes.Add(slot)
	}
}

func (t *Tree) touch(slot uint32) {
	if t.Touched != nil {
		t.Touched.packet(slot)
	}
}

func (t *Tree) touchID(id uint32) {
	if t.Touched != nil {
		t.Touched.ids.Add(id)
	}
}

// touchAllIDs touches every ID: all objects are new.
func (t *Tree) touchAllIDs() {
	if t.Touched != nil {
		t.Touched.AllIDs = true
	}
}

// touchAll touches every row and ID: the columns have been rewritten.
func (t *Tree) touchAll() {
	if t.Touched != nil {
		t.Touched.All = true
	}
}
