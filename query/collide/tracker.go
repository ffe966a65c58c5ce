package collide

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
)

// ErrNoLog is returned for a view of a tree that does not record its changes.
var ErrNoLog = errors.New("collide: the tree records no changes: it was made without linear.Config.Log")

// Tracker keeps the pairs of overlapping objects of a tree from frame to
// frame and tells which began and which ended: the contact events of a physics
// engine. It looks only where something has changed, so it costs time in
// proportion to the changes, not to the pairs or to the objects.
//
// The zero value is ready: it holds no pairs and keeps all but those of two
// static objects. One goroutine at a time may use a tracker, and it must not be
// copied after its first use. Any number of trackers may follow one tree, which
// must be made with [linear.Config.Log].
//
//	err := tree.Tick()
//	err = tracker.Update(tree.View())
//	for _, p := range tracker.Began() { … }
//	for _, p := range tracker.Ended() { … }
//
// A pair lives as long as its two objects overlap at each update and pass the
// filter. What lies between two updates is not seen, but for one thing: an ID
// that was freed and given out again means another object. The pairs of the
// former end and those of the new one begin, even where both are pairs of the
// same two numbers. So it is where the views are held versions ([linear.Publisher])
// and come in another order than that of time.
//
// It holds 32 to 256 bytes for each pair, 12 for each ID, and the buffers of the
// largest update, 16 bytes for each pair among them, which it drops when seven of eight
// pairs have gone. [Tracker.Trim] gives back what it does not need.
type Tracker struct {
	// Filter says which pairs are kept. It may be changed between updates:
	// the next one ends the pairs that no longer pass and begins those that
	// now do. With Live or LiveBoth, whose bits change unseen, each update finds all pairs.
	Filter Filter

	links   links
	began   []Pair
	ended   []Pair
	updates uint64 // number of this update, from 1 on

	log     uint64 // the log of the tree that is tracked; 0: none
	at      uint64 // number of its first change that is not yet seen
	filter  Filter
	layers  Layers // what filter.Layers pointed to
	changed changedObjects
	former  former
	then    list // pairs that may end
	now     list // pairs that may begin
}

// Update brings the tracker to the state of the view. The result does not depend
// on how it gets there: from the changes since the last update, or, when the
// tree has forgotten some of them, has changed a lot, or is another one or an older
// version, or when the filter is another one, from all pairs. The first update, and
// the one after [Tracker.Reset], begins all pairs; one with the view of another tree
// ends all, too, and so does one with a clone.
//
// The error is [ErrNoLog], or that there are more than 2^31 - 1 pairs; the tracker is
// then as before. In steady state it allocates nothing. The cost is that of [Append]
// for the changed objects and the tree, and of sorting the pairs found and their
// former ones; or that of Append within the tree and of comparing all pairs with the
// former ones, which is little where most are told in the same order.
func (t *Tracker) Update(v linear.View) error {
	s := v.Store()
	if s.Log == nil {
		return ErrNoLog
	}
	defer phase.Enter(phase.Pairs).Leave()
	known := t.log == s.Log.Number
	changes, next, ok := v.Changes(t.at)
	ok = ok && known && t.sameFilter() && t.changed.read(changes, s.Count)
	t.then.reset()
	t.now.reset()
	if ok {
		t.links.appendOf(&t.then, &t.changed)
		t.now.findChanged(v, &t.changed, &t.Filter)
	} else {
		t.former.find(v, t.Filter)
	}
	if found := max(len(t.now.keys), len(t.former.next)); found > maxPairs {
		return fmt.Errorf("collide: %d pairs exceed %d", found, maxPairs)
	}
	r := renewal{
		since: t.links.since, born: s.Log.Born,
		all: !known, some: s.Log.Births > t.at || next < t.at,
	}
	if !ok {
		t.takeAll(&r)
	}
	t.updates++
	t.links.turn++
	t.compare(&r)
	t.former.known = t.former.known && (!ok || len(t.began)+len(t.ended) == 0)
	t.log, t.at = s.Log.Number, next
	t.keepFilter()
	return nil
}

// sameFilter reports whether the filter is that of the last update. Of sets of objects nobody
// tells whether they have changed.
func (t *Tracker) sameFilter() bool {
	f, g := &t.Filter, &t.filter
	if f.Live != nil || f.LiveBoth != nil || g.Live != nil || g.LiveBoth != nil {
		return false
	}
	return f.Mask == g.Mask && f.StaticPairs == g.StaticPairs && f.Exact == g.Exact && (f.Layers == nil) == (g.Layers == nil) &&
		(f.Layers == nil || *f.Layers == t.layers)
}

func (t *Tracker) keepFilter() {
	t.filter = t.Filter
	if t.Filter.Layers != nil {
		t.layers = *t.Filter.Layers
	}
}

// renewal tells which pairs of the last update are of another object now: one that
// was inserted by another change, sooner or later.
type renewal struct {
	since []uint64 // by object with a pair at the last update: when it was inserted
	born  []uint64 // by ID: when the object of now was
	all   bool     // all are: it is another tree
	some  bool     // some may be: objects have been inserted, or it is an older version
}

func (r *renewal) of(key uint64) bool {
	a, b := key>>32, uint32(key)
	return r.all || r.some && (r.since[a] != r.born[a] || r.since[b] != r.born[b])
}

// takeAll lists what may begin and end of all pairs there are now and of all there were.
func (t *Tracker) takeAll(r *renewal) {
	if f := &t.former; f.known && !r.all {
		f.cancel(&t.then, &t.now, r)
	} else {
		t.links.appendAll(&t.then)
		t.now.addPairs(f.next)
	}
	t.former.renew()
}

// compare begins the pairs that are but were not, and ends those that were but
// are not.
func (t *Tracker) compare(r *renewal) {
	t.then.index()
	t.now.subtract(&t.then, r)
	t.then.dropMet()
	t.then.order()
	t.now.order()
	t.links.place(&t.then)
	t.ended, t.began = t.then.appendPairs(t.ended[:0]), t.now.appendPairs(t.began[:0])
	t.links.removeAll(t.then.places)
	t.links.addAll(t.began, t.updates, r.born)
	if t.links.shrink() {
		t.then, t.now, t.former = list{}, list{}, former{}
	}
}

// Began returns the pairs that began with the last update, ascending by A and
// then B. They are valid until the next Update or Reset.
func (t *Tracker) Began() []Pair { return t.began }

// Ended returns the pairs that ended with the last update, ascending by A and
// then B: as they were, so their objects may have been removed since. They are
// valid until the next Update or Reset.
func (t *Tracker) Ended() []Pair { return t.ended }

// Pairs returns an iterator over the pairs that there are, began ones included,
// in an order that is a function of the updates only. It takes time proportional to
// their number, and allocates nothing. Updating, resetting or trimming the tracker during
// the iteration makes it panic.
func (t *Tracker) Pairs() iter.Seq[Pair] {
	return func(yield func(Pair) bool) { t.links.each(yield, ^uint64(0)) }
}

// Stayed returns an iterator over the pairs that there are and that were there
// before the last update, as [Tracker.Pairs] does.
func (t *Tracker) Stayed() iter.Seq[Pair] {
	return func(yield func(Pair) bool) { t.links.each(yield, t.updates) }
}

// Of returns an iterator over the objects that are paired with one, whose ID
// need not be live, as [Tracker.Pairs] does but in time proportional to
// their number.
func (t *Tracker) Of(id uint32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) { t.links.eachOf(id, yield) }
}

// Len returns the number of pairs that there are.
func (t *Tracker) Len() int { return t.links.live }

// Reset makes the tracker forget all pairs, without ending them, and keep its
// memory and its filter.
func (t *Tracker) Reset() {
	t.links.reset()
	t.began, t.ended, t.former.known = t.began[:0], t.ended[:0], false
	t.log = 0
}

// Trim gives memory back: it keeps the pairs, those that began and ended, and what the next
// update needs to go on from the last one. The buffers of updates go; the next ones allocate
// them anew. The order of [Tracker.Pairs] stays. It takes time proportional to the pairs and
// to the largest ID among them.
func (t *Tracker) Trim() {
	t.links.trim()
	t.began, t.ended = slices.Clone(t.began), slices.Clone(t.ended)
	t.then, t.now, t.former, t.changed = list{}, list{}, former{}, changedObjects{}
}
