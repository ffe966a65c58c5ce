package linear

import (
	"sync"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// Deferred changes. Single changes are often made by the thousand. They are only recorded, because
// one batch costs half as much as single changes, or less:
//
//	Remove, Remove ...      recorded: the ID is free, views are invalid
//	Move, Move, Move ...    recorded: ID and box have been validated, views are invalid
//	any read or change      applied:  removals from packets, then the moves, in their order
//	Insert, Insert ...      pending, however many they are
//	View                    flushed, if they are too many for a query to scan
//	Apply, Tick             applied, and flushed by themselves: nothing is left for a read
//
// Removals stay deferred during insertions, which use other packets. The time at which moves and
// removals are applied does not affect the tree. The time of a flush does, so a read that flushes
// is a change like any other. A program that logs its calls, and must not depend on reads, changes
// the tree with Apply and Tick.
//
// A change applies the deferred changes itself. Reads may be concurrent: the first one does the
// work under a lock, and the others block until it is done.

const (
	// deferMax is the number of single moves after which displaced objects are counted, and the
	// maximum number of deferred moves.
	deferMax = 1024
)

// deferred holds the deferred moves. They are to bodies of one kind, and were called after the
// deferred removals, which the structure holds.
type deferred struct {
	synced atomic.Bool // a read has no work to do; false in the zero tree, which is not ready
	lock   sync.Mutex  // serializes reads that apply changes

	ids []uint32      // of moved objects
	to  octree.Bodies // only one list is not empty; the others are kept for reuse

	// applying is set during a flush or a rebuild, in which no other may begin: neither by a read in a
	// progress function nor by nested calls. Reads access it under the lock.
	applying bool
}

// setApplying sets busy, for use in defer statements.
func (w *deferred) setApplying(busy bool) { w.applying = busy }

// free frees the memory of an empty record.
func (w *deferred) free() { w.ids, w.to = nil, octree.Bodies{} }

// bytes returns the memory of the record in bytes.
func (w *deferred) bytes() int {
	return mem.Bytes(w.ids) + w.to.Bytes()
}

// markUnsynced marks that the next read has work to do.
func (w *deferred) markUnsynced() {
	if w.synced.Load() { // a store is more expensive than a load
		w.synced.Store(false)
	}
}

// deferMove defers a validated move to a box, with a sphere or an oriented box unless these are nil.
func (t *Tree) deferMove(id uint32, box *soa.AABB, sphere *[4]float32, oriented *soa.OrientedBox) {
	w := &t.deferred
	if n := len(w.ids); n >= deferMax || n > 0 && ((sphere != nil) != (len(w.to.Spheres) > 0) || (oriented != nil) != (len(w.to.Oriented) > 0)) {
		t.applyDeferred()
	}
	t.octree.BeginChange()
	t.octree.WillRemoveOutside(id, box)
	if !t.octree.Code.Near(box) {
		t.applyDeferred()
		t.octree.MakePending(id, box) // before any other change
	}
	w.ids = append(w.ids, id)
	switch {
	case sphere != nil:
		w.to.Spheres = append(w.to.Spheres, *sphere)
	case oriented != nil:
		w.to.Oriented = append(w.to.Oriented, *oriented)
	default:
		w.to.Boxes = append(w.to.Boxes, *box)
	}
	t.octree.SingleMoves++
	t.octree.Work.Moved++
	w.markUnsynced()
}

// flushMoves counts displaced objects once in deferMax single moves, and flushes if there are too
// many.
func (t *Tree) flushMoves() error {
	if t.octree.SingleMoves < deferMax {
		return nil
	}
	t.applyDeferred()
	return t.octree.FlushDisplaced()
}

// applyDeferred applies the deferred changes. Each call that changes the tree begins with it, or with
// applyDeferredMoves if removals may stay deferred.
func (t *Tree) applyDeferred() {
	t.ready()
	if w := &t.deferred; len(w.ids)+len(t.octree.Removed) > 0 && !w.applying {
		t.octree.ApplyRemovals()
		t.applyMoves()
		w.synced.Store(!t.octree.IsCrowded())
	}
}

// applyDeferredMoves applies the deferred changes if there are moves among them.
func (t *Tree) applyDeferredMoves() {
	t.ready()
	if len(t.deferred.ids) > 0 {
		t.applyDeferred()
	}
}

// applyMoves applies deferred moves.
func (t *Tree) applyMoves() {
	w := &t.deferred
	if len(w.ids) == 0 {
		return
	}
	centres, union, _ := t.octree.SurveyBodies(&w.to)
	t.octree.HoldMoves(octree.BoxOf(centres), octree.BoxOf(union), w.ids, &w.to)
	t.octree.MoveAll(w.ids, &w.to)
	w.ids = w.ids[:0]
	w.to.Reset()
}

// markIfCrowded makes the next read flush if too many objects are pending.
func (t *Tree) markIfCrowded() {
	if t.octree.IsCrowded() {
		t.deferred.markUnsynced()
	}
}

// settleFrame ends Apply and Tick. No change is deferred, and pending objects that find no room stay
// pending until the next change, so that no read affects the tree.
func (t *Tree) settleFrame() {
	if w := &t.deferred; !w.synced.Load() {
		w.synced.Store(len(w.ids)+len(t.octree.Removed) == 0)
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
	if t.octree.IsCrowded() {
		t.octree.Work.Views++
		// Objects that find no room stay pending, where queries find them, until the next change.
		// There is no other error.
		_ = t.octree.FlushSome()
	}
	w.synced.Store(true)
}
