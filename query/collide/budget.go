package collide

import (
	"slices"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/follow"
	"github.com/zoctree/zoctree/soa"
)

// BudgetTracker is an incremental pair search with a work budget per frame. It searches the
// overlaps of one object at a time, by priority, and continues with the next update when the
// budget is used up. It is for scenes that may become too crowded for [Append], where most
// overlaps may be found a few frames late, and those of visible objects at once.
//
//	tracker := collide.BudgetTracker{Budget: 20_000, Classes: []collide.Class{
//		{Mask: player, Period: 1, Hidden: 1},
//		{Period: 2, Hidden: 30},
//	}}
//	tracker.Visible = visible             // a set of IDs: the objects that a camera sees
//	err := tracker.Update(tree.View())
//	for _, p := range tracker.Found() { … }
//
// The zero value is ready to use once Budget is set. One goroutine at a time may use a
// BudgetTracker, and it must not be copied after its first use. The tree must be made with
// [linear.Config.Log]. Its views, including those of published versions, may be passed in any
// order; a view of another tree or a clone starts over. A reused ID is a different object.
//
// # Schedule
//
// An object is due for its first search when it is inserted, and then a period of its class after
// its last search began. The unit of work is a test of one packet of 16 objects, never time, so the
// result is a function of the calls. No update takes more units than Budget. Each update searches
// the due objects of
//
//	each class, with up to its share of the budget
//	each class again, in their order, with the rest of the budget
//
// Within a class the order is (frame in which the object was due, ID). So the order of the classes is
// their priority, and a share is the part of the budget that the classes before it cannot take. If a
// class has no share but another has, it is searched with the rest only, and may starve. If no class
// has a share, half of the budget, rounded up, is dealt to all in equal shares, the packets that
// remain in turns: none starves.
//
// Each class may have one unfinished search, which it continues first. A search that continues tests
// only untested packets: it remembers the IDs of the objects in tested ones. It does not restart if
// objects move, its own included, or if the tree is rebuilt, and it finds each pair of objects that
// overlap all the time. It starts over if its object changes its class.
//
// Let units be the cost of one search of each object of a class, and search the largest cost of one
// of them. An overlap that lasts is reported within
//
//	period + (units + search) / share
//
// frames, rounded up, for each of the two objects and its class: the smaller number holds. Then it is
// reported each time that one of the two is searched. The share is that of the class. If no class has
// one, it is Budget / (2 * the number of classes); it is the whole Budget if there is one class, or
// none. [BudgetTracker.ClassStats] counts the units. Packets that objects have entered since they were
// tested are tested again, and count. The bound of an object starts anew when it changes its class;
// there is none for an object without a class.
//
// # Memory
//
// A tracker holds 40 bytes and a bit for each ID, and 16 to 32 bytes for each scheduled object.
// It also holds 4 bytes for each packet of a search, a bit for each ID and class with an unfinished
// search, and 32 bytes for each pair of an update.
// [BudgetTracker.Trim] frees unused memory.
type BudgetTracker struct {
	// Filter restricts the pairs, and its Distance extends them. A new Distance counts for packets that are
	// tested from then on. Objects that its Mask excludes are not searched, nor is the object
	// of its Exclude, nor are static ones unless it has StaticPairs: searches of moving objects find
	// them.
	Filter Filter

	// Classes set the periods of objects. The first matching class of an object counts; objects
	// that match none are never searched. The first class has the highest priority. No classes at all
	// are one class of all objects, with a period of 1. At most 255.
	Classes []Class

	// Budget is the largest number of packets that an update tests, 1 or more: 0 is an error.
	Budget int

	// Visible is the set of objects searched with the Period of their class, bit ID%64 of
	// Visible[ID/64]; the others are searched with its Hidden. nil: all objects. Its bits may
	// change from update to update.
	Visible []uint64

	log    follow.Position
	frame  uint64
	rules  rules
	queue  queue
	seen   []uint64 // Visible at the last update
	was    []uint64 // Visible at the update before
	all    bool     // Visible was nil at the last update: all objects were visible
	search budgetSearch
	keys   []uint64
	sort   radix.Scratch
	found  []Pair
	stats  []BudgetStats // by class
	places []soa.Location
}

// Update brings the tracker to the state of the view, and searches as many objects as the budget
// allows. It applies changes of the filter and the classes.
//
// Objects are searched one by one: a pass over all takes some 25 times as long as [Append] (go
// test -bench BudgetTracker ./query/collide). So a budget pays off if it is a small part of a
// pass.
//
// The time is proportional to the changes since the last update, or to all objects if the log has
// dropped some of them. The pending objects of the tree and the units add to it. A view of a
// published version without an index of its objects takes time proportional to its objects, too.
// In steady state it allocates nothing.
//
// The error is [ErrNoLog], or reports a filter, a budget, a class, a period or a share out of range; the
// tracker is then unchanged.
func (w *BudgetTracker) Update(v linear.View) error {
	s := v.Store()
	if s.Log == nil {
		return ErrNoLog
	}
	if err := w.Check(); err != nil {
		return err
	}
	defer phase.Enter(phase.Pairs).Leave()
	changes, ok := w.log.Changes(s.Log)
	if !w.log.Known(s.Log) {
		w.queue.reset()
		w.search.drop()
	}
	renewed := !w.rules.equal(w)
	if renewed {
		w.rules.take(w)
	}
	w.frame++
	w.queue.grow(s.Log.Born, w.classCount())
	w.testObject()
	if ok && !renewed {
		w.readLog(v, changes)
	} else {
		w.readAll(v, renewed)
	}
	w.log.Advance(s.Log)
	w.keys = w.keys[:0]
	w.run(v)
	w.order()
	return nil
}

// order sorts the found pairs and removes duplicates.
func (w *BudgetTracker) order() {
	items, _ := w.sort.Order(w.keys, radix.Options{}) // fails only when it is cancelled
	w.found = slices.Grow(w.found[:0], len(items))
	for i, item := range items {
		if k := radix.Index(item); i == 0 || w.keys[k] != pack(w.found[len(w.found)-1].A, w.found[len(w.found)-1].B) {
			w.found = append(w.found, unpack(w.keys[k]))
		}
	}
}

// Found returns the pairs found in the last update, each once, ascending by A and then B: all
// overlaps of each searched object, or those in the packets that the budget allowed. They are
// valid until the next Update.
func (w *BudgetTracker) Found() []Pair { return w.found }

// Checked returns the objects whose searches ended in the last update, in their order. An overlap of
// such an object has been reported if it has lasted since the first update of the search, and has
// passed the filter in each update. The objects are valid until the next Update.
func (w *BudgetTracker) Checked() []uint32 { return w.search.searched }

// Trim frees memory: it keeps the schedule of the objects, the unfinished search, and the results
// of the last update. Its rows by ID end with the largest ID of a live object of the last update;
// the next one needs a row for each ID of the tree, so call [linear.Tree.Trim] first. The results
// do not depend on it. It takes time proportional to the IDs.
func (w *BudgetTracker) Trim() {
	w.queue.trim()
	w.search.trim()
	w.seen, w.found = slices.Clone(w.seen[:min(len(w.seen), (len(w.queue.turns)+63)/64)]), slices.Clone(w.found)
	w.was, w.keys, w.sort, w.places = nil, nil, radix.Scratch{}, nil
}
