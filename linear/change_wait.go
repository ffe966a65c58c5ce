package linear

import (
	"errors"
	"sync"
	"sync/atomic"

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
	// waitMax is the number of single moves after which displaced objects are counted, and the
	// maximum number of deferred moves.
	waitMax = 1024

	// goneMax is the maximum number of deferred removals.
	goneMax = 512
)

// waiting holds the deferred changes. All its moves are to bodies of one kind, and were called
// after its removals.
type waiting struct {
	calm atomic.Bool // a read has no work to do; false in the zero tree, which is not ready
	lock sync.Mutex  // serializes reads that apply changes

	gone []soa.Location // locations of removed objects that are in the tree

	ids []uint32 // of moved objects
	to  bodies   // only one list is not empty; the others are kept for reuse

	singles int // single moves since displaced objects were last counted

	// busy is set during a flush or a rebuild, in which no other may begin: neither by a read in a
	// progress function nor by nested calls. Reads access it under the lock.
	busy bool
}

// occupy sets busy, for use in defer statements.
func (w *waiting) occupy(busy bool) { w.busy = busy }

// drop frees the memory of an empty record. It keeps that of removals if the tree has more than 16
// objects, so that removing them does not allocate.
func (w *waiting) drop(objects int) {
	w.ids, w.to = nil, bodies{}
	if objects <= soa.Lanes {
		w.gone = nil
	}
}

// expect reserves memory for removals if the tree has more than 16 objects.
func (w *waiting) expect(objects int) {
	if n := min(objects, goneMax); objects > soa.Lanes && n > cap(w.gone) {
		w.gone = append(make([]soa.Location, 0, n), w.gone...)
	}
}

// bytes returns the memory of the record in bytes.
func (w *waiting) bytes() int {
	return space(w.gone) + space(w.ids) + space(w.to.boxes) + space(w.to.spheres) + space(w.to.oriented)
}

// await marks that the next read has work to do.
func (w *waiting) await() {
	if w.calm.Load() { // a store is more expensive than a load
		w.calm.Store(false)
	}
}

// wait defers a validated move to a box, with a sphere or an oriented box unless these are nil.
func (t *Tree) wait(id uint32, box *soa.AABB, sphere *[4]float32, oriented *soa.OrientedBox) {
	w := &t.waits
	if n := len(w.ids); n >= waitMax || n > 0 && ((sphere != nil) != (len(w.to.spheres) > 0) || (oriented != nil) != (len(w.to.oriented) > 0)) {
		t.catchUp()
	}
	t.change()
	t.departs(id, box)
	if !t.code.near(box) {
		t.catchUp()
		t.exile(id, box) // before any other change
	}
	w.ids = append(w.ids, id)
	switch {
	case sphere != nil:
		w.to.spheres = append(w.to.spheres, *sphere)
	case oriented != nil:
		w.to.oriented = append(w.to.oriented, *oriented)
	default:
		w.to.boxes = append(w.to.boxes, *box)
	}
	w.singles++
	t.work.Moved++
	w.await()
}

// flushMoves counts displaced objects once in waitMax single moves, and flushes if there are too
// many.
func (t *Tree) flushMoves() error {
	if t.waits.singles < waitMax {
		return nil
	}
	t.catchUp()
	return t.flushStrays()
}

// catchUp applies the deferred changes. Each call that changes the tree begins with it, or with
// catchUpMoves if removals may stay deferred.
func (t *Tree) catchUp() {
	t.ready()
	if w := &t.waits; len(w.ids)+len(w.gone) > 0 && !w.busy {
		t.doRemovals()
		t.doMoves()
		w.calm.Store(!t.crowded())
	}
}

// catchUpMoves applies the deferred changes if there are moves among them.
func (t *Tree) catchUpMoves() {
	t.ready()
	if len(t.waits.ids) > 0 {
		t.catchUp()
	}
}

// waitGone defers the removal of a live object from its packet. A pending object is removed at
// once.
func (t *Tree) waitGone(id uint32) {
	w := &t.waits
	if len(w.gone) == goneMax {
		t.doRemovals() // this may change the object's location
	}
	at := t.ids.Where[id]
	if t.store.Packets.Owner[at.Slot()] == soa.NoUp {
		t.lift(at, nil)
		return
	}
	w.gone = append(w.gone, at)
	w.await()
}

// doRemovals applies deferred removals in strides. While one stride is processed, the objects that
// fill the gaps of the next are read, and the packets of the one after that are prefetched.
func (t *Tree) doRemovals() {
	gone := t.waits.gone
	part := func(i int) []soa.Location {
		return gone[max(min(i, len(gone)), 0):max(min(i+batchStride, len(gone)), 0)]
	}
	for i := -2 * batchStride; i < len(gone); i += batchStride {
		fetchLosers(t, part(i+2*batchStride))
		fetchFillers(t, part(i+batchStride))
		for j := range part(i) {
			t.lift(gone[i+j], gone[i+j+1:])
		}
	}
	t.waits.gone = gone[:0]
}

// doMoves applies deferred moves.
func (t *Tree) doMoves() {
	w := &t.waits
	if len(w.ids) == 0 {
		return
	}
	to := bodies{boxes: w.to.boxes} // unused lists must be nil, not empty
	switch {
	case len(w.to.spheres) > 0:
		to = bodies{spheres: w.to.spheres}
	case len(w.to.oriented) > 0:
		to = bodies{oriented: w.to.oriented}
	}
	centres, union, _ := t.surveyBodies(&to)
	t.holdMoves(boxOf(centres), boxOf(union), w.ids, &to)
	t.moveAll(w.ids, &to)
	w.ids = w.ids[:0]
	w.to = bodies{w.to.boxes[:0], w.to.spheres[:0], w.to.oriented[:0]}
}

// crowd makes the next read flush if too many objects are pending.
func (t *Tree) crowd() {
	if t.crowded() {
		t.waits.await()
	}
}

// crowded reports whether more objects are pending than a query should scan.
func (t *Tree) crowded() bool { return t.pending > t.pendingMost() }

// pendingMost returns the maximum number of pending objects, and of displaced ones, before a flush.
func (t *Tree) pendingMost() int { return max(t.cfg.PendingMin, t.Len()/t.cfg.PendingShare) }

// flushStrays flushes if too many objects are displaced.
func (t *Tree) flushStrays() error {
	t.waits.singles = 0
	if len(t.strays) <= t.pendingMost() {
		return nil
	}
	return t.flushSome()
}

// flushFull flushes if too many objects are pending or displaced.
func (t *Tree) flushFull() error {
	if t.crowded() {
		t.waits.singles = 0
		return t.flushSome()
	}
	return t.flushStrays()
}

// rest ends Apply and Tick. No change is deferred, and pending objects that find no room stay
// pending until the next change, so that no read affects the tree.
func (t *Tree) rest() {
	if w := &t.waits; !w.calm.Load() {
		w.calm.Store(len(w.ids)+len(w.gone) == 0)
	}
}

// flushSome flushes. If there is no room, the objects stay pending or displaced, where queries find
// them, and the error is dropped.
func (t *Tree) flushSome() error {
	if err := t.flush(); !errors.Is(err, soa.ErrFull) {
		return err
	}
	return nil
}

// look applies deferred changes before a read. It is safe for concurrent use.
func (t *Tree) look() {
	if !t.waits.calm.Load() {
		t.lookOnce()
	}
}

// lookOnce is the slow path of look, with the work under a lock.
//
//go:noinline
func (t *Tree) lookOnce() {
	w := &t.waits
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.busy || w.calm.Load() {
		return // another goroutine does it, or has done it
	}
	t.ready()
	w.busy = true
	defer w.occupy(false)
	t.doRemovals()
	t.doMoves()
	if t.crowded() {
		t.work.Views++
		// Objects that find no room stay pending, where queries find them, until the next change.
		// There is no other error.
		_ = t.flushSome()
	}
	w.calm.Store(true)
}
