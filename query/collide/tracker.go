package collide

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/follow"
)

// ErrNoLog is returned for a view of a tree that does not record its changes.
var ErrNoLog = errors.New("collide: the tree records no changes: it was made without linear.Config.Log")

// Tracker reports contact events, as a physics engine does: it keeps the overlapping pairs of a
// tree from frame to frame and reports the pairs that began and ended. It searches only around
// changes, so its cost is proportional to the changes, not to the pairs or the objects.
//
//	err := tree.Tick()
//	err = tracker.Update(tree.View())
//	for _, p := range tracker.Began() { … }
//	for _, p := range tracker.Ended() { … }
//
// The zero value is ready to use: it holds no pairs and keeps all except those of two static
// objects. One goroutine at a time may use a tracker, and it must not be copied after its first
// use. Any number of trackers may follow one tree, which must be made with [linear.Config.Log].
//
// A pair persists as long as its two objects overlap, or are within Filter.Distance, at each update
// and pass the filter. Overlaps that begin and end between two updates are missed. A reused ID is a
// different object: the pairs of the former object end and those of the new one begin, even if both
// pairs have the same two IDs. This also holds for the views of versions ([linear.Publisher]) that are
// passed out of order.
//
// A tracker holds 32 to 256 bytes for each pair, 12 for each ID, and the buffers of the largest
// update, including 16 bytes for each pair. It drops the buffers after seven of eight pairs have
// ended. [Tracker.Trim] frees unused memory.
type Tracker struct {
	// Filter restricts the pairs. It may be changed between updates: the next one ends the pairs
	// that no longer pass and begins those that now do. With Live or LiveBoth, whose bits may
	// change unnoticed, or Exclude, each update finds all pairs.
	Filter Filter

	links   links
	began   []Pair
	ended   []Pair
	updates uint64 // number of the last update, from 1 on

	log      follow.Position
	filter   Filter
	layers   Layers // copy of *filter.Layers
	changed  changedObjects
	previous previous
	then     list // pairs that may end
	now      list // pairs that may begin
}

// Update brings the tracker to the state of the view. It reads the changes since the last update.
// It compares all pairs instead if the tree has dropped some of these changes or has changed a
// lot. It also does so if the view is of another tree or an older version, or if the filter has
// changed. The result is the same either way. The first update, and the one after
// [Tracker.Reset], begins all pairs. An update with a view of another tree, a clone included,
// ends all former pairs, too. So does an update after a rewind to a tree that [linear.Snapshot.Load] has returned.
//
// The error is [ErrNoLog], or that of [Filter.Check], or reports more than 2^31 - 1 pairs; the
// tracker is then unchanged. In
// steady state it allocates nothing. The cost from changes is that of [Append] between the
// changed objects and the tree, and of sorting the found pairs and their former ones. The cost
// from all pairs is that of Append within the tree and of comparing all pairs with the former
// ones. The comparison is cheap if most are in the same order.
func (t *Tracker) Update(v linear.View) error {
	s := v.Store()
	if s.Log == nil {
		return ErrNoLog
	}
	if err := t.Filter.Check(); err != nil {
		return err
	}
	defer phase.Enter(phase.Pairs).Leave()
	known := t.log.Known(s.Log)
	changes, ok := t.log.Changes(s.Log)
	ok = ok && t.sameFilter() && t.changed.read(changes, s.Count)
	t.then.reset()
	t.now.reset()
	if ok {
		t.links.appendOf(&t.then, &t.changed)
		t.now.findChanged(v, &t.changed, &t.Filter)
	} else {
		t.previous.find(v, t.Filter)
	}
	if found := max(len(t.now.keys), len(t.previous.next)); found > maxPairs {
		return fmt.Errorf("collide: %d pairs exceed %d", found, maxPairs)
	}
	r := renewal{
		since: t.links.since, born: s.Log.Born,
		all: !known, some: t.log.MayReuse(s.Log),
	}
	if !ok {
		t.takeAll(&r)
	}
	t.updates++
	t.links.turn++
	t.compare(&r)
	t.previous.known = t.previous.known && (!ok || len(t.began)+len(t.ended) == 0)
	t.log.Advance(s.Log)
	t.keepFilter()
	return nil
}

// sameFilter reports whether the filter is that of the last update. Changes of sets of objects
// cannot be detected, and a search for the changed objects has no test by ID.
func (t *Tracker) sameFilter() bool {
	f, g := &t.Filter, &t.filter
	if f.Live != nil || f.LiveBoth != nil || g.Live != nil || g.LiveBoth != nil || f.Exclude != g.Exclude || f.Exclude.Gen != 0 {
		return false
	}
	return f.Mask == g.Mask && f.StaticPairs == g.StaticPairs && f.Exact == g.Exact && f.Distance == g.Distance && (f.Layers == nil) == (g.Layers == nil) &&
		(f.Layers == nil || *f.Layers == t.layers)
}

func (t *Tracker) keepFilter() {
	t.filter = t.Filter
	if t.Filter.Layers != nil {
		t.layers = *t.Filter.Layers
	}
}

// renewal detects pairs of the last update whose ID is now a different object: one that another
// change inserted, earlier or later.
type renewal struct {
	since []uint64 // by object with a pair at the last update: the change that inserted it
	born  []uint64 // by ID: the change that inserted the present object
	all   bool     // all pairs are renewed: it is another tree
	some  bool     // some pairs may be: objects have been inserted, or it is an older version
}

func (r *renewal) of(key uint64) bool {
	a, b := key>>32, uint32(key)
	return r.all || r.some && (r.since[a] != r.born[a] || r.since[b] != r.born[b])
}

// takeAll lists the candidates to begin and end from all current and all former pairs.
func (t *Tracker) takeAll(r *renewal) {
	if f := &t.previous; f.known && !r.all {
		f.cancel(&t.then, &t.now, r)
	} else {
		t.links.appendAll(&t.then)
		t.now.addPairs(f.next)
	}
	t.previous.renew()
}

// compare begins new pairs and ends pairs that no longer exist.
func (t *Tracker) compare(r *renewal) {
	t.then.index()
	t.now.subtract(&t.then, r)
	t.then.dropMet()
	t.then.order()
	t.now.order()
	t.links.findAll(&t.then)
	t.ended, t.began = t.then.appendPairs(t.ended[:0]), t.now.appendPairs(t.began[:0])
	t.links.removeAll(t.then.indices)
	t.links.addAll(t.began, t.updates, r.born)
	if t.links.shrink() {
		t.then, t.now, t.previous = list{}, list{}, previous{}
	}
}

// Began returns the pairs that began in the last update, ascending by A and then B. They are
// valid until the next Update or Reset.
func (t *Tracker) Began() []Pair { return t.began }

// Ended returns the pairs that ended in the last update, ascending by A and then B. Their objects
// may have been removed since. They are valid until the next Update or Reset.
func (t *Tracker) Ended() []Pair { return t.ended }

// Pairs returns an iterator over the current pairs, including those that have just begun, in an
// order that is a function of the updates only: all updates since the first, so that trackers with
// other pasts may have the same pairs in another order. It takes time proportional to their number,
// and allocates nothing. Updating, resetting or trimming the tracker during the iteration makes it
// panic.
func (t *Tracker) Pairs() iter.Seq[Pair] {
	return func(yield func(Pair) bool) { t.links.each(yield, ^uint64(0)) }
}

// Stayed returns an iterator over the current pairs that began before the last update. The
// contract is that of [Tracker.Pairs].
func (t *Tracker) Stayed() iter.Seq[Pair] {
	return func(yield func(Pair) bool) { t.links.each(yield, t.updates) }
}

// Of returns an iterator over the partners of an object, whose ID need not be live. The contract
// is that of [Tracker.Pairs], but the time is proportional to the number of partners.
func (t *Tracker) Of(id uint32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) { t.links.eachOf(id, yield) }
}

// Len returns the number of current pairs.
func (t *Tracker) Len() int { return t.links.live }

// Reset drops all pairs, without ending them, and keeps the memory and the filter.
func (t *Tracker) Reset() {
	t.links.reset()
	t.began, t.ended, t.previous.known = t.began[:0], t.ended[:0], false
	t.log = follow.Position{}
}

// Trim frees memory: it keeps the pairs, the begun and ended ones, and the state from which the
// next update continues. It frees the buffers of updates; the next ones allocate them again. The
// order of [Tracker.Pairs] stays. It takes time proportional to the pairs and to the largest ID
// among them.
func (t *Tracker) Trim() {
	t.links.trim()
	t.began, t.ended = slices.Clone(t.began), slices.Clone(t.ended)
	t.then, t.now, t.previous, t.changed = list{}, list{}, previous{}, changedObjects{}
}
