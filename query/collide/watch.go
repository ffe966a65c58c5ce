package collide

import (
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// BudgetTracker finds the pairs of a tree with a limit to the work of each frame: objects are asked
// one by one for what they overlap, the most urgent first, and where the budget of a frame ends
// the rest waits for the next. It is for scenes that may become too crowded for [Append], where
// most overlaps may be found a few frames late, and those in sight at once.
//
//	watch := collide.BudgetTracker{Budget: 20_000, Classes: []collide.Class{
//		{Mask: player, Period: 1, Unseen: 1},
//		{Period: 2, Unseen: 30},
//	}}
//	watch.Seen = seen                     // a set of IDs: what a camera sees
//	err := watch.Update(tree.View())
//	for _, p := range watch.Found() { … }
//
// An object is due for its first search when it is inserted, and then a period of its class
// after its last one began. Those that are due are asked in the order of (frame in which they
// were due, class, ID). The unit of work is a packet of 16 objects that is tested, never
// time, so what is found is a function of the calls. No update takes more units than Budget:
// a search that comes to its end goes on with the next update.
//
// It goes on with what it has not tested: it remembers the IDs of the objects in the packets
// that it has. So it does not begin again when objects, its own among them, move, or when the
// tree is rebuilt, and of two that overlap all the time neither is missed. With period the
// smaller one of the two objects, units what one full pass takes and search the
// most that one object takes, an overlap that lasts is told within
//
//	period + (units + search) / Budget
//
// frames, rounded up, and then each time that one of the two is asked. Packets that objects have
// come into since they were tested are tested again, and count.
//
// The zero value is ready but for Budget. One goroutine at a time may use a Watch, and it must
// not be copied after its first use. The tree must be made with [linear.Config.Log]; views of
// it, of published versions, and of other trees may come in any order: those of another tree
// or a clone begin anew. An ID that has been given out again is another object.
//
// It holds 40 bytes for each ID, 16 to 32 for each object that is asked, a bit for each ID,
// 4 bytes for each packet of a search, and the pairs of an update, 32 bytes each. [BudgetTracker.Trim]
// gives back what it does not need.
type BudgetTracker struct {
	// Filter says which pairs are kept. Objects that its Mask excludes are not asked, nor are static
	// ones unless it has StaticPairs: those that move find them.
	Filter Filter

	// Classes say how often objects are asked: each by the first that it belongs to, those
	// of none never. None at all is one class of all objects, with a period of 1. At most 255.
	Classes []Class

	// Budget is the most packets that an update tests, 1 or more.
	Budget int

	// Visible is the set of objects with the period of their class, bit ID%64 of Seen[ID/64]; the
	// others have its Unseen. nil: all are. Its bits may change from update to update.
	Visible []uint64

	log    uint64 // the log of the tree that is watched; 0: none
	at     uint64 // number of its first change that is not yet seen
	frame  uint64
	rules  rules
	queue  queue
	seen   []uint64 // those in Seen at the last update
	was    []uint64 // those of the one before
	all    bool     // Seen was nil at the last update: all objects were seen
	search watched
	keys   []uint64
	sort   radix.Scratch
	found  []Pair
	stats  BudgetStats
	places []soa.Location
}

// Class says how often some objects are asked.
type Class struct {
	// Mask: an object belongs to it whose type mask has a bit in common with it. 0: any does.
	Mask uint32

	// Period is the number of frames from one search of an object to the next, 1 or more.
	Period int

	// Hidden is that for objects that are not in [BudgetTracker.Visible]. 0: they are not asked, and
	// are found by those that are.
	Hidden int
}

// BudgetStats tells what the last update of a [BudgetTracker] has done.
type BudgetStats struct {
	Units   int // packets tested: at most the budget
	Checked int // searches that ended

	// Again is of the units those of packets that have objects in them which the same search
	// has tested before.
	Again int

	// Late is for how many updates, this one included, the first of the objects has been due
	// that wait for a search to begin; 0: none waits.
	Late uint64
}

// Update brings the watch to the state of the view, and asks as many objects as the budget
// allows. A change of the filter or the classes takes effect with it.
//
// Objects are asked one by one: a pass over all takes some 25 times what [Append] does (go test -bench
// BudgetTracker ./query/collide), so a budget pays that is a small part of a pass.
//
// It takes time proportional to the changes since the last update, or to all objects when the
// log has forgotten some of them, to the pending objects of the tree, and to the units; a
// view of a published version that nobody has asked for objects by ID takes time proportional to
// its objects, too. In steady state it allocates nothing.
//
// The error is [ErrNoLog], or that of a budget, a class or a period that is out of range; the
// watch is then as before.
func (w *BudgetTracker) Update(v linear.View) error {
	s := v.Store()
	if s.Log == nil {
		return ErrNoLog
	}
	if err := w.check(); err != nil {
		return err
	}
	defer phase.Enter(phase.Pairs).Leave()
	changes, next, ok := v.Changes(w.at)
	if w.log != s.Log.Number {
		w.queue.reset()
		w.search.drop()
		ok = false
	}
	renewed := !w.rules.equal(w)
	if renewed {
		w.rules.take(w)
	}
	w.frame++
	w.stats = BudgetStats{}
	w.queue.grow(s.Log.Born)
	w.look()
	if ok && !renewed {
		w.readLog(v, changes)
	} else {
		w.readAll(v)
	}
	w.log, w.at = s.Log.Number, next
	w.keys = w.keys[:0]
	w.run(v)
	w.order()
	return nil
}

// check returns what is wrong with the settings.
func (w *BudgetTracker) check() error {
	if w.Budget < 1 {
		return fmt.Errorf("collide: a budget of %d packets: want 1 or more", w.Budget)
	}
	if len(w.Classes) > maxClasses {
		return fmt.Errorf("collide: %d classes exceed %d", len(w.Classes), maxClasses)
	}
	for i, c := range w.Classes {
		if c.Period < 1 || c.Hidden < 0 {
			return fmt.Errorf("collide: class %d has a period of %d frames, %d unseen: want 1 or more, and 0 or more", i, c.Period, c.Hidden)
		}
	}
	return nil
}

// run asks objects until the budget is used up.
func (w *BudgetTracker) run(v linear.View) {
	places := v.Locator(&w.places)
	c := &w.search
	c.begin(v, &w.Filter)
	for left := w.Budget; ; {
		if !c.active {
			id, ok := w.queue.next(w.frame)
			if !ok {
				break
			}
			if left == 0 {
				break
			}
			w.queue.began(id, w.frame, w.period(id))
			c.start(id)
		}
		slot, lane, ok := places.Locate(c.id)
		if !ok {
			panic(fmt.Sprintf("collide: no object %d in the view that is said to have it", c.id))
		}
		units, again, done := c.ask(slot, lane, left, &w.keys)
		left -= units
		w.stats.Units += units
		w.stats.Again += again
		if !done {
			break
		}
		w.stats.Checked++
	}
	w.stats.Late = w.queue.late(w.frame)
	c.end()
}

// order makes the list of pairs of what has been found, each once.
func (w *BudgetTracker) order() {
	items, _ := w.sort.Order(w.keys, radix.Options{}) // fails only when it is cancelled
	w.found = slices.Grow(w.found[:0], len(items))
	for i, item := range items {
		if k := radix.Index(item); i == 0 || w.keys[k] != pack(w.found[len(w.found)-1].A, w.found[len(w.found)-1].B) {
			w.found = append(w.found, unpack(w.keys[k]))
		}
	}
}

// Found returns the pairs that the last update has found, each once, ascending by A and then B:
// of each object that it has asked all overlaps, or those of the packets that the budget
// allowed. They are valid until the next Update.
func (w *BudgetTracker) Found() []Pair { return w.found }

// Checked returns the objects whose searches ended with the last update, in their order: what
// they overlap has been told, by this update and those since the search began. They are valid
// until the next Update.
func (w *BudgetTracker) Checked() []uint32 { return w.search.asked }

// Stats tells what the last update has done.
func (w *BudgetTracker) Stats() BudgetStats { return w.stats }

// Trim gives memory back: it keeps the turns of the objects, the search that is to go on, and
// what the last update has told. What it holds by ID ends with the largest ID of a live object
// of the last update; the next one needs a row for each ID that the tree has, so
// [linear.Tree.Trim] comes first. What is found does not depend on it. It takes time
// proportional to the IDs.
func (w *BudgetTracker) Trim() {
	w.queue.trim()
	w.search.trim()
	w.seen, w.found = slices.Clone(w.seen[:min(len(w.seen), (len(w.queue.turns)+63)/64)]), slices.Clone(w.found)
	w.was, w.keys, w.sort, w.places = nil, nil, radix.Scratch{}, nil
}
