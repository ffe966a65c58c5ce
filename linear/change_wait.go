package linear

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/zoctree/zoctree/soa"
)

// Calls that one makes by the thousand, an object at a time, are only recorded: what
// nobody has looked at yet need not be done, and done together it costs half or less.
//
//	Remove, Remove ...      recorded: the ID is free, views have ended
//	Move, Move, Move ...    recorded: ID and box have been checked, views have ended
//	any look or change      done:   removals from packets, then the moves, in their order
//	Insert, Insert ...      pending, however many they are
//	View                    flushed, if they are too many for a query to scan
//	Apply, Tick             done, and flushed by themselves: nothing is left for a look
//
// Removals wait while objects are inserted, which have no packet in common with them.
// When moves and removals are done decides nothing: the tree is the same. That is not
// so for a flush, so a look that flushes is a call like any other that changes the tree. A
// program to which looks must not count, because it logs its calls, changes the tree by
// Apply and Tick.
//
// A change does what waits by itself; looks may come from several goroutines, of
// which the first does the work and the others wait for it.

const (
	// waitMax is the number of single moves after which strays are counted, and to which
	// the record grows.
	waitMax = 1024

	// goneMax is the most removals that it takes.
	goneMax = 512
)

// waiting is what has been called and is not done. Its moves are all to bodies of one kind,
// and were called after its removals.
type waiting struct {
	calm atomic.Bool // there is no work for a look; of the zero tree, which is not ready, there is
	lock sync.Mutex  // of looks

	gone []soa.Location // of the tree, where objects lie that have been removed

	ids []uint32 // of objects that move
	to  bodies   // of which one list, but for what is kept of the others, is not empty

	singles int // moves since strays were last counted

	// A flush or a rebuild is under way: nothing may begin another, neither a look from
	// a progress function nor what is called on the way. Looks read it under the lock.
	busy bool
}

// occupy says whether the tree is busy.
func (w *waiting) occupy(busy bool) { w.busy = busy }

// drop gives the memory of an empty record back. Of removals it keeps some if the tree has more
// than a few objects: it need not grow when they leave.
func (w *waiting) drop(objects int) {
	w.ids, w.to = nil, bodies{}
	if objects <= soa.Lanes {
		w.gone = nil
	}
}

// expect makes room for removals if the tree has more than a few objects.
func (w *waiting) expect(objects int) {
	if n := min(objects, goneMax); objects > soa.Lanes && n > cap(w.gone) {
		w.gone = append(make([]soa.Location, 0, n), w.gone...)
	}
}

// bytes returns the memory of the record.
func (w *waiting) bytes() int {
	return space(w.gone) + space(w.ids) + space(w.to.boxes) + space(w.to.spheres) + space(w.to.oriented)
}

// await says that a look has work to do.
func (w *waiting) await() {
	if w.calm.Load() { // a store costs more
		w.calm.Store(false)
	}
}

// wait records a move that has been admitted, to a box, or to a bound, unless it is nil,
// with its box.
func (t *Tree) wait(id uint32, box *soa.AABB, sphere *[4]float32, oriented *soa.OrientedBox) {
	w := &t.waits
	if n := len(w.ids); n >= waitMax || n > 0 && ((sphere != nil) != (len(w.to.spheres) > 0) || (oriented != nil) != (len(w.to.oriented) > 0)) {
		t.catchUp()
	}
	t.change()
	t.departs(id, box)
	if !t.code.near(box) {
		t.catchUp()
		t.exile(id, box) // before anything else takes place
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

// flushMoves counts strays and flushes when they exceed their bound, once in waitMax
// single moves.
func (t *Tree) flushMoves() error {
	if t.waits.singles < waitMax {
		return nil
	}
	t.catchUp()
	return t.flushStrays()
}

// catchUp does what waits. Each call that changes the tree begins with it, or, if it may
// come before removals are done, with catchUpMoves.
func (t *Tree) catchUp() {
	t.ready()
	if w := &t.waits; len(w.ids)+len(w.gone) > 0 && !w.busy {
		t.doRemovals()
		t.doMoves()
		w.calm.Store(!t.crowded())
	}
}

func (t *Tree) catchUpMoves() {
	t.ready()
	if len(t.waits.ids) > 0 {
		t.catchUp()
	}
}

// waitGone records that a live object is about to be removed, unless it is pending: then
// that is done.
func (t *Tree) waitGone(id uint32) {
	w := &t.waits
	if len(w.gone) == goneMax {
		t.doRemovals() // which may give the object another place
	}
	at := t.ids.Where[id]
	if t.store.Packets.Owner[at.Slot()] == soa.NoUp {
		t.lift(at, nil)
		return
	}
	w.gone = append(w.gone, at)
	w.await()
}

// doRemovals takes what has been removed out of its packets, stride by stride: while one
// is done, the objects that fill the gaps of the next are looked up, and the packets of the
// one after that are on their way.
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

func (t *Tree) doMoves() {
	w := &t.waits
	if len(w.ids) == 0 {
		return
	}
	to := bodies{boxes: w.to.boxes} // nil, not empty, is what does not count
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

// crowd has the next look flush when too many objects are pending.
func (t *Tree) crowd() {
	if t.crowded() {
		t.waits.await()
	}
}

// crowded reports whether more objects are pending than a query should scan.
func (t *Tree) crowded() bool { return t.pending > t.pendingMost() }

// pendingMost is the bound of what waits for a flush, pending objects and strays.
func (t *Tree) pendingMost() int { return max(t.cfg.PendingMin, t.Len()/t.cfg.PendingShare) }

// flushStrays flushes when strays exceed their bound.
func (t *Tree) flushStrays() error {
	t.waits.singles = 0
	if len(t.strays) <= t.pendingMost() {
		return nil
	}
	return t.flushSome()
}

// flushFull flushes when pending objects or strays exceed their bound.
func (t *Tree) flushFull() error {
	if t.crowded() {
		t.waits.singles = 0
		return t.flushSome()
	}
	return t.flushStrays()
}

// rest ends Apply and Tick: nothing waits, and what finds no room does so until the next
// change. Then no look decides anything.
func (t *Tree) rest() {
	if w := &t.waits; !w.calm.Load() {
		w.calm.Store(len(w.ids)+len(w.gone) == 0)
	}
}

// flushSome flushes. A list that finds no room stays as it is: what it holds is in the
// tree.
func (t *Tree) flushSome() error {
	if err := t.flush(); !errors.Is(err, soa.ErrFull) {
		return err
	}
	return nil
}

// look does what waits, for somebody who reads the tree. Any number of goroutines may.
func (t *Tree) look() {
	if !t.waits.calm.Load() {
		t.lookOnce()
	}
}

//go:noinline
func (t *Tree) lookOnce() {
	w := &t.waits
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.busy || w.calm.Load() {
		return // somebody does it, or has done it
	}
	t.ready()
	w.busy = true
	defer w.occupy(false)
	t.doRemovals()
	t.doMoves()
	if t.crowded() {
		t.work.Views++
		// What finds no room stays pending, where queries see it, until the next
		// change: there is nothing else to fail.
		_ = t.flushSome()
	}
	w.calm.Store(true)
}
