package linear

import (
	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/soa"
)

// RemovedOutside returns handles of the objects that the last [Tree.Flush] or [Tree.Tick] removed because they were
// outside the world ([OutsideRemove]): each once, in the order of their IDs. Only calls by the program count. The
// handles are stale, and equal to those that [Tree.Handle] returned for the objects. The IDs are free until an
// insertion uses them again.
//
// The slice belongs to the tree and must not be written to. It is valid until the next Flush or Tick.
// RemovedOutside takes constant time and allocates nothing.
func (t *Tree) RemovedOutside() []Handle { return t.removedOutside }

// willRemoveOutside records an object that moves out of a world with [OutsideRemove]. depart checks the object again,
// because another move may return it, or a call remove it, before then.
func (t *Tree) willRemoveOutside(id uint32, box *soa.AABB) {
	if t.cfg.Outside == OutsideRemove && t.leftWorld(box.Center()) {
		t.leaving.Add(id)
	}
}

// removeOutside removes the objects that have left the world.
func (t *Tree) removeOutside() {
	t.removedOutside = t.removedOutside[:0]
	if t.leaving.Len() == 0 {
		return
	}
	var some bitset.Some
	for from := 0; t.leaving.Len() > 0; {
		ids := t.leaving.Take(&some, &from)
		gone := ids[:0]
		for _, id := range ids {
			h, ok := t.ids.Handle(id)
			if !ok {
				continue
			}
			slot, lane := t.locate(id)
			if !t.leftWorld(t.store.Packets.Box(slot, lane).Center()) {
				continue
			}
			gone = append(gone, id)
			t.removedOutside = append(t.removedOutside, h)
		}
		t.removeAll(gone)
	}
	if len(t.removedOutside) > 0 {
		t.beginChange()
		t.work.RemovedOutside += len(t.removedOutside)
	}
}

// leaving checks that each object outside a world with OutsideRemove is recorded for removal.
func (c *checker) leaving() {
	t := c.t
	if t.cfg.Outside != OutsideRemove {
		return
	}
	for id := range uint32(t.ids.Cap()) {
		if o, ok := t.Object(id); ok && t.leftWorld(o.Box.Center()) && !t.leaving.Has(id) {
			w := &t.cfg.World
			c.fail("object %d with the box %v to %v is outside the world %v to %v, and is not recorded for removal", id, o.Box.Min, o.Box.Max, w.Min, w.Max)
		}
	}
}
