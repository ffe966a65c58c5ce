package linear

import (
	"sync"
	"sync/atomic"

	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// Deferred changes. Changes are often made by many calls. They are only recorded, because one batch
// costs half as much as single changes, or less, and the structure chooses by their number how to make
// them:
//
//	Remove, Remove ...      recorded: the ID is free, views are invalid
//	Move, MoveBatch ...     recorded: IDs and boxes have been validated, views are invalid; at most as many
//	                                  as there are objects
//	any read or change      applied:  removals from packets, then the moves, in their order
//	Insert, Insert ...      recorded: the objects are pending, however many they are, and may take the
//	                                  places of removed ones when the removals are applied
//	View                    packed for queries to scan, or flushed if they are too many
//	Apply, Tick             applied, and flushed by themselves: nothing is left for a read
//
// Removals stay deferred during insertions: an object that gets the ID of a removed one, and whose box its
// packet can hold, takes its place, so that a program may move an object by Remove and Insert. The times at
// which new objects are packed do not affect the tree. A read that applies removals or moves, or flushes, is
// a change like any other: the tree chooses for the changes that it applies together. A program that
// logs its calls, and must not depend on reads, changes the tree with Apply and Tick.
//
// A change applies the deferred changes itself. Reads may be concurrent: the first one does the
// work under a lock, and the others block until it is done.

// deferMax is the maximum number of deferred moves in a tree of fewer objects, and that of single moves in a tree
// with a tick budget.
const deferMax = 1024

// deferred holds the deferred moves. They were called after the deferred removals, which the
// structure holds.
type deferred struct {
	synced atomic.Bool // a read has no work to do; false in the zero tree, which is not ready
	lock   sync.Mutex  // serializes reads that apply changes

	moves *octree.Deferred // nil before the first one

	// applying is set during a flush or a rebuild, in which no other may begin: neither by a read in a
	// progress function nor by nested calls. Reads access it under the lock.
	applying bool
}

// setApplying sets busy, for use in defer statements.
func (w *deferred) setApplying(busy bool) { w.applying = busy }

// free frees the memory of an empty record.
func (w *deferred) free() { w.moves = nil }

// bytes returns the memory of the record in bytes.
func (w *deferred) bytes() int { return w.moves.Bytes() }

// markUnsynced marks that the next read has work to do.
func (w *deferred) markUnsynced() {
	if w.synced.Load() { // a store is more expensive than a load
		w.synced.Store(false)
	}
}

// deferMove defers a validated move to a box, with a sphere or an oriented box unless these are nil. The
// caller has called limitDeferred. A known box is inside the fast bounds, and needs no further check.
func (t *Tree) deferMove(id uint32, box *soa.AABB, sphere *[4]float32, oriented *soa.OrientedBox, known bool) {
	w := &t.deferred
	t.octree.BeginChange()
	if !known {
		t.octree.WillRemoveOutside(id, box)
		if !t.octree.Code.Near(box) {
			t.applyDeferred()
			t.octree.MakePending(id, box) // before any other change
		}
	}
	switch {
	case sphere != nil:
		w.moves.AddSphere(id, sphere)
	case oriented != nil:
		w.moves.AddOriented(id, oriented)
	default:
		w.moves.AddBox(id, box, known)
	}
	t.octree.MovePoint(id, box)
	if t.octree.Config.TickBudget > 0 {
		t.octree.SingleMoves++
	}
	t.octree.Work.Moved++
	w.markUnsynced()
	t.applyMajority()
}

// makeWhole makes the validated moves of a batch that names every object once. It is not deferred: nothing can be
// gained, and the copy is saved.
func (t *Tree) makeWhole(ids []uint32, to *octree.Bodies, m octree.Moves) error {
	t.applyDeferred()
	t.octree.BeginChange()
	t.octree.DropVoxels()
	if err := t.octree.MakeWhole(ids, to, m); err != nil {
		return err
	}
	return t.octree.FlushDisplaced()
}

// deferMoves defers the moves of a batch of live objects, or returns the index of the first invalid body. The caller
// has validated the bodies if mustApply is true. follows is the result of Deferred.Follow.
func (t *Tree) deferMoves(ids []uint32, to *octree.Bodies, follows bool) (bad int) {
	t.limitDeferred(len(ids))
	m, bad := t.deferred.moves.AddBatch(&t.octree, ids, to, follows)
	if bad >= 0 {
		return bad
	}
	t.octree.BeginChange()
	t.octree.MovePoints(ids, to.Boxes)
	t.octree.CountMoves(ids, to, m)
	t.deferred.markUnsynced()
	t.applyMajority()
	return bad
}

// applyMajority applies the deferred moves of a tree with a tick budget that may cause a rebuild: not in a read.
func (t *Tree) applyMajority() {
	if m := t.deferred.moves; t.octree.Config.TickBudget > 0 && m.HasBatch() && t.octree.IsMajority(m.Len()) {
		t.applyDeferred()
	}
}

// mustApply reports whether deferred moves must be applied before n more are deferred, as there would be more than
// objects.
func (t *Tree) mustApply(n int) bool {
	held := t.deferred.moves.Len()
	return held > 0 && held+n > max(t.octree.IDs.Len(), deferMax)
}

// limitDeferred prepares for n more deferred moves.
func (t *Tree) limitDeferred(n int) {
	if t.deferred.moves == nil {
		t.deferred.moves = new(octree.Deferred)
	}
	if t.mustApply(n) {
		t.applyDeferred()
	}
}

// flushMoves applies single moves and flushes, in a tree with a tick budget, in which a call does little work of
// earlier ones. But if a batch is deferred, its moves may be those of most objects. Without a budget all moves of a
// frame are made together, by the next read or tick.
func (t *Tree) flushMoves() error {
	if t.octree.Config.TickBudget == 0 {
		return nil
	}
	if n := t.octree.SingleMoves; n < deferMax && (n < t.octree.Config.AtOnce() || t.deferred.moves.HasBatch()) {
		return nil
	}
	t.applyDeferred()
	return t.octree.FlushDisplaced()
}

// applyDeferred applies the deferred changes. Each call that changes the tree begins with it, or with
// applyDeferredMoves if removals may stay deferred.
func (t *Tree) applyDeferred() {
	t.ready()
	if w := &t.deferred; w.moves.Len()+len(t.octree.Removed)+t.octree.Unpacked() > 0 && !w.applying {
		t.octree.ApplyRemovals()
		t.octree.Pack()
		t.applyMoves()
		w.synced.Store(!t.octree.NeedsFlush())
	}
}

// applyDeferredMoves applies the deferred changes if there are moves among them.
func (t *Tree) applyDeferredMoves() {
	t.ready()
	if t.deferred.moves.Len() > 0 {
		t.applyDeferred()
	}
}

// applyMoves applies deferred moves. After moves of batches it flushes if too many objects are displaced.
func (t *Tree) applyMoves() {
	w := &t.deferred
	if w.moves.Len() == 0 {
		return
	}
	batch := w.moves.HasBatch()
	err := t.octree.MakeMoves(w.moves)
	if err == nil && batch {
		err = t.octree.FlushDisplaced()
	}
	// Objects that find no room stay where queries find them, until the next change. There is no
	// other error.
	_ = err
}

// applyBeforeFlush applies the deferred changes before a flush. It leaves insertions deferred if no object moves: the
// flush places them.
func (t *Tree) applyBeforeFlush() {
	t.applyDeferredMoves()
	t.octree.ApplyRemovals()
}

// markInserted makes the next read pack new objects, or flush if too many are pending. With a tick budget it flushes
// itself.
func (t *Tree) markInserted() {
	crowded := t.octree.IsCrowded()
	if crowded && t.octree.Config.TickBudget > 0 {
		t.applyBeforeFlush()
		if t.octree.IsCrowded() {
			_ = t.octree.FlushSome() // objects that find no room stay pending
		}
		crowded = t.octree.IsCrowded()
	}
	if t.octree.Unpacked() > 0 || crowded {
		t.deferred.markUnsynced()
	}
}

// settleFrame ends Apply and Tick. No change is deferred, and pending objects that find no room stay
// pending until the next change, so that no read affects the tree.
func (t *Tree) settleFrame() {
	t.octree.Pack()
	if w := &t.deferred; !w.synced.Load() {
		w.synced.Store(w.moves.Len()+len(t.octree.Removed) == 0)
	}
}

// sync applies deferred changes before a read. It is safe for concurrent use.
func (t *Tree) sync() {
	if !t.deferred.synced.Load() {
		t.syncSlow()
	}
}

// syncSlow is the slow path of sync, with the work under a lock.
//
//go:noinline
func (t *Tree) syncSlow() {
	w := &t.deferred
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.applying || w.synced.Load() {
		return // another goroutine does it, or has done it
	}
	t.ready()
	w.applying = true
	defer w.setApplying(false)
	t.octree.ApplyRemovals()
	t.applyMoves()
	if t.octree.NeedsFlush() {
		t.octree.Work.Views++
		// Objects that find no room stay pending, where queries find them, until the next change.
		// There is no other error.
		_ = t.octree.FlushSome()
	}
	t.octree.Pack()
	w.synced.Store(true)
}
