package linear

import (
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/soa"
)

// Insert adds one object and returns its ID. It is pending, which queries see
// at once, until the list is flushed: by the next tick, or by a look that finds it too
// long ([Tree.View]). The errors are those of [Tree.InsertBatch], and so are its
// effects on views.
func (t *Tree) Insert(o soa.Object) (id uint32, err error) {
	t.ready()
	known := t.door.passes(&o.Box)
	if !known {
		if err := t.checkBox(&o.Box); err != nil {
			return soa.None, fault.Errorf("linear: %w", err)
		}
	}
	if err := t.admitsPending(1); err != nil {
		return soa.None, err
	}
	t.catchUpMoves()
	t.change()
	if !known {
		t.countOut(&o.Box)
		t.hold(&o.Box)
	}
	id = t.addPending(&o, &noSphere)
	if !known {
		t.fitPending()
	}
	t.crowd()
	return id, nil
}

// insertOne adds an object that has been admitted.
func (t *Tree) insertOne(o *soa.Object, sphere *[4]float32) (id uint32) {
	known := t.door.passes(&o.Box)
	if !known {
		t.countOut(&o.Box)
		t.hold(&o.Box)
	}
	id = t.addPending(o, sphere)
	if !known {
		t.fitPending()
	}
	return id
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
// time, and ends the life of all views: an iteration that goes on panics. What it does to
// the object's packet is recorded, and done with the removals before and after it by
// whatever looks at the tree or changes it otherwise.
func (t *Tree) Remove(id uint32) error {
	if !t.ids.Alive(id) {
		return unknown(id)
	}
	t.catchUpMoves()
	t.change()
	t.remove(id)
	return nil
}

// Move gives an object a new box. It is recorded, and done with the moves before and
// after it by whatever looks at the tree or changes it otherwise; after each 1,024 of
// them strays are counted. The object stays in its packet, whose tight box grows; if it
// leaves the home box of that it becomes a stray, which a later flush re-homes. Its
// sphere and its oriented box, if it has them, go. In
// steady state it allocates nothing. The errors are [ErrUnknown], a box that is not
// finite or is inverted, and [ErrOutside]. It ends the life of all views: an
// iteration that goes on panics.
func (t *Tree) Move(id uint32, box soa.AABB) error {
	if !t.ids.Alive(id) {
		return unknown(id)
	}
	if err := t.admitMove(&box); err != nil {
		return fault.Errorf("linear: object %d: %w", id, err)
	}
	t.wait(id, &box, nil, nil)
	return t.flushMoves()
}

// SetMask gives an object a new type mask. An ID that is not live gives
// [ErrUnknown]. It ends the life of all views: an iteration that goes on panics.
func (t *Tree) SetMask(id, mask uint32) error {
	if !t.ids.Alive(id) {
		return unknown(id)
	}
	t.catchUp()
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
	t.catchUp()
	t.change()
	t.setStatic(id, static)
	return nil
}

// change ends the life of all views, those of scenes included.
func (t *Tree) change() {
	t.store.Version++
	if t.uses != nil {
		t.uses.changed()
	}
}

// turn ends the life of all views though the tree is as it was: its columns are others.
func (t *Tree) turn() {
	calm := t.ticked == t.store.Version
	t.change()
	if calm {
		t.ticked = t.store.Version
	}
}

// hold widens what the tree knows of its objects to a box that does not pass its door.
func (t *Tree) hold(box *soa.AABB) {
	c := box.Center()
	t.centres = t.centres.Union(soa.AABB{Min: c, Max: c})
	t.bound(box)
	t.door = t.widest()
}

// where returns the slot and lane of a live object.
func (t *Tree) where(id uint32) (slot uint32, lane int) {
	w := t.ids.Where[id]
	return w.Slot(), w.Lane()
}

// remove frees the ID of an object. If it is in the tree, its packet loses it later.
func (t *Tree) remove(id uint32) {
	t.peak = max(t.peak, t.Len())
	t.waitGone(id)
	t.ids.Free(id)
	t.store.Count--
	t.store.Log.Remove(id, t.Len())
}
