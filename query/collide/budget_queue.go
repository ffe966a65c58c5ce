package collide

import (
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/follow"
	"github.com/zoctree/zoctree/soa"
)

// maxClasses is the largest number of classes; the next number means no class.
const maxClasses = 255

const noClass = maxClasses

// neverDue is the due frame of an object that is not searched.
const neverDue = ^uint64(0)

// turn is the schedule of an ID.
type turn struct {
	due   uint64 // due frame; never: it is not searched
	first uint64 // frame in which it was first read
	began uint64 // frame of its last search; 0: none
	born  uint64 // generation of the ID: the number of the change that inserted the object
	class uint8
	live  bool
}

// entry is an entry of a priority queue. It is stale, and dropped when popped, if it differs from
// the object's turn.
type entry struct {
	due uint64
	id  uint32
}

// before orders a heap. No two different entries are equal.
func (e *entry) before(f *entry) bool {
	if e.due != f.due {
		return e.due < f.due
	}
	return e.id < f.id
}

// queue has a priority queue of scheduled objects for each class: a binary heap. The order of entries
// is total, so the order of removal does not depend on the order of insertion.
type queue struct {
	turns []turn    // by ID
	heaps []dueHeap // by class; there may have been more classes before
}

// dueHeap is the priority queue of a class.
type dueHeap struct {
	entries []entry
	nDue    int // objects of the class that have a due frame
}

func (q *queue) reset() {
	clear(q.turns)
	for i := range q.heaps {
		q.heaps[i] = dueHeap{entries: q.heaps[i].entries[:0]}
	}
}

// grow makes room for all IDs in born and for classes.
func (q *queue) grow(born []uint64, classes int) {
	if n := len(born); n > len(q.turns) {
		q.turns = slices.Grow(q.turns, n-len(q.turns))[:n]
	}
	for len(q.heaps) < classes {
		q.heaps = append(q.heaps, dueHeap{})
	}
}

// set changes the due frame and the class of an object.
func (q *queue) set(id uint32, due uint64, class uint8) {
	t := &q.turns[id]
	if t.due == due && t.class == class && t.live {
		return
	}
	q.retire(t)
	t.due, t.class, t.live = due, class, true
	if due != neverDue {
		q.heaps[class].nDue++
		q.heaps[class].push(entry{due, id})
	}
}

// retire makes the entry of an object stale.
func (q *queue) retire(t *turn) {
	if !t.live || t.due == neverDue {
		return
	}
	t.live = false
	h := &q.heaps[t.class]
	if h.nDue--; len(h.entries) >= 2*h.nDue+64 {
		q.sweep(int(t.class))
	}
}

// remove removes an object.
func (q *queue) remove(id uint32) {
	q.retire(&q.turns[id])
	q.turns[id] = turn{}
}

// holds reports whether an entry of a class is current.
func (q *queue) holds(e *entry, class int) bool {
	t := &q.turns[e.id]
	return t.live && t.due == e.due && int(t.class) == class
}

// sweep removes stale and duplicate entries from a heap. It takes the time of sorting it,
// independent of the number of IDs.
func (q *queue) sweep(class int) {
	h := &q.heaps[class]
	h.entries = slices.DeleteFunc(h.entries, func(e entry) bool { return !q.holds(&e, class) })
	slices.SortFunc(h.entries, func(a, b entry) int { return btoi(b.before(&a)) - btoi(a.before(&b)) })
	h.entries = slices.Compact(h.entries)
}

// trim frees memory.
func (q *queue) trim() {
	n := len(q.turns)
	for n > 0 && !q.turns[n-1].live {
		n--
	}
	for class := range q.heaps {
		q.sweep(class)
		q.heaps[class].entries = slices.Clone(q.heaps[class].entries)
	}
	q.turns = slices.Clone(q.turns[:n])
}

func (q *dueHeap) push(e entry) {
	q.entries = append(q.entries, e)
	h, i := q.entries, len(q.entries)-1
	for i > 0 {
		up := (i - 1) / 2
		if !e.before(&h[up]) {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = e
}

// pop drops the first entry.
func (q *dueHeap) pop() {
	last := len(q.entries) - 1
	e := q.entries[last]
	q.entries = q.entries[:last]
	h, i := q.entries, 0
	for {
		down := 2*i + 1
		if down >= last {
			break
		}
		if down+1 < last && h[down+1].before(&h[down]) {
			down++
		}
		if !h[down].before(&e) {
			break
		}
		h[i] = h[down]
		i = down
	}
	if last > 0 {
		h[i] = e
	}
}

// next returns the first due object of a class.
func (q *queue) next(class int, frame uint64) (id uint32, ok bool) {
	for h := &q.heaps[class]; len(h.entries) > 0; h.pop() {
		if e := &h.entries[0]; q.holds(e, class) {
			return e.id, e.due <= frame
		}
	}
	return 0, false
}

// began records that the search of the first object of its class has begun.
func (q *queue) began(id uint32, frame, period uint64) {
	t := &q.turns[id]
	q.heaps[t.class].pop()
	t.began = frame
	q.set(id, frame+period, t.class)
}

// late returns for how many frames the first object of a class has been due, the current one
// included; 0: none is due.
func (q *queue) late(class int, frame uint64) uint64 {
	if _, ok := q.next(class, frame); !ok {
		return 0
	}
	return frame - q.heaps[class].entries[0].due + 1
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rules are the settings that determine the schedule.
type rules struct {
	classes []Class
	mask    uint32
	static  bool
	set     bool
}

func (r *rules) equal(w *BudgetTracker) bool {
	return r.set && r.mask == w.Filter.Mask && r.static == w.Filter.StaticPairs &&
		slices.EqualFunc(r.classes, w.Classes, func(a, b Class) bool {
			a.Share = b.Share // no part of the schedule
			return a == b
		})
}

func (r *rules) take(w *BudgetTracker) {
	r.classes, r.mask, r.static, r.set = append(r.classes[:0], w.Classes...), w.Filter.Mask, w.Filter.StaticPairs, true
}

// classOf returns the class of an object.
func (r *rules) classOf(mask uint32, static bool) uint8 {
	if static && !r.static || r.mask != 0 && mask&r.mask == 0 {
		return noClass
	}
	if len(r.classes) == 0 {
		return 0
	}
	for i := range r.classes {
		if m := r.classes[i].Mask; m == 0 || m&mask != 0 {
			return uint8(i)
		}
	}
	return noClass
}

// period returns the period of an object; 0: it is not searched.
func (w *BudgetTracker) period(id uint32) uint64 {
	class := int(w.queue.turns[id].class)
	switch {
	case class == noClass:
		return 0
	case len(w.rules.classes) == 0:
		return 1
	case class >= len(w.rules.classes):
		return 0 // there are fewer classes now: it is about to be reassigned
	case w.all || follow.Has(w.seen, id):
		return uint64(w.rules.classes[class].Period)
	}
	return uint64(w.rules.classes[class].Hidden)
}

// schedule sets the due frame of an object.
func (w *BudgetTracker) schedule(id uint32) {
	t := &w.queue.turns[id]
	due := uint64(neverDue)
	if period := w.period(id); period != 0 {
		due = t.first
		if t.began != 0 {
			due = t.began + period
		}
	}
	w.queue.set(id, due, t.class)
}

// addPair records an object of the view.
func (w *BudgetTracker) addPair(id uint32, mask uint32, static bool, born uint64) {
	t := &w.queue.turns[id]
	if t.live && t.born != born {
		w.removeObject(id)
	}
	class := w.rules.classOf(mask, static)
	if fresh := !t.live; fresh || t.class != class {
		if !fresh {
			began, first := t.began, t.first
			if w.search.dropOf(t.class, id) {
				began, first = 0, w.frame // it is due again
			}
			w.queue.remove(id)
			t.began, t.first = began, first
		} else {
			t.first = w.frame
			w.search.forget(id)
		}
		t.born, t.class = born, class
		w.schedule(id)
	}
}

// removeObject removes an object.
func (w *BudgetTracker) removeObject(id uint32) {
	w.search.dropOf(w.queue.turns[id].class, id)
	w.queue.remove(id)
}

// readLog applies the changes since the last update.
func (w *BudgetTracker) readLog(v linear.View, changes []soa.Change) {
	born := v.Store().Log.Born
	for i := range changes { // in their order: the last one of each object counts
		switch c := &changes[i]; {
		case int(c.ID) >= len(w.queue.turns): // inserted and removed, and the tree has dropped the ID
		case c.Removed:
			w.removeObject(c.ID)
		case int(c.ID) < len(born): // else removed, and the tree has dropped the ID
			w.addPair(c.ID, c.Object.Mask, c.Object.Static, born[c.ID])
		}
	}
}

// sparseTurns is the number of turns for each object above which objects are read in the order of packets.
const sparseTurns = 4

// readAll reads all objects, in the order of their IDs, in which the turns are adjacent, unless few IDs are live. If
// the rules are renewed, it also schedules them again.
func (w *BudgetTracker) readAll(v linear.View, renewed bool) {
	s, places := v.Store(), v.Locator(&w.places)
	sparse := len(w.queue.turns) > sparseTurns*s.Count
	for i := range w.queue.turns {
		if sparse && !w.queue.turns[i].live {
			continue
		}
		id := uint32(i)
		if slot, lane, ok := places.Locate(id); !ok {
			if w.queue.turns[i].live {
				w.removeObject(id)
			}
		} else if !sparse {
			w.readObject(s, id, slot, lane, renewed)
		}
	}
	for slot := 0; sparse && slot < len(s.Packets.Counts); slot++ {
		for lane, id := range s.Packets.IDs[slot][:s.Packets.Counts[slot]] {
			w.readObject(s, id, uint32(slot), lane, renewed)
		}
	}
}

// readObject reads the object in a lane.
func (w *BudgetTracker) readObject(s *soa.Store, id, slot uint32, lane int, renewed bool) {
	p := &s.Packets
	w.addPair(id, p.MaskAt(slot, lane), p.Moving[slot]>>lane&1 == 0, s.Log.Born[id])
	if renewed {
		w.schedule(id)
	}
}

// testObject copies Visible, and reschedules the objects whose visibility has changed. It compares as
// many words as the longer set has, or all words if one of the sets is all objects.
func (w *BudgetTracker) testObject() {
	all, words := w.Visible == nil, (len(w.queue.turns)+63)/64
	if all && w.all {
		return
	}
	wereAll := w.all
	w.was, w.seen, w.all = w.seen, append(w.was[:0], w.Visible[:min(len(w.Visible), words)]...), all
	most := max(len(w.was), len(w.seen))
	if all || wereAll {
		most = words
	}
	for i := range most {
		for m := wordOf(w.was, i, wereAll) ^ wordOf(w.seen, i, all); m != 0; m &= m - 1 {
			if id := i*64 + bits.TrailingZeros64(m); id < len(w.queue.turns) && w.queue.turns[id].live {
				w.schedule(uint32(id))
			}
		}
	}
}

// wordOf returns a word of a set, which may be the set of all IDs.
func wordOf(set []uint64, i int, all bool) uint64 {
	switch {
	case all:
		return ^uint64(0)
	case i < len(set):
		return set[i]
	}
	return 0
}
