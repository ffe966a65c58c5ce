package scene

import (
	"fmt"
	"iter"
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// Tracker reports contact events of a scene: it keeps the overlapping pairs from frame to frame and
// reports the pairs that began and ended. It corresponds to [collide.Tracker] of a tree.
//
//	err := world.Tick()
//	err = tracker.Update(world.View())
//	for _, p := range tracker.Began() { … }
//	for _, p := range tracker.Ended() { … }
//
// It tracks the pairs of [AppendPairs] of Part 0: pairs of own objects, of own objects and objects
// in instances, and of two instances, and with Filter.Instances also those inside of each instance.
// Without, the pairs inside of a part are the same in each instance: a tracker of the part has them.
//
// The zero value is ready to use: it holds no pairs and keeps all except those of two static objects.
// One goroutine at a time may use a tracker, and it must not be copied after its first use. Any number
// of trackers may follow one scene, and views of published scenes, of snapshots and of directories.
//
// A pair persists as long as its two objects overlap at each update and pass the filter. A reused ID,
// of an object or of an instance, is a different object: its former pairs end and the new ones begin.
// For a pair no further apart than the rounding margin of AppendPairs, which may or may not keep it,
// the result may depend on the updates between.
//
// A tracker holds 160 to some 320 bytes for each pair, 128 for each stored instance in the scene and its
// parts, 8 for each ID of an object, and the buffers of the largest update. [Tracker.Trim] frees unused
// memory.
type Tracker struct {
	// Filter restricts the pairs. It may be changed between updates: the next one ends the pairs
	// that no longer pass and begins those that now do. With sets of live objects, whose bits may
	// change unnoticed, or Exclude, each update finds all pairs.
	Filter PairFilter

	links         linkSet // the current pairs
	former, found []Pair  // pairs that may end, and that may begin, ascending
	sorter        pairSorter
	began, ended  []Pair
	updates       uint64

	filter  PairFilter     // of the last update
	layers  collide.Layers // copy of *filter.Layers
	changes sceneChanges
}

// Update brings the tracker to the state of the view. It finds the instances that have changed since
// the last update: whose transform or mask has, or whose part has an object or instance that has. It
// also finds the own objects that have changed, by the log of the scene's own tree
// ([linear.Config.Log]); without a log, all of them have if one has. Then it searches only for the
// pairs of changed objects. It searches for all pairs if half of the objects and instances have
// changed, if the filter has, and at the first update and the one after [Tracker.Reset]. An update with
// a view of another scene ends all former pairs, too.
//
// The error is the one of [collide.Filter.Check]; the tracker is then unchanged. In steady state it allocates
// nothing. It takes time proportional to the stored instances of the scene and its parts, unless the scene is
// unchanged ([linear.SceneView.Stamp]), to the objects of parts that have changed, and the time of [AppendPairs] with
// PairFilter.LiveInstances and of sorting the pairs that it finds and the former ones of the changed objects.
func (t *Tracker) Update(v linear.SceneView) error {
	if err := t.Filter.Check(); err != nil {
		return err
	}
	c := &t.changes
	c.Compare(v)
	source := c.Source
	c.Source = 0 // until the update is complete
	all := !c.Known || !t.sameFilter() || c.most(v)
	t.former, t.found = t.former[:0], t.found[:0]
	w := joins.Get().(*join)
	w.top = true
	if all {
		t.found = w.run(t.found, v, &t.Filter)
		t.former = t.links.appendAll(t.former)
	} else if c.some() {
		flt := t.Filter
		flt.Live, flt.LiveInstances = c.Own.Bits, c.Instances.Bits
		t.found = w.run(t.found, v, &flt)
		t.former = t.links.appendChanged(t.former, c)
		t.sorter.sort(t.former)
	}
	w.release()
	t.sorter.sort(t.found)
	t.compare(v)
	for i := range t.ended {
		t.links.remove(&t.ended[i])
	}
	for i := range t.began {
		t.links.add(&t.began[i])
	}
	t.updates++
	t.keepFilter()
	c.Source = source
	return nil
}

// sameFilter reports whether the filter is that of the last update. Changes of sets of objects
// cannot be detected.
func (t *Tracker) sameFilter() bool {
	f, g := &t.Filter, &t.filter
	if !f.plain() || !g.plain() || (f.Layers == nil) != (g.Layers == nil) || f.Layers != nil && *f.Layers != t.layers {
		return false
	}
	return f.Mask == g.Mask && f.StaticPairs == g.StaticPairs && f.Exact == g.Exact && f.Distance == g.Distance && f.Instances == g.Instances
}

// plain reports whether a filter has neither sets nor an excluded object.
func (f *PairFilter) plain() bool {
	return f.Live == nil && f.LiveBoth == nil && f.LiveInstances == nil && f.LiveBothInstances == nil && f.Exclude == linear.Handle{}
}

func (t *Tracker) keepFilter() {
	t.filter = t.Filter
	if t.Filter.Layers != nil {
		t.layers = *t.Filter.Layers
	}
}

func comparePairs(p, q Pair) int {
	if c := p.A.Compare(q.A); c != 0 {
		return c
	}
	return p.B.Compare(q.B)
}

// compare begins the found pairs that are not among the former ones, and ends those that are not found. A pair of
// other objects than before ends and begins.
func (t *Tracker) compare(v linear.SceneView) {
	t.began, t.ended = t.began[:0], t.ended[:0]
	x, y := t.former, t.found
	for len(x) > 0 || len(y) > 0 {
		order := 0
		switch {
		case len(x) == 0:
			order = 1
		case len(y) == 0:
			order = -1
		default:
			order = comparePairs(x[0], y[0])
		}
		renewed := order == 0 && t.changes.renewed(v, &y[0])
		if order < 0 || renewed {
			t.ended = append(t.ended, x[0])
		}
		if order > 0 || renewed {
			t.began = append(t.began, y[0])
		}
		if order <= 0 {
			x = x[1:]
		}
		if order >= 0 {
			y = y[1:]
		}
	}
}

// Began returns the pairs that began in the last update, ascending by A and then B
// ([Object.Compare]). They are valid until the next Update or Reset.
func (t *Tracker) Began() []Pair { return t.began }

// Ended returns the pairs that ended in the last update, ascending by A and then B. Their objects
// may have been removed since. They are valid until the next Update or Reset.
func (t *Tracker) Ended() []Pair { return t.ended }

// Pairs returns an iterator over the current pairs, including those that have just begun, ascending by
// A and then B. Updating, resetting or trimming the tracker during the iteration makes it panic.
func (t *Tracker) Pairs() iter.Seq[Pair] {
	return func(yield func(Pair) bool) { t.each(nil, yield) }
}

// Stayed returns an iterator over the current pairs that began before the last update. The contract
// is that of [Tracker.Pairs].
func (t *Tracker) Stayed() iter.Seq[Pair] {
	return func(yield func(Pair) bool) { t.each(t.began, yield) }
}

// each yields the pairs except some, which are ascending.
func (t *Tracker) each(except []Pair, yield func(Pair) bool) {
	updates := t.updates
	t.links.walk(link{}, func(l *link) bool {
		p, first := l.pair()
		if !first {
			return true
		}
		if len(except) > 0 && except[0] == p {
			except = except[1:]
			return true
		}
		return yield(p) && t.during(updates)
	})
}

// during panics if the tracker has changed since that number of updates. It returns true.
func (t *Tracker) during(updates uint64) bool {
	if t.updates != updates {
		panic(fmt.Sprintf("scene: a Tracker was updated, reset or trimmed during an iteration, %d times", t.updates-updates))
	}
	return true
}

// Of returns an iterator over the partners of an object, ascending. The object need not exist. The
// contract is that of [Tracker.Pairs], but the time is proportional to the number of partners, and
// to the logarithm of the number of pairs.
func (t *Tracker) Of(o Object) iter.Seq[Object] {
	return func(yield func(Object) bool) {
		updates := t.updates
		t.links.walk(link{from: o}, func(l *link) bool {
			return l.from == o && yield(l.to) && t.during(updates)
		})
	}
}

// Len returns the number of current pairs.
func (t *Tracker) Len() int { return t.links.n / 2 }

// Reset drops all pairs, without ending them, and keeps the memory and the filter.
func (t *Tracker) Reset() {
	t.links.reset()
	t.began, t.ended = t.began[:0], t.ended[:0]
	t.changes.Known, t.changes.Source = false, 0
	t.updates++
}

// Trim frees memory: it keeps the pairs, the begun and ended ones, and the state from which the next
// update continues. It frees the buffers of updates; the next ones allocate them again. It takes time
// proportional to the pairs, to the stored instances, and to the IDs of the objects.
func (t *Tracker) Trim() {
	t.links.trim()
	t.began, t.ended, t.former, t.found = slices.Clone(t.began), slices.Clone(t.ended), nil, nil
	t.sorter = pairSorter{}
	t.changes.Trim()
	t.updates++
}
