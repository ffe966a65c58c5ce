package scene

import (
	"cmp"
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/internal/follow"
)

// BudgetTracker is an incremental pair search of a scene with a work budget per frame. It corresponds to
// [collide.BudgetTracker] of a tree.
//
//	tracker := scene.BudgetTracker{}
//	tracker.Own.Budget, tracker.Instances.Budget = 5_000, 5_000
//	tracker.Instances.Classes = []collide.Class{{Period: 2, Hidden: 30}}
//	tracker.Instances.Visible = visible // a set of instances of the scene
//	err := tracker.Update(world.View())
//	for _, p := range tracker.Found() { … }
//
// It searches the pairs that a [Tracker] holds without Filter.Instances. One schedule has the scene's own objects, and
// another one its instances: Own and Instances have the budgets, the classes and the visible sets, and return the
// searched objects and instances (Checked) and the work (Stats). Their filters are set by Update. A search of an
// instance finds the overlapping instances by their boxes, and then the pairs of objects in both. A search of an
// instance or of an own object also finds the pairs of own objects and objects in instances.
//
// The zero value is ready to use once both budgets are set. One goroutine at a time may use a tracker, and it must not
// be copied after its first use. The scene must be made with [linear.Config.Log]. Its views, including those of
// published versions, may be passed in any order; a view of another scene starts over.
//
// The budgets count packets of objects and of instances, not the time for pairs of objects in instances that overlap.
type BudgetTracker struct {
	// Filter restricts the pairs, as in AppendPairs. Its Instances has no effect: pairs inside of a part are the same in
	// each instance, and a tracker of the part finds them.
	Filter PairFilter

	Own       collide.BudgetTracker // schedule of the own objects
	Instances collide.BudgetTracker // schedule of the instances

	found     []Pair
	sorter    pairSorter
	own, some follow.IDs // own objects, and instances, that have been searched
}

// noInstances is a tree without objects, with a log.
var noInstances, _ = linear.New(linear.Config{Log: true})

// Update brings the tracker to the state of the view, and searches as many own objects and instances as the budgets
// allow. The time is as of the two schedules ([collide.BudgetTracker.Update]), and of the pairs of objects that are
// tested. Instances that may have outgrown their boxes are searched in each update until the next tick of the scene. In
// steady state it allocates nothing.
//
// The error is [collide.ErrNoLog], or reports a filter or a setting of a schedule out of range; the tracker is then
// unchanged.
func (t *BudgetTracker) Update(v linear.SceneView) error {
	own, instances := v.Objects(), v.Instances()
	if instances.Store().Log == nil && instances.Len() == 0 { // of a tree that is a part
		instances = noInstances.View()
	}
	if own.Store().Log == nil || instances.Store().Log == nil {
		return collide.ErrNoLog
	}
	if err := t.Filter.Check(); err != nil {
		return err
	}
	w := joins.Get().(*join)
	w.prepare(&t.Filter)
	t.Own.Filter, t.Instances.Filter = w.flt, w.instanceFilter()
	t.Own.Filter.Exclude = t.Filter.Exclude
	if err := cmp.Or(t.Own.Check(), t.Instances.Check()); err != nil {
		w.release()
		return err
	}
	if err := cmp.Or(t.Own.Update(own), t.Instances.Update(instances)); err != nil { // both have been checked
		panic(err.Error())
	}
	w.out = t.found[:0]
	for _, p := range t.Own.Found() {
		w.out = append(w.out, Pair{0, Object{ID: p.A}, Object{ID: p.B}})
	}
	if instances.Len() > 0 {
		w.whole.top(v)
		t.withInstances(w, own, instances, v.Outgrown())
	}
	w.keepLive(0)
	w.exclude(own, t.Filter.Exclude, 0)
	t.sorter.sort(w.out)
	t.found = slices.Compact(w.out)
	w.release()
	return nil
}

// withInstances finds the pairs of the searched own objects and instances with objects in instances.
func (t *BudgetTracker) withInstances(w *join, own, instances linear.View, outgrown []uint32) {
	t.own.Reset()
	t.some.Reset()
	for _, id := range t.Own.Checked() {
		t.own.Add(id)
	}
	for _, id := range t.Instances.Checked() {
		t.some.Add(id)
	}
	if own.Len() > 0 {
		from, start := len(w.out), len(w.ids)
		w.ids = append(w.ids, t.some.List...)
		for _, id := range t.own.List {
			o, _ := own.Object(id)
			box := w.near(o.Box)
			w.ids = boxQuery(&box).Append(w.ids, instances, w.gate)
		}
		slices.Sort(w.ids[start:])
		w.ids = w.ids[:start+len(slices.Compact(w.ids[start:]))]
		for i := start; i < len(w.ids); i++ {
			if id := w.ids[i]; !contains(outgrown, id) {
				w.beside(id)
			}
		}
		w.ids = w.ids[:start]
		kept := slices.DeleteFunc(w.out[from:], func(p Pair) bool {
			return !follow.Has(t.own.Bits, p.A.ID) && !follow.Has(t.some.Bits, p.B.Path.ids[0])
		})
		w.out = w.out[:from+len(kept)]
	}
	w.pairs = append(w.pairs[:0], t.Instances.Found()...)
	w.instancePairs(outgrown)
	if len(outgrown) > 0 {
		w.grownPairs(own, instances, outgrown)
	}
}

// Found returns the pairs found in the last update, each once, ascending by A and then B: all overlaps of each searched
// own object and instance, or those in the packets that the budgets allowed. They are valid until the next Update.
func (t *BudgetTracker) Found() []Pair { return t.found }

// Trim frees memory: it keeps the schedules, the unfinished searches, and the results of the last update. The contract
// is that of [collide.BudgetTracker.Trim].
func (t *BudgetTracker) Trim() {
	t.Own.Trim()
	t.Instances.Trim()
	t.found = slices.Clone(t.found)
	t.own, t.some, t.sorter = follow.IDs{}, follow.IDs{}, pairSorter{}
}
