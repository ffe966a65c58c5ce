package linear

import (
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/soa"
)

// Insert adds one object and returns its ID. The object is pending, and queries find it at once,
// until a flush places it in the tree: in the next tick, or in a [Tree.View] when too many objects
// are pending. Errors and effects on views are those of [Tree.InsertBatch].
func (t *Tree) Insert(o Object) (id uint32, err error) {
	t.ready()
	known := t.fastBounds.contains(&o.Box)
	if !known {
		if err := t.checkBox(&o.Box); err != nil {
			return soa.None, fault.Errorf("linear: %w", err)
		}
	}
	if err := t.admitsPending(1); err != nil {
		return soa.None, err
	}
	t.applyDeferredMoves()
	t.beginChange()
	if !known {
		t.countOut(&o.Box)
		t.widenBounds(&o.Box)
	}
	id = t.addPending(&o, &noSphere)
	if !known {
		t.fitPending()
	}
	t.markIfCrowded()
	return id, nil
}

// insertOne adds a validated object.
func (t *Tree) insertOne(o *soa.Object, sphere *[4]float32) (id uint32) {
	known := t.fastBounds.contains(&o.Box)
	if !known {
		t.countOut(&o.Box)
		t.widenBounds(&o.Box)
	}
	id = t.addPending(o, sphere)
	if !known {
		t.fitPending()
	}
	return id
}

// addPending adds a new object, with its sphere, to the pending list and returns its ID.
func (t *Tree) addPending(o *soa.Object, sphere *[4]float32) uint32 {
	s := t.store
	id := t.ids.New(unplacedLocation)
	t.touchID(id)
	t.place(t.openPending(), id, o, sphere)
	s.Count++
	s.Log.Insert(id, *o, *sphere, t.Len())
	return id
}

// Remove removes one object and frees its ID for reuse; handles of the object become stale. For an
// ID that is not live it returns [ErrUnknown]. It takes constant time.
//
// It invalidates all views: an iteration that continues panics. The removal from the object's
// packet is deferred: the next read of the tree, or a later change of another kind, applies it
// with the removals before and after it.
func (t *Tree) Remove(id uint32) error {
	if !t.ids.Alive(id) {
		return unknown(id)
	}
	t.applyDeferredMoves()
	t.beginChange()
	t.remove(id)
	return nil
}

// Move gives an object a new box. The move is deferred: the next read of the tree, or the next
// change of another kind, applies it with the moves before and after it. After each 1,024 of them
// displaced objects are counted.
//
// The object stays in its packet, whose tight box grows. If its box leaves the placement box of the
// packet, the object is displaced, and a later flush places it in another packet. The object loses
// its sphere and its oriented box, if it has them. In steady state Move allocates nothing.
//
// The errors are [ErrUnknown], a box that is not finite or is inverted, and [ErrOutside]. Move
// invalidates all views: an iteration that continues panics.
func (t *Tree) Move(id uint32, box AABB) error {
	if !t.ids.Alive(id) {
		return unknown(id)
	}
	if err := t.admitMove(&box); err != nil {
		return fault.Errorf("linear: object %d: %w", id, err)
	}
	t.deferMove(id, &box, nil, nil)
	return t.flushMoves()
}

// SetMask sets the type mask of an object. For an ID that is not live it returns [ErrUnknown]. It
// invalidates all views: an iteration that continues panics.
func (t *Tree) SetMask(id, mask uint32) error {
	if !t.ids.Alive(id) {
		return unknown(id)
	}
	t.applyDeferred()
	t.beginChange()
	t.setMask(id, mask)
	return nil
}

// SetStatic makes an object static or moving. For an ID that is not live it returns [ErrUnknown].
// It invalidates all views: an iteration that continues panics.
func (t *Tree) SetStatic(id uint32, static bool) error {
	if !t.ids.Alive(id) {
		return unknown(id)
	}
	t.applyDeferred()
	t.beginChange()
	t.setStatic(id, static)
	return nil
}

// beginChange invalidates all views, also views of scenes that hold the tree.
func (t *Tree) beginChange() {
	t.store.Version++
	if t.partNode != nil {
		t.partNode.changed()
	}
}

// invalidateViews invalidates all views although the objects are unchanged, because the columns are replaced.
func (t *Tree) invalidateViews() {
	calm := t.ticked == t.store.Version
	t.beginChange()
	if calm {
		t.ticked = t.store.Version
	}
}

// widenBounds widens the bounds that the tree keeps of its objects by a box outside its fast bounds.
func (t *Tree) widenBounds(box *soa.AABB) {
	c := box.Center()
	t.centres = t.centres.Union(soa.AABB{Min: c, Max: c})
	t.bound(box)
	t.fastBounds = t.computeFastBounds()
}

// locate returns the slot and lane of a live object.
func (t *Tree) locate(id uint32) (slot uint32, lane int) {
	w := t.ids.Where[id]
	return w.Slot(), w.Lane()
}

// remove frees the ID of an object. Its removal from a packet of the tree is deferred.
func (t *Tree) remove(id uint32) {
	t.peak = max(t.peak, t.Len())
	t.deferRemoval(id)
	t.ids.Free(id)
	t.store.Count--
	t.store.Log.Remove(id, t.Len())
}
