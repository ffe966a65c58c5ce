package linear

import (
	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/soa"
)

// RemovedOutside returns handles of the objects that the last [Tree.Flush] or [Tree.Tick]
// that the program called has removed, because they were outside the world
// ([OutsideRemove]): each once, in the order of their IDs. The handles are stale, and
// equal to those that [Tree.Handle] has given of the objects; an ID is that of no
// object until an insertion gives it out again.
//
// The slice belongs to the tree and is for reading only, until the next Flush or
// Tick. It takes constant time and allocates nothing.
func (t *Tree) RemovedOutside() []soa.Handle { return t.departed }

// departs notes an object that moves out of a world which it is to leave then. That
// another move may bring it back, or somebody remove it, is seen when it is to go.
func (t *Tree) departs(id uint32, box *soa.AABB) {
	if t.cfg.Outside == OutsideRemove && t.leftWorld(box.Center()) {
		t.leaving.Add(id)
	}
}

// depart removes the objects that have left the world.
func (t *Tree) depart() {
	t.departed = t.departed[:0]
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
			slot, lane := t.where(id)
			if !t.leftWorld(t.store.Packets.Box(slot, lane).Center()) {
				continue
			}
			gone = append(gone, id)
			t.departed = append(t.departed, h)
		}
		t.removeAll(gone)
	}
	if len(t.departed) > 0 {
		t.change()
		t.work.RemovedOutside += len(t.departed)
	}
}

// leavers checks that the objects outside a world that is to have none are noted.
func (c *checker) leavers() {
	t := c.t
	if t.cfg.Outside != OutsideRemove {
		return
	}
	for id := range uint32(t.ids.Cap()) {
		if o, ok := t.Object(id); ok && t.leftWorld(o.Box.Center()) && !t.leaving.Has(id) {
			w := &t.cfg.World
			c.fail("object %d with the box %v to %v is outside the world %v to %v, and not to leave", id, o.Box.Min, o.Box.Max, w.Min, w.Max)
		}
	}
}
