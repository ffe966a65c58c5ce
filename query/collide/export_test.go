package collide

import (
	"github.com/zoctree/zoctree/linear"
)

// GathersMovers reports whether the pairs within a view are found from its moving objects.
func GathersMovers(v linear.View, flt Filter) bool {
	w := takeSearch(Within(v), flt)
	defer w.release()
	return w.objects
}

// FindAll makes the next update compare all pairs, including unchanged ones.
func (t *Tracker) FindAll() { t.filter.StaticPairs = !t.Filter.StaticPairs }

// Room returns the capacity for pairs.
func (t *Tracker) Room() int {
	return cap(t.links.pairs) + cap(t.then.keys) + cap(t.now.keys) + cap(t.previous.pairs) + cap(t.previous.next)
}

// Looked returns about the number of former pairs that the last update checked: at least half of it, and no
// more.
func (t *Tracker) Looked() int { return len(t.then.table) / 4 }

// Cancel returns the pairs that are in only one of two lists.
func Cancel(pairs, next []Pair) (ended, began []Pair) {
	f := previous{pairs: pairs, next: next}
	var then, now list
	f.cancel(&then, &now, &renewal{})
	return then.appendPairs(nil), now.appendPairs(nil)
}

// Queued returns the number of entries in the queues of a budget tracker, including outdated ones.
func (w *BudgetTracker) Queued() (n int) {
	for i := range w.queue.heaps {
		n += len(w.queue.heaps[i].entries)
	}
	return n
}

// SharePairsFrom lets walks of n objects or more be cut into that many parts or
// more, until restore.
func SharePairsFrom(n, parts int) (restore func()) {
	objects, tasks := planObjects, planTasks
	planObjects, planTasks = n, parts
	return func() { planObjects, planTasks = objects, tasks }
}

// PlannedParts is the number of parts of the walk of two views, or of one against
// itself.
func PlannedParts(of Views, flt Filter) int {
	w := takeSearch(of, flt)
	defer w.release()
	if !w.begin() || w.part != 1 {
		return 0
	}
	return len(w.plan)
}

// PartsDone returns the number of parts that the workers of the last call of a batch have done.
func PartsDone(b *Batch) int { return int(b.done.Load()) }

// NearestSearches is the number of objects of a view from which a join of nearest neighbours searches.
func NearestSearches(a, b linear.View, flt Filter) (n int) {
	w, x := new(nearWorker), a.Store()
	y, self := x, b == (linear.View{})
	if !self {
		y = b.Store()
	}
	if !w.begin(x, y, self, 1, &flt) {
		return 0
	}
	for slot, count := range x.Packets.Counts {
		for lane := range int(count) {
			if w.take(uint32(slot), lane) {
				n++
			}
		}
	}
	return n
}

// MoversMin is the number of objects of a tree from which few objects are gathered.
const MoversMin = moversMin
