package linear

import (
	"errors"
	"fmt"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// Insert adds one object and returns its ID. The object is pending, and queries find it at once,
// until a flush places it in the tree: in the next tick, or in a [Tree.View] when too many objects
// are pending. Errors and effects on views are those of [Tree.InsertBatch].
//
// With [Config.Thin] the ID is [None], without an error, if the point is dropped.
//
// New objects are only recorded: a tree of n objects that are inserted one by one, and then read, is
// built as one batch. The tree keeps a buffer of 36 bytes for each new object until [Tree.Trim].
func (t *Tree) Insert(o Object) (id uint32, err error) {
	if t.deferred.moves.Len() == 0 && t.octree.Config.TickBudget == 0 {
		if id, ok := t.octree.TryRecord(&o); ok {
			t.deferred.markUnsynced()
			return id, nil
		}
	}
	t.applyDeferredMoves() // a rebuild may make the fast bounds smaller, and objects pending
	if t.octree.Thins() {
		return t.insertPoint(&o)
	}
	known := t.octree.FastBounds.Contains(&o.Box)
	if !known {
		if err := t.checkBox(&o.Box); err != nil {
			return soa.None, fault.Errorf("linear: %w", err)
		}
	}
	if err := t.octree.AdmitsPending(1); err != nil {
		return soa.None, err
	}
	t.octree.BeginChange()
	if !known {
		t.octree.CountOut(&o.Box)
		t.octree.WidenBounds(&o.Box)
	}
	id = t.octree.AddPending(&o, &octree.NoSphere)
	if !known {
		t.octree.FitPending()
	}
	if t.octree.Config.TickBudget > 0 {
		t.markInserted()
	} else {
		t.deferred.markUnsynced()
	}
	return id, nil
}

// Remove removes one object and frees its ID for reuse; handles of the object become stale. For an
// ID that is not live it returns [ErrUnknown]. It takes constant time.
//
// It invalidates all views: an iteration that continues panics. The removal from the object's
// packet is deferred: the next read of the tree, or a later change of another kind, applies it
// with the removals before and after it. Insertions before then reuse the ID: a new object takes the
// place of the old one if the box fits its packet, and costs little more than a move.
func (t *Tree) Remove(id uint32) error {
	if !t.octree.IDs.Alive(id) {
		return unknown(id)
	}
	if t.deferred.moves.Len() > 0 {
		t.applyDeferred()
	}
	t.octree.BeginChange()
	if t.octree.Remove(id) {
		t.deferred.markUnsynced()
	}
	return nil
}

// Move gives an object a new box. The move is deferred: the next read of the tree, or the next
// change of another kind, applies it with the moves before and after it. Under [PolicyAuto] and
// without [Config.TickBudget] the tree is then that after one [Tree.MoveBatch] of them, unless one moves far out
// of the world. The tree keeps a buffer of 28 bytes for each deferred move. A call applies the deferred moves when
// they are as many as the objects, and at least 1,024.
//
// The object stays in its packet, whose tight box grows. If its box leaves the placement box of the
// packet, the object is displaced, and a later flush places it in another packet. If it moves far, by
// more than the size of the packet, it becomes pending. The next read flushes if 64 objects have become pending
// or too many are displaced ([Config.PendingMin]), and a tick does in any case. The flush places all of them
// together, one by one or by a rebuild ([PolicyAuto], [PolicyIncremental]).
// The object loses its sphere and its oriented box, if it has them. In steady state Move allocates
// nothing.
//
// The errors are [ErrUnknown], a box that is not finite or is inverted, [ErrOutside] and [ErrPoints]. Move
// invalidates all views: an iteration that continues panics.
func (t *Tree) Move(id uint32, box AABB) error {
	if !t.octree.IDs.Alive(id) {
		return unknown(id)
	}
	t.limitDeferred(1)
	known := t.octree.FastBounds.Contains(&box)
	if !known || t.octree.Thins() {
		if err := t.admitMove(&box); err != nil {
			return fault.Errorf("linear: object %d: %w", id, err)
		}
	}
	t.deferMove(id, &box, nil, nil, known)
	return t.flushMoves()
}

// SetMask sets the type mask of an object. For an ID that is not live it returns [ErrUnknown]. It
// invalidates all views: an iteration that continues panics.
func (t *Tree) SetMask(id, mask uint32) error {
	if !t.octree.IDs.Alive(id) {
		return unknown(id)
	}
	t.applyDeferred()
	t.octree.BeginChange()
	t.octree.SetMask(id, mask)
	return nil
}

// SetStatic makes an object static or moving. For an ID that is not live it returns [ErrUnknown].
// It invalidates all views: an iteration that continues panics.
func (t *Tree) SetStatic(id uint32, static bool) error {
	if !t.octree.IDs.Alive(id) {
		return unknown(id)
	}
	t.applyDeferred()
	t.octree.BeginChange()
	t.octree.SetStatic(id, static)
	return nil
}

// ErrUnknown is returned for an ID that is not live.
var ErrUnknown = octree.ErrUnknown

func unknown(id uint32) error { return fmt.Errorf("%w: %d", ErrUnknown, id) }

// objectError adds the ID of an object to its error, unless that names it.
func objectError(id uint32, err error) error {
	if errors.Is(err, ErrUnknown) {
		return err
	}
	return fault.Errorf("linear: object %d: %w", id, err)
}

// batchError adds the index of an object to its error, and the ID unless the error names it.
func batchError(i int, ids []uint32, err error) error {
	if errors.Is(err, ErrUnknown) {
		return fault.Errorf("linear: object %d of the batch: %w", i, err)
	}
	return fault.Errorf("linear: object %d of the batch, ID %d: %w", i, ids[i], err)
}

// ErrOutside is returned for a box whose centre is outside [Config.World], if the tree rejects such
// boxes: see [OutsideReject] and [OutsideRemove].
var ErrOutside = errors.New("linear: outside the world")

// checkBox validates the box of a new object. It changes nothing, as the call may still fail.
func (t *Tree) checkBox(box *soa.AABB) error {
	if t.octree.FastBounds.Contains(box) {
		return t.checkPoint(box)
	}
	if err := box.Check(); err != nil {
		return err
	}
	if err := t.checkOutside(box); err != nil {
		return err
	}
	return t.checkPoint(box)
}

// admitMove validates the new box of an object, and counts it if it is valid and outside: no later
// check can reject the move.
func (t *Tree) admitMove(box *soa.AABB) error {
	if t.octree.Config.Outside == octree.OutsideRemove {
		if err := box.Check(); err != nil {
			return err
		}
		return t.checkPoint(box)
	}
	if t.octree.FastBounds.Contains(box) {
		return t.checkPoint(box)
	}
	if err := t.checkBox(box); err != nil {
		return err
	}
	t.octree.CountOut(box)
	return nil
}

// checkOutside returns the error of a finite box outside the world, unless the tree keeps such
// boxes.
func (t *Tree) checkOutside(box *soa.AABB) error {
	if t.octree.Config.Outside == octree.OutsideKeep {
		return nil
	}
	return t.outsideError(box)
}

// outsideError returns the error of a finite box whose centre is outside a world that rejects it.
func (t *Tree) outsideError(box *soa.AABB) error {
	c := box.Center()
	if !t.octree.LeftWorld(c) {
		return nil
	}
	w := &t.octree.Config.World
	return fmt.Errorf("%w: box %v to %v has the centre %v, the world is %v to %v", ErrOutside, box.Min, box.Max, c, w.Min, w.Max)
}
