package scene_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/scene"
)

// pairsOfTop returns the pairs of part 0, ascending.
func pairsOfTop(v linear.SceneView, f scene.PairFilter) (pairs []scene.Pair) {
	for _, p := range scene.AppendPairs(nil, v, f) {
		if p.Part == 0 {
			pairs = append(pairs, p)
		}
	}
	return sortedPairs(pairs)
}

// With a budget for all, each update finds all pairs that are not of two static objects; with a small one only such
// pairs, and in a scene at rest all pairs of an object or instance by the time that it has been searched; on every tier
// the same. Views are of the scene or of published versions.
func TestBudgetTracker(t *testing.T) {
	seed := testkit.Seed(t)
	var former []string
	whole, partial, searched := 0, 0, 0
	testkit.EachTier(t, func(t *testing.T) {
		var answers []string
		for i, family := range []string{"identity", "steps", "turned", "mirrored", "affine"} {
			for round := range testkit.Budget(t, 3, 10) {
				if round > 0 && !testkit.OfTier(t, i+round) {
					continue // the first one compares tiers
				}
				rng := testkit.Rand(seed<<16 + uint64(i)<<8 + uint64(round))
				w := trackedOf(t, rng, family, true)
				var shared *linear.ScenePublisher
				if round%3 == 2 {
					shared = linear.NewScenePublisher(w.top)
				}
				view := func() (linear.SceneView, func()) {
					if shared == nil {
						return w.top.View(), func() {}
					}
					shared.Publish()
					h := shared.Acquire()
					return h.View(), h.Release
				}
				var all, few scene.BudgetTracker
				all.Own.Budget, all.Instances.Budget = 1<<20, 1<<20
				few.Own.Budget, few.Instances.Budget = 1, 1
				for range testkit.Budget(t, 12, 40) {
					if w.step(t, rng); rng.IntN(6) == 0 {
						all.Filter = pairFilter(rng)
						if rng.IntN(3) == 0 {
							all.Filter.Distance = rng.Float32()
						}
						if rng.IntN(3) == 0 {
							all.Filter.Live, all.Filter.LiveInstances = someIDs(rng), someIDs(rng)
						}
						all.Filter.Exact = rng.IntN(3) == 0
						few.Filter = all.Filter
					}
					if rng.IntN(8) == 0 {
						all.Trim()
						few.Trim()
					}
					v, end := view()
					testkit.Must(t, all.Update(v))
					testkit.Must(t, few.Update(v))
					want := pairsOfTop(v, all.Filter)
					if !slices.Equal(all.Found(), want) {
						t.Fatalf("%s %+v: found\n%v, want\n%v", family, all.Filter, all.Found(), want)
					}
					set := pairsByPart(t, want)
					for _, p := range few.Found() {
						if !set[p] {
							t.Fatalf("%s: %v is no pair", family, p)
						}
					}
					if n := few.Instances.Stats().Units; n > 1 {
						t.Fatalf("%d units, the budget is 1", n)
					}
					whole, partial = whole+len(want), partial+len(few.Found())
					if round == 0 || testkit.Long(t) {
						answers = append(answers, fmt.Sprint(all.Found(), few.Found(), few.Own.Checked(), few.Instances.Checked()))
					}
					end()
				}
				if !testkit.OfTier(t, i+round) {
					continue
				}
				v, end := view() // at rest
				pairs := pairsOfTop(v, few.Filter)
				found, passes := map[scene.Pair]bool{}, map[string]int{}
				for range 400 {
					testkit.Must(t, few.Update(v))
					for _, p := range few.Found() {
						found[p] = true
					}
					check := func(what string, has func(o scene.Object) bool) {
						if passes[what]++; passes[what] < 2 {
							return // it began before
						}
						searched++
						for _, p := range pairs {
							if !found[p] && (has(p.A) || has(p.B)) {
								t.Fatalf("%s: %v has not been found with the search of %s", family, p, what)
							}
						}
					}
					for _, id := range few.Own.Checked() {
						check(fmt.Sprint("object ", id), func(o scene.Object) bool { return o == scene.Object{ID: id} })
					}
					for _, id := range few.Instances.Checked() {
						check(fmt.Sprint("instance ", id), func(o scene.Object) bool { return o.Path.Len() > 0 && o.Path.At(0) == id })
					}
					if !slices.ContainsFunc(pairs, func(p scene.Pair) bool { return !found[p] }) {
						break // later searches have nothing to find
					}
				}
				end()
			}
		}
		if former == nil {
			former = answers
		}
		if !slices.Equal(answers, former) {
			t.Error("this tier gives other pairs")
		}
	})
	if whole == 0 || partial == 0 || searched < 10 {
		t.Errorf("%d pairs of all, %d of few, %d searches", whole, partial, searched)
	}
}

// Updates allocate nothing, and settings out of range and scenes without a log change nothing.
func TestBudgetTrackerMisuse(t *testing.T) {
	const n = 300
	s, err := linear.NewScene(linear.Config{Log: true})
	testkit.Must(t, err)
	part := trees.Plant(t, crowded(testkit.Rand(1), 8), false)
	for i := range n {
		place(t, s, part, translation(t, float64(5*i), 0, 0), linear.InstanceOptions{})
	}
	trees.Insert(t, s.Tree(), crowded(testkit.Rand(2), 30))
	testkit.Must(t, s.Tick())
	var tracker scene.BudgetTracker
	tracker.Own.Budget, tracker.Instances.Budget = 100, 100
	frame := 0
	update := func() {
		frame++
		testkit.Must(t, s.Move(uint32(frame*7%n), translation(t, float64(5*(frame*7%n)), float64(frame/n&1), 0)))
		testkit.Must(t, s.Tick())
		testkit.Must(t, tracker.Update(s.View()))
	}
	for range 3 * n {
		update()
	}
	testkit.Allocs(t, 4, update)
	before := slices.Clone(tracker.Found())
	if len(before) == 0 {
		t.Error("no pairs")
	}
	for name, set := range map[string]func(){
		"filter": func() { tracker.Filter.Distance = -1 }, "budget": func() { tracker.Instances.Budget = 0 },
		"class": func() { tracker.Own.Classes = make([]collide.Class, 1) },
	} {
		filter, budget := tracker.Filter, tracker.Instances.Budget
		if set(); tracker.Update(s.View()) == nil || !slices.Equal(tracker.Found(), before) {
			t.Errorf("%s: no error, or another result", name)
		}
		tracker.Filter, tracker.Instances.Budget, tracker.Own.Classes = filter, budget, nil
	}
	if err := tracker.Update(newScene(t).View()); !errors.Is(err, collide.ErrNoLog) || !slices.Equal(tracker.Found(), before) {
		t.Errorf("error %v for a scene without a log", err)
	}
}

// The view of a part that is a tree has no instances: a tracker finds the pairs of its own objects, and starts over
// with the views of other parts.
func TestBudgetTrackerParts(t *testing.T) {
	town, err := linear.NewScene(linear.Config{Log: true})
	testkit.Must(t, err)
	street, err := linear.NewScene(linear.Config{Log: true})
	testkit.Must(t, err)
	house := trees.New(t, linear.Config{Log: true})
	trees.Insert(t, house, crowded(testkit.Rand(3), 20))
	for x := range 3 {
		place(t, street, house, translation(t, float64(x), 0, 0), linear.InstanceOptions{})
	}
	place(t, town, street, translation(t, 0, 0, 0), linear.InstanceOptions{})
	place(t, town, house, translation(t, 1, 0, 0), linear.InstanceOptions{})
	testkit.Must(t, town.Tick())
	var tracker scene.BudgetTracker
	tracker.Own.Budget, tracker.Instances.Budget = 1000, 1000
	parts, own := 0, 0
	for range 2 {
		for part, v := range town.View().Parts() {
			testkit.Must(t, tracker.Update(v))
			if want := pairsOfTop(v, tracker.Filter); len(want) == 0 || !slices.Equal(tracker.Found(), want) {
				t.Errorf("part %d: found %d pairs, want %d", part, len(tracker.Found()), len(want))
			}
			if n := len(tracker.Instances.Checked()); n != v.Instances().Len() {
				t.Errorf("part %d: %d instances checked of %d", part, n, v.Instances().Len())
			}
			parts, own = parts+1, own+len(tracker.Own.Checked())
		}
	}
	if parts != 6 || own == 0 {
		t.Errorf("%d parts with %d own objects, want 6 with some", parts, own)
	}
}
