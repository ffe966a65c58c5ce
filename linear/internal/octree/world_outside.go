package octree

import (
	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/soa"
)

// WillRemoveOutside records an object that moves out of a world with OutsideRemove. RemoveOutside checks the object
// again, because another move may return it, or a call remove it, before then.
func (t *Tree) WillRemoveOutside(id uint32, box *soa.AABB) {
	if t.Config.Outside == OutsideRemove && t.LeftWorld(box.Center()) {
		t.Leaving.Add(id)
	}
}

// RemoveOutside removes the objects that have left the world. It returns true if some of them were in packets of the
// tree.
func (t *Tree) RemoveOutside() (placed bool) {
	t.RemovedOutside = t.RemovedOutside[:0]
	if t.Leaving.Len() == 0 {
		return false
	}
	var some bitset.Some
	for from := 0; t.Leaving.Len() > 0; {
		ids := t.Leaving.Take(&some, &from)
		gone := ids[:0]
		for _, id := range ids {
			h, ok := t.IDs.Handle(id)
			if !ok {
				continue
			}
			slot, lane := t.Locate(id)
			if !t.LeftWorld(t.Store.Packets.Box(slot, lane).Center()) {
				continue
			}
			gone = append(gone, id)
			t.RemovedOutside = append(t.RemovedOutside, h)
		}
		if t.RemoveAll(gone) {
			placed = true
		}
	}
	if len(t.RemovedOutside) > 0 {
		t.BeginChange()
		t.Work.RemovedOutside += len(t.RemovedOutside)
	}
	return placed
}

// leaving checks that each object outside a world with OutsideRemove is recorded for removal.
func (c *checker) leaving() {
	t := c.t
	if t.Config.Outside != OutsideRemove {
		return
	}
	for id := range uint32(t.IDs.Cap()) {
		if !t.IDs.Alive(id) {
			continue
		}
		slot, lane := t.Locate(id)
		box := t.Store.Packets.Box(slot, lane)
		if t.LeftWorld(box.Center()) && !t.Leaving.Has(id) {
			w := &t.Config.World
			c.fail("object %d with the box %v to %v is outside the world %v to %v, and is not recorded for removal", id, box.Min, box.Max, w.Min, w.Max)
		}
	}
}
