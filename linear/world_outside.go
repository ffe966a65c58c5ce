package linear

import (
	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/soa"
)

// willRemoveOutside records an object that moves out of a world with outsideRemove. removeOutside checks the object
// again, because another move may return it, or a call remove it, before then.
func (t *Tree) willRemoveOutside(id uint32, box *soa.AABB) {
	if t.cfg.Outside == outsideRemove && t.leftWorld(box.Center()) {
		t.leaving.Add(id)
	}
}

// removeOutside removes the objects that have left the world. It returns true if some of them were in packets of the
// tree.
func (t *Tree) removeOutside() (placed bool) {
	t.removedOutside = t.removedOutside[:0]
	if t.leaving.Len() == 0 {
		return false
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
		if t.removeAll(gone) {
			placed = true
		}
	}
	if len(t.removedOutside) > 0 {
		t.beginChange()
		t.work.RemovedOutside += len(t.removedOutside)
	}
	return placed
}

// leaving checks that each object outside a world with outsideRemove is recorded for removal.
func (c *checker) leaving() {
	t := c.t
	if t.cfg.Outside != outsideRemove {
		return
	}
	for id := range uint32(t.ids.Cap()) {
		if !t.ids.Alive(id) {
			continue
		}
		slot, lane := t.locate(id)
		box := t.store.Packets.Box(slot, lane)
		if t.leftWorld(box.Center()) && !t.leaving.Has(id) {
			w := &t.cfg.World
			c.fail("object %d with the box %v to %v is outside the world %v to %v, and is not recorded for removal", id, box.Min, box.Max, w.Min, w.Max)
		}
	}
}
