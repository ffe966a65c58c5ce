package linear

import (
	"errors"
	"fmt"

	"github.com/zoctree/zoctree/soa"
)

// Insert adds one object and returns its ID. It is pending, which queries see
// at once, until the list is flushed. The errors are those of
// [Tree.InsertBatch], and so are its effects on views.
func (t *Tree) Insert(o soa.Object) (id uint32, err error) {
	if err := t.admit(&o.Box); err != nil {
		return soa.None, fmt.Errorf("linear: %w", err)
	}
	if err := t.admitsPending(1); err != nil {
		return soa.None, err
	}
	t.change()
	id = t.insertOne(&o, &noSphere)
	return id, t.flushIfFull()
}

// insertOne adds an object that has been admitted.
func (t *Tree) insertOne(o *soa.Object, sphere *[4]float32) (id uint32) {
	t.hold(&o.Box)
	return t.addPending(o, sphere)
}

// addPending puts a new object, with its sphere, into the pending list and returns
// its ID.
func (t *Tree) addPending(o *soa.Object, sphere *[4]float32) uint32 {
	s := t.store
	id := t.ids.New(homelessPlace)
	t.place(t.openPending(), id, o, sphere)
	s.Count++
	s.Log.Insert(id, *o, *sphere, t.Len())
	return id
}

// Remove removes one object. Its ID is free for the next object; handles of it
// become stale. An ID that is not live gives [ErrUnknown]. It takes constant
// time, and ends the life of all views: an iteration that goes on panics.
func (t *Tree) Remove(id uint32) error {
	if !t.ids.Alive(id) {
		return unknown(id)
	}
	t.change()
	t.remove(id)
	return nil
}

// Move gives an object a new box. The object stays in its packet, whose tight
// box grows at once; if it leaves the home box of that it becomes a stray,
// which a later flush re-homes. The errors are [ErrUnknown], a box that is not
// finite or is inverted, and [ErrOutside]. It ends the life of all views: an
// iteration that goes on panics.
func (t *Tree) Move(id uint32, box soa.AABB) error {
	if !t.ids.Alive(id) {
		return unknown(id)
	}
	if err := t.admitMove(&box); err != nil {
		return fmt.Errorf("linear: object %d: %w", id, err)
	}
	t.change()
	t.moveOne(id, &box, &noSphere)
	return t.flushIfFull()
}

// moveOne gives a live object a box that has been admitted, and a sphere.
func (t *Tree) moveOne(id uint32, box *soa.AABB, sphere *[4]float32) {
	t.hold(box)
	t.departs(id, box)
	t.refitOnly()
	if sphere[3] >= 0 {
		t.useSpheres()
	}
	t.move(id, box, sphere)
	t.work.Moved++
}

// SetMask gives an object a new type mask. An ID that is not live gives
// [ErrUnknown]. It ends the life of all views: an iteration that goes on panics.
func (t *Tree) SetMask(id, mask uint32) error {
	if !t.ids.Alive(id) {
		return unknown(id)
	}
	t.change()
	t.setMask(id, mask)
	return nil
}

// SetStatic makes an object static or moving. An ID that is not live gives
// [ErrUnknown]. It ends the life of all views: an iteration that goes on panics.
func (t *Tree) SetStatic(id uint32, static bool) error {
	if !t.ids.Alive(id) {
		return unknown(id)
	}
	t.change()
	t.setStatic(id, static)
	return nil
}

// change ends the life of all views.
func (t *Tree) change() { t.store.Version++ }

// hold widens what the tree knows of its objects to a box.
func (t *Tree) hold(box *soa.AABB) {
	c := box.Center()
	t.centres = t.centres.Union(soa.AABB{Min: c, Max: c})
	t.bound(box)
}

// where returns the slot and lane of a live object.
func (t *Tree) where(id uint32) (slot uint32, lane int) {
	w := t.ids.Where[id]
	return w.Slot(), w.Lane()
}

// move overwrites a box and a sphere, as moveAll does many.
func (t *Tree) move(id uint32, box *soa.AABB, sphere *[4]float32) {
	t.exile(id, box)
	slot, lane := t.where(id)
	if t.leaves(slot, box) {
		t.stray(id, slot, lane)
	}
	t.setBox(id, slot, lane, box, sphere)
}

// remove takes an object out of its packet and frees its ID.
func (t *Tree) remove(id uint32) {
	t.peak = max(t.peak, t.Len())
	slot, lane := t.where(id)
	t.takeOut(id, slot, lane)
	t.ids.Free(id)
	t.store.Count--
	t.store.Log.Remove(id, t.Len())
}

// flushIfFull flushes when the pending list or the strays exceed their bound.
func (t *Tree) flushIfFull() error {
	if max(t.pending, len(t.strays)) <= max(t.cfg.PendingMin, t.Len()/t.cfg.PendingShare) {
		return nil
	}
	// A list that finds no room stays as it is: what it holds is in the tree.
	if err := t.flush(); !errors.Is(err, soa.ErrFull) {
		return err
	}
	return nil
}
