package collide_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// respond is the response of a handler to a pair: a function of the two IDs and the frame.
func respond(p collide.Pair, frame int) int {
	return int((p.A*0x9e3779b1^p.B*0x85ebca6b^uint32(frame)*0xc2b2ae35)>>7) % 8
}

// While a handler records insertions, removals and moves, each pair of the frame is handled once,
// independent of the recorded changes. Afterwards the tree holds the objects of a model with the same
// changes, under the same IDs, frame by frame.
func TestResponse(t *testing.T) {
	seed := testkit.Seed(t)
	scene := testkit.SceneByName(t, "uniform").Make(2000, seed)
	tree := trees.Plant(t, scene[:1500], false)
	model := map[uint32]soa.Object{}
	for id, o := range tree.All() {
		model[id] = o
	}
	var b, twice linear.Batch // twice removes something a second time
	both := []*linear.Batch{&b, &twice}
	next, handled := 1500, 0
	for frame := range 60 {
		for _, b := range both {
			b.Reset()
		}
		var inserted []soa.Object
		changed := maps.Clone(model)
		seen := map[collide.Pair]bool{}
		for p := range collide.All(collide.Within(tree.View()), collide.Filter{StaticPairs: true}) {
			if seen[p] {
				t.Fatalf("frame %d: %v is handled twice", frame, p)
			}
			seen[p] = true
			handled++
			_, alive := changed[p.A]
			switch respond(p, frame) {
			case 0: // a new object somewhere
				o := scene[next%len(scene)]
				next++
				for _, b := range both {
					b.Insert(o)
				}
				inserted = append(inserted, o)
			case 1: // A is removed, once
				if alive {
					for _, b := range both {
						b.Remove(p.A)
					}
					delete(changed, p.A)
				}
			case 2: // A moves, the last time counts
				if alive {
					o := changed[p.A]
					o.Box = scene[(next+int(p.B))%len(scene)].Box
					for _, b := range both {
						b.Move(p.A, o.Box)
					}
					changed[p.A] = o
				}
			}
		}
		for p := range modelPairs(model) {
			if !seen[p] {
				t.Fatalf("frame %d: %v is lost", frame, p)
			}
			delete(seen, p)
		}
		if len(seen) > 0 {
			t.Fatalf("frame %d: %v do not overlap", frame, seen)
		}
		if victim, ok := firstOf(changed, model); ok {
			twice.Remove(victim)
			if _, err := tree.Apply(&twice); err == nil {
				t.Fatalf("frame %d: object %d was removed twice", frame, victim)
			}
			if !maps.Equal(maps.Collect(tree.All()), model) {
				t.Fatalf("frame %d: a refused batch changed the tree", frame)
			}
		}
		ids, err := tree.Apply(&b)
		testkit.Must(t, err)
		for i, id := range ids {
			if _, ok := changed[id]; ok {
				t.Fatalf("frame %d: the new object %d has the ID of a live one", frame, id)
			}
			changed[id] = inserted[i]
		}
		model = changed
		if len(ids) != len(inserted) || !maps.Equal(maps.Collect(tree.All()), model) {
			t.Fatalf("frame %d: the tree of %d objects is not the model of %d", frame, tree.Len(), len(model))
		}
		if frame%2 == 1 {
			testkit.Must(t, tree.Tick())
		}
	}
	if handled < 20_000 {
		t.Errorf("only %d pairs were handled", handled)

	}
}

// firstOf returns the smallest ID that is in the model and not in changed.
func firstOf(changed, model map[uint32]soa.Object) (id uint32, ok bool) {
	for _, id := range slices.Sorted(maps.Keys(model)) {
		if _, left := changed[id]; !left {
			return id, true
		}
	}
	return 0, false
}

// modelPairs returns the pairs of the objects of a model.
func modelPairs(model map[uint32]soa.Object) func(func(collide.Pair) bool) {
	ids := slices.Sorted(maps.Keys(model))
	objects := make([]soa.Object, len(ids))
	for i, id := range ids {
		objects[i] = model[id]
	}
	return func(yield func(collide.Pair) bool) {
		for _, p := range testkit.SweepAndPrune(objects) {
			if !yield(collide.Pair{A: ids[p.A], B: ids[p.B]}) {
				return
			}
		}
	}
}

// someOf returns a set with about half of the IDs below n, which may end before n.
func someOf(rng *rand.Rand, n int) []uint64 {
	set := make([]uint64, 1+rng.IntN(n/64+1))
	for i := range set {
		set[i] = rng.Uint64()
	}
	return set
}

func inSet(set []uint64, id uint32) bool {
	return int(id/64) < len(set) && set[id/64]&(1<<(id%64)) != 0
}

// With sets of live objects every form returns the pairs that have one or both objects in the sets, in the
// order of all pairs, except within a view where few objects are live. The same holds for a tracker whose sets
// change from update to update.
func TestLive(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(testkit.Seed(t))
		n := testkit.Budget(t, 1000, 2500)
		objects := testkit.SceneByName(t, "clustered").Make(n, 1)
		for round := range testkit.Budget(t, 3, 50) {
			if !testkit.OfTier(t, round) {
				continue
			}
			for i := range objects {
				objects[i].Static = round%3 == 0 && i%50 != 0 // few move: these are searched one by one
			}
			tree := trees.New(t, linear.Config{Log: true})
			trees.Insert(t, tree, objects[:n*3/5+rng.IntN(n*2/5)])
			other := trees.New(t, linear.Config{})
			trees.Insert(t, other, objects[rng.IntN(n-100):])
			v, o := tree.View(), other.View()
			var tracker collide.Tracker
			for k := range 4 {
				flt := collide.Filter{Exact: k&1 != 0}
				if k != 1 {
					flt.Live = someOf(rng, len(objects))
				}
				if k != 0 {
					flt.LiveBoth = someOf(rng, len(objects))
				}
				all := flt
				all.Live, all.LiveBoth = nil, nil
				for i, of := range []collide.Views{collide.Within(v), collide.Between(v, o), collide.Between(o, v), collide.Between(v, v)} {
					within := i == 0
					want := slices.DeleteFunc(collide.Append(nil, of, all), func(p collide.Pair) bool {
						one, both := inSet(flt.Live, p.A), inSet(flt.LiveBoth, p.A)
						if within {
							one, both = one || inSet(flt.Live, p.B), both && inSet(flt.LiveBoth, p.B)
						}
						return flt.Live != nil && !one || flt.LiveBoth != nil && !both
					})
					got := collide.Append(nil, of, flt)
					if within && v.Len() >= collide.MoversMin {
						sorted := slices.SortedFunc(slices.Values(got), comparePairs)
						slices.SortFunc(want, comparePairs)
						if slices.Equal(sorted, want) {
							want = got
						}
					}
					if !slices.Equal(got, want) {
						t.Fatalf("round %d: %d pairs, want %d", round, len(got), len(want))
					}
					if n := collide.Count(of, flt); n != len(want) {
						t.Fatalf("counted %d, want %d", n, len(want))
					}
					if got := slices.Collect(collide.All(of, flt)); !slices.Equal(got, want) {
						t.Fatalf("iterated %d, want %d", len(got), len(want))
					}
					b := collide.Batch{Workers: 3}
					got, err := b.Append(context.Background(), nil, of, flt)
					if err != nil || !slices.Equal(got, want) {
						t.Fatalf("a batch has %d pairs, want %d, %v", len(got), len(want), err)
					}
					if within {
						tracker.Filter = flt
						if err := tracker.Update(v); err != nil || tracker.Len() != len(want) {
							t.Fatalf("a tracker has %d, want %d, %v", tracker.Len(), len(want), err)
						}
					}
				}
			}
			tracker.Filter.LiveBoth[0] ^= 1 << 7 // of the same slice
			if err := tracker.Update(v); err != nil || tracker.Len() != collide.Count(collide.Within(v), tracker.Filter) {
				t.Fatalf("a tracker has %d, want %d, %v", tracker.Len(), collide.Count(collide.Within(v), tracker.Filter), err)
			}
		}
	})
}

func TestLiveAllocates(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("the race detector allocates")
	}
	rng := testkit.Rand(testkit.Seed(t))
	tree := trees.New(t, linear.Config{})
	trees.Insert(t, tree, testkit.SceneByName(t, "clustered").Make(2500, 1))
	flt := collide.Filter{Live: someOf(rng, 2500)}
	pairs := collide.Append(nil, collide.Within(tree.View()), flt)
	if n := testing.AllocsPerRun(10, func() { pairs = collide.Append(pairs[:0], collide.Within(tree.View()), flt) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// ofViews are the forms that take views, each with its results.
var ofViews = map[string]func(of collide.Views) any{
	"Append": func(of collide.Views) any { return collide.Append(nil, of, collide.Filter{}) },
	"Count":  func(of collide.Views) any { return collide.Count(of, collide.Filter{}) },
	"All": func(of collide.Views) any {
		return slices.Collect(collide.All(of, collide.Filter{}))
	},
	"Batch.Append": func(of collide.Views) any {
		pairs, err := new(collide.Batch).Append(nil, nil, of, collide.Filter{})
		return []any{pairs, err}
	},
	"AppendContacts": func(of collide.Views) any {
		return collide.AppendContacts(nil, of, []collide.Pair{{A: 1, B: 2}})
	},
	"AppendImpacts": func(of collide.Views) any {
		return collide.AppendImpacts(nil, of, nil, nil, collide.Filter{})
	},
}

// A view that has ended, the zero one, and the zero Views cause panics, in the place of either view.
func TestViews(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(300, 1)
	tree, other := trees.Plant(t, objects, false), trees.Plant(t, objects[:200], true)
	ended := trees.Plant(t, nil, false)
	stale := ended.View()
	if _, err := ended.Insert(objects[0]); err != nil {
		t.Fatal(err)
	}
	var zero linear.View
	said := func(f func(of collide.Views) any, of collide.Views) (said string) {
		defer func() {
			if p := recover(); p != nil {
				said = fmt.Sprint("panic: ", p)
			}
		}()
		return fmt.Sprint(f(of))
	}
	for name, f := range ofViews {
		v := tree.View()
		within, twice, between := said(f, collide.Within(v)), said(f, collide.Between(v, v)), said(f, collide.Between(v, other.View()))
		if strings.HasPrefix(within+twice+between, "panic") {
			t.Errorf("%s: %.80s; %.80s; %.80s", name, within, twice, between)
		}
		if same := within == twice; same != (name == "AppendContacts") { // its pairs are given
			t.Errorf("%s: within a view what it says of the view and itself: %v", name, same)
		}
		for what, of := range map[string]collide.Views{
			"the first": collide.Between(stale, v), "the second": collide.Between(v, stale), "the only one": collide.Within(stale),
		} {
			if s := said(f, of); !strings.HasPrefix(s, "panic: linear: a view of version") {
				t.Errorf("%s, %s of the views has ended: %.80s", name, what, s)
			}
		}
		for what, of := range map[string]collide.Views{
			"the first": collide.Between(zero, v), "the second": collide.Between(v, zero), "the only one": collide.Within(zero), "both": collide.Between(zero, zero),
		} {
			if s := said(f, of); !strings.HasPrefix(s, "panic: linear: the zero View") {
				t.Errorf("%s, %s of the views is zero: %.80s", name, what, s)
			}
		}
		if s := said(f, collide.Views{}); !strings.HasPrefix(s, "panic: collide: the zero Views") {
			t.Errorf("%s of the zero Views: %.80s", name, s)
		}
	}
}

// An iteration within a view panics after a change of its tree, and one between two views after a change of
// either.
func TestAllNoticesChanges(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(300, 1)
	for k := range 3 {
		a, b := trees.Plant(t, objects, false), trees.Plant(t, objects, true)
		all := []iter.Seq[collide.Pair]{
			collide.All(collide.Within(a.View()), collide.Filter{}),
			collide.All(collide.Between(a.View(), b.View()), collide.Filter{}),
			collide.All(collide.Between(b.View(), a.View()), collide.Filter{}),
		}[k]
		steps := 0
		func() {
			defer func() {
				if p := recover(); p == nil || !strings.HasPrefix(fmt.Sprint(p), "linear: a view of version") {
					t.Errorf("iteration %d: %v", k, p)
				}
			}()
			for range all {
				if steps++; steps == 3 {
					testkit.Must(t, a.SetMask(0, 7))
				}
			}
		}()
		if steps != 3 {
			t.Errorf("iteration %d: %d steps, want 3", k, steps)
		}
	}
}

// Within a view the steps of another are not read.
func TestImpactsWithinIgnoresOther(t *testing.T) {
	tree, steps := billiards()
	var rest soa.Column[collide.Step]
	want := collide.AppendImpacts(nil, collide.Within(tree.View()), steps, steps, collide.Filter{})
	for _, other := range []*soa.Column[collide.Step]{nil, &rest} {
		if got := collide.AppendImpacts(nil, collide.Within(tree.View()), steps, other, collide.Filter{}); len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}
