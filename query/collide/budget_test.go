package collide_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// For any changes of the tree, no update takes more units than its budget, every reported pair overlaps,
// and every pair that overlaps for longer than the stated number of frames of a class is reported; and
// results are the same on all tiers.
func TestBudgetTracker(t *testing.T) {
	var first [][]collide.Pair
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(testkit.Seed(t))
		var tells [][]collide.Pair
		longer := 0
		for round := range testkit.Budget(t, 2, 20) {
			w := watchWorld{rng: rng, tree: newWatchTree(t), born: map[uint32]int{}, told: map[collide.Pair]lasting{}}
			w.insert(t, 100+rng.IntN(200))
			w.watch.Budget = []int{7, 60, 400, 1, 60, 11, 300}[round%7]
			w.watch.Filter.StaticPairs = rng.IntN(2) == 0
			w.watch.Classes = []collide.Class{{Mask: 1, Period: 1, Hidden: 3}, {Mask: 2, Period: 2, Hidden: 2}, {Period: 5, Hidden: 9}}
			shares := [][3]int{{}, {20, 5, 30}, {}, {}, {3, 0, 50}, {4, 3, 4}, {1, 2, 3}}[round%7]
			for i := range w.watch.Classes {
				w.watch.Classes[i].Share = shares[i]
			}
			for range testkit.Budget(t, 100, 1000) {
				w.change(t)
				switch rng.IntN(16) {
				case 0, 1:
					w.watch.Visible = someOf(rng, 300)
				case 2:
					w.watch.Visible = nil
				case 3:
					w.watch.Visible = w.watch.Visible[:len(w.watch.Visible)/2]
				}
				testkit.Must(t, w.watch.Update(w.tree.View()))
				w.checkReference(t)
				w.check(t)
				tells = append(tells, slices.Clone(w.watch.Found()))
			}
			longer += w.longer
			if w.bounded == 0 {
				t.Fatal("no overlap has a bound")
			}
		}
		if longer == 0 {
			t.Fatal("no overlap waited")
		}
		if first == nil {
			first = tells
		} else if !slices.EqualFunc(first, tells, slices.Equal) {
			t.Fatal("another tier reports other pairs")
		}
	})
}

// Each field of the filter counts: with one and with all of them set, and changed on the way, a tracker
// reports the correct pairs, and each field excludes or adds some.
func TestBudgetFilters(t *testing.T) {
	names := fields(t)
	sets := [][]string{names, nil}
	for _, name := range names {
		sets = append(sets, []string{name})
	}
	seed := testkit.Seed(t)
	for i, set := range sets {
		w := watchWorld{rng: testkit.Rand(seed + uint64(i)), tree: newWatchTree(t), born: map[uint32]int{}, told: map[collide.Pair]lasting{}, balls: true}
		w.insert(t, 200)
		w.watch.Budget = []int{60, math.MaxInt}[i%2]
		w.watch.Classes = []collide.Class{{Mask: 1, Period: 1, Hidden: 3}, {Period: 4, Hidden: 5}}
		counts := false
		for frame := range testkit.Budget(t, 12, 300) {
			if frame%20 == 0 {
				w.watch.Filter = collide.Filter{}
				for _, name := range set {
					watchFilters[name](&w.watch.Filter, w.rng)
				}
				for p := range collide.All(collide.Within(w.tree.View()), collide.Filter{}) {
					if w.watch.Filter.Exclude.Gen != 0 { // an object with a pair
						w.watch.Filter.Exclude, _ = w.tree.Handle(p.A)
					}
					break
				}
				clear(w.told) // the bound of time begins anew
			}
			w.change(t)
			testkit.Must(t, w.watch.Update(w.tree.View()))
			w.check(t)
			v := w.tree.View()
			with, without := collide.Append(nil, collide.Within(v), w.watch.Filter), collide.Append(nil, collide.Within(v), collide.Filter{})
			counts = counts || !slices.Equal(with, without)
		}
		if counts != (set != nil) {
			t.Errorf("the fields %v change the pairs: %v", set, counts)
		}
	}
}

// A search that takes many updates reports every object that overlaps its object all the time, though the
// tree is rebuilt and all objects move meanwhile, and tests few packets twice.
func TestBudgetLongSearch(t *testing.T) {
	w := watchWorld{rng: testkit.Rand(testkit.Seed(t)), tree: newWatchTree(t), born: map[uint32]int{}}
	w.insert(t, 2000)
	giant, err := w.tree.Insert(soa.Object{Box: soa.AABB{Min: [3]float32{-500, -500, -500}, Max: [3]float32{500, 500, 500}}, Mask: 16})
	testkit.Must(t, err)
	w.watch.Budget, w.watch.Classes = 3, []collide.Class{{Mask: 16, Period: 1000}}
	told := map[collide.Pair]bool{}
	frames, again := 0, 0
	for len(w.watch.Checked()) == 0 {
		if frames++; frames > 2000 {
			t.Fatal("it does not end")
		}
		for id := range uint32(2000) {
			o, _ := w.tree.Object(id)
			for a, step := range [3]float32{w.rng.Float32() - 0.5, w.rng.Float32() - 0.5, w.rng.Float32() - 0.5} {
				o.Box.Min[a], o.Box.Max[a] = o.Box.Min[a]+step/8, o.Box.Max[a]+step/8
			}
			testkit.Must(t, w.tree.Move(id, o.Box))
		}
		testkit.Must(t, errors.Join(w.tree.Rebuild(context.Background(), linear.RebuildOptions{}), w.tree.Tick(), w.watch.Update(w.tree.View())))
		for _, p := range w.watch.Found() {
			told[p] = true
		}
		again += w.watch.Stats().Retested
		if n := w.watch.Stats().Units; n > 3 {
			t.Fatalf("%d units", n)
		}
	}
	if len(told) != 2000 || w.watch.Checked()[0] != giant {
		t.Fatalf("%d pairs were reported in %d frames, want 2000", len(told), frames)
	}
	if frames < 20 || again > 3*frames-40 {
		t.Fatalf("%d frames, %d packets again", frames, again)
	}
}

// Without shares each class has an equal part of half of the budget, and the first class comes first in the
// rest. In a class objects that are due longest are checked first, then by ID; an object that becomes visible
// is checked at once.
func TestBudgetOrder(t *testing.T) {
	tree := newWatchTree(t)
	for i := range 12 {
		at := float32(i) * 10
		box := soa.AABB{Min: [3]float32{at, 0, 0}, Max: [3]float32{at + 1, 1, 1}}
		if _, err := tree.Insert(soa.Object{Box: box, Mask: 1 << (i % 2)}); err != nil {
			t.Fatal(err)
		}
	}
	w := collide.BudgetTracker{Budget: 4, Classes: []collide.Class{{Mask: 2, Period: 2, Hidden: 50}, {Mask: 1, Period: 6}}}
	w.Visible = []uint64{0xfff}
	for frame, want := range [][]uint32{{1, 0, 3, 5}, {7, 2, 9, 11}, {1, 4, 3, 5}, {7, 6, 9, 11}, {1, 8, 3, 5}, {7, 10, 9, 11}, {1, 0, 3, 5}} {
		testkit.Must(t, w.Update(tree.View()))
		if !slices.Equal(w.Checked(), want) {
			t.Fatalf("frame %d: asked %v, want %v; %+v", frame+1, w.Checked(), want, w.Stats())
		}
	}
	w.Visible = []uint64{1 << 5} // 0, 2, … are not checked, 1, 3, … after 50
	for frame, want := range [][]uint32{nil, {5}, nil} {
		testkit.Must(t, w.Update(tree.View()))
		if !slices.Equal(w.Checked(), want) {
			t.Fatalf("frame %d, of one seen: asked %v, want %v", frame+8, w.Checked(), want)
		}
	}
	w.Visible = nil
	if err := w.Update(tree.View()); err != nil || !slices.Equal(w.Checked(), []uint32{7, 2, 9, 11}) {
		t.Fatalf("all seen again: asked %v, %v", w.Checked(), err)
	}
}

// An object is due from the frame in which the tracker first reads it: not before objects that have been
// due longer.
func TestBudgetNewcomers(t *testing.T) {
	tree := newWatchTree(t)
	insert := func(n int) {
		t.Helper()
		for range n {
			at := float32(tree.Len()) * 10
			box := soa.AABB{Min: [3]float32{at, 0, 0}, Max: [3]float32{at + 1, 1, 1}}
			if _, err := tree.Insert(soa.Object{Box: box, Mask: 1}); err != nil {
				t.Fatal(err)
			}
		}
		testkit.Must(t, tree.Tick())
	}
	insert(12)
	w := collide.BudgetTracker{Budget: 4, Classes: []collide.Class{{Period: 100}}}
	for frame, step := range []struct {
		asked []uint32
		late  uint64
	}{
		{[]uint32{0, 1, 2, 3}, 1}, {[]uint32{4, 5, 6, 7}, 2}, {[]uint32{8, 9, 10, 11}, 2}, {[]uint32{12, 13}, 0}, {nil, 0}, {[]uint32{14}, 0},
	} {
		switch frame {
		case 1:
			insert(2)
		case 5:
			insert(1)
		}
		testkit.Must(t, w.Update(tree.View()))
		if !slices.Equal(w.Checked(), step.asked) || w.Stats().Late != step.late {
			t.Fatalf("frame %d: asked %v, %+v, want %v, late %d", frame+1, w.Checked(), w.Stats(), step.asked, step.late)
		}
	}
}

func TestBudgetRefuses(t *testing.T) {
	tree := newWatchTree(t)
	silent := trees.New(t, linear.Config{})
	var w collide.BudgetTracker
	if err := w.Update(silent.View()); !errors.Is(err, collide.ErrNoLog) {
		t.Errorf("without a log: %v", err)
	}
	many := make([]collide.Class, 256)
	for i := range many {
		many[i].Period = 1
	}
	for _, bad := range []struct {
		Budget  int
		Classes []collide.Class
	}{{}, {Budget: -1}, {1, many}, {1, []collide.Class{{}}}, {1, []collide.Class{{Period: 1, Hidden: -1}}},
		{9, []collide.Class{{Period: 1, Share: -1}}}, {9, []collide.Class{{Period: 1, Share: 10}}},
		{9, []collide.Class{{Period: 1, Share: 5}, {Period: 1, Share: 5}}},
		{9, []collide.Class{{Period: 1, Share: 9}, {Period: 1, Share: math.MaxInt}}}} {
		w.Budget, w.Classes = bad.Budget, bad.Classes
		if err := w.Update(tree.View()); err == nil {
			t.Errorf("budget %d and %d classes: no error", bad.Budget, len(bad.Classes))
		}
	}
	w.Budget, w.Classes = 1, many[:255]
	if err := w.Update(tree.View()); err != nil || len(w.Found()) > 0 {
		t.Errorf("an empty tree: %v", err)
	}
}

func TestBudgetAllocates(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("the race detector allocates")
	}
	w := watchWorld{rng: testkit.Rand(testkit.Seed(t)), tree: newWatchTree(t), born: map[uint32]int{}}
	w.insert(t, 1000)
	w.watch.Budget, w.watch.Visible, w.watch.Classes = 300, someOf(w.rng, 1000), []collide.Class{{Period: 3, Hidden: 20}}
	boxes := make([]soa.AABB, 50)
	ids := make([]uint32, len(boxes))
	frame := func() {
		for i := range boxes {
			ids[i], boxes[i] = uint32(w.rng.IntN(1000)), w.object().Box
		}
		for i := range w.watch.Visible {
			w.watch.Visible[i] ^= 1 << w.rng.IntN(64)
		}
		testkit.Must(t, errors.Join(w.tree.MoveBatch(ids, boxes), w.tree.Tick(), w.watch.Update(w.tree.View())))
	}
	for range 300 {
		frame()
	}
	if n := testing.AllocsPerRun(200, frame); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// everywhere overlaps all objects of row, and has a class of its own.
var everywhere = soa.Object{Box: soa.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{1e5, 1, 1}}, Mask: 16}

// row makes a tree of n objects that overlap nothing, and of one that overlaps all.
func row(t *testing.T, n int) (tree *linear.Tree, giant uint32) {
	t.Helper()
	tree = newWatchTree(t)
	for i := range n {
		at := float32(i) * 10
		if _, err := tree.Insert(soa.Object{Box: soa.AABB{Min: [3]float32{at, 0, 0}, Max: [3]float32{at + 1, 1, 1}}, Mask: 1}); err != nil {
			t.Fatal(err)
		}
	}
	giant, err := tree.Insert(everywhere)
	testkit.Must(t, err)
	return tree, giant
}

func update(t *testing.T, w *collide.BudgetTracker, tree *linear.Tree) {
	t.Helper()
	testkit.Must(t, errors.Join(tree.Tick(), w.Update(tree.View())))
}

// Objects are removed during searches for them, or during searches that have found them.
func TestBudgetRemoved(t *testing.T) {
	tree, giant := row(t, 400)
	w := collide.BudgetTracker{Budget: 4, Classes: []collide.Class{{Mask: 16, Period: 1000}}}
	update(t, &w, tree)
	if len(w.Checked()) > 0 || len(w.Found()) < 16 {
		t.Fatalf("asked %v, %d pairs", w.Checked(), len(w.Found()))
	}
	met := w.Found()[0].A
	o, _ := tree.Object(met)
	testkit.Must(t, tree.Remove(met))
	if id, err := tree.Insert(o); err != nil || id != met {
		t.Fatalf("inserted as %d, %v: want %d again", id, err, met)
	}
	told := false
	for len(w.Checked()) == 0 {
		update(t, &w, tree)
		told = told || slices.Contains(w.Found(), collide.Pair{A: met, B: giant})
	}
	if !told {
		t.Error("an object under the ID of one that had been met was not told")
	}

	var again collide.BudgetTracker // the giant ends in mid-search
	again.Budget, again.Classes = w.Budget, w.Classes
	update(t, &again, tree)
	testkit.Must(t, tree.Remove(giant))
	update(t, &again, tree)
	if len(again.Checked()) > 0 || len(again.Found()) > 0 || again.Stats().Units > 0 {
		t.Errorf("asked %v, %+v, of an object that is gone", again.Checked(), again.Stats())
	}
	if id, err := tree.Insert(everywhere); err != nil || id != giant {
		t.Fatalf("inserted as %d, %v: want %d again", id, err, giant)
	}
	update(t, &again, tree)
	small, _ := row(t, 3) // and another tree follows, without such an ID
	update(t, &again, small)
	update(t, &again, small)
	if again.Stats().Units > 0 {
		t.Errorf("%+v after all have been asked", again.Stats())
	}
}

// An object inserted under a reused ID is due at once, though the log no longer holds that change.
func TestBudgetForgotten(t *testing.T) {
	tree, giant := row(t, 100)
	w := collide.BudgetTracker{Budget: 1000, Classes: []collide.Class{{Mask: 16, Period: 1000}}}
	update(t, &w, tree)
	update(t, &w, tree)
	if len(w.Found()) > 0 {
		t.Fatal("asked before a period is over")
	}
	testkit.Must(t, tree.Remove(giant))
	if id, err := tree.Insert(everywhere); err != nil || id != giant {
		t.Fatalf("inserted as %d, %v: want %d again", id, err, giant)
	}
	for range 4 {
		testkit.Must(t, errors.Join(tree.Tick(), tree.Move(0, soa.AABB{Max: [3]float32{1, 1, 1}})))
	}
	update(t, &w, tree)
	if len(w.Found()) != 100 {
		t.Errorf("%d pairs, want 100", len(w.Found()))
	}
}

// An object that becomes visible and hidden again keeps its turn, and the queue does not grow.
func TestBudgetToggled(t *testing.T) {
	tree, giant := row(t, 4)
	if err := tree.Remove(giant); err != nil { // now each search takes one packet
		t.Fatal(err)
	}
	w := collide.BudgetTracker{Budget: 2, Classes: []collide.Class{{Mask: 1, Period: 1, Hidden: 1}}, Visible: []uint64{0}}
	for frame, want := range [][]uint32{{0, 1}, {2, 3}, {0, 1}} {
		w.Visible[0] ^= 1 << 3
		update(t, &w, tree)
		if !slices.Equal(w.Checked(), want) {
			t.Fatalf("frame %d: asked %v, want %v", frame+1, w.Checked(), want)
		}
	}
	tree, _ = row(t, 500)
	w.Classes, w.Visible = []collide.Class{{Period: 100, Hidden: 90}}, make([]uint64, 8)
	for range 300 {
		for i := range w.Visible {
			w.Visible[i] = ^w.Visible[i]
		}
		update(t, &w, tree)
		if n := w.Queued(); n > 2*501+64 {
			t.Fatalf("%d entries for 501 objects", n)
		}
	}
}

// Classes, filter and visible objects change all at once.
func TestBudgetRules(t *testing.T) {
	tree, giant := row(t, 100)
	w := collide.BudgetTracker{Budget: 1000, Classes: []collide.Class{{Mask: 2, Period: 1}, {Mask: 1, Period: 50}, {Period: 60}}, Visible: []uint64{0, 0}}
	update(t, &w, tree)
	if len(w.Checked()) > 0 {
		t.Fatalf("asked %v, of which none is seen", w.Checked())
	}
	w.Classes, w.Visible = []collide.Class{{Mask: 16, Period: 1}}, nil
	update(t, &w, tree)
	if !slices.Equal(w.Checked(), []uint32{giant}) || len(w.Found()) != 100 {
		t.Fatalf("asked %v, %d pairs", w.Checked(), len(w.Found()))
	}
	w.Classes, w.Filter.Mask = nil, 1
	update(t, &w, tree)
	if len(w.Checked()) != 100 || len(w.Found()) != 0 {
		t.Fatalf("asked %d, %d pairs: the giant is not in the mask", len(w.Checked()), len(w.Found()))
	}
	w.Filter.Mask = 0
	update(t, &w, tree)
	if len(w.Checked()) != 101 || len(w.Found()) != 100 {
		t.Fatalf("asked %d, %d pairs", len(w.Checked()), len(w.Found()))
	}
}

// Objects move, are inserted and removed, and the tree frees their IDs before the tracker reads the
// changes.
func TestBudgetTrimmed(t *testing.T) {
	tree, giant := row(t, 100)
	w := collide.BudgetTracker{Budget: 1000}
	update(t, &w, tree)
	testkit.Must(t, tree.Move(giant, soa.AABB{Max: [3]float32{1, 1, 1}}))
	for id := giant; id >= 40; id-- {
		testkit.Must(t, tree.Remove(id))
	}
	came, err := tree.Insert(everywhere)
	testkit.Must(t, errors.Join(err, tree.Remove(came)))
	tree.Trim()
	update(t, &w, tree)
	if len(w.Checked()) != 40 || len(w.Found()) > 0 {
		t.Errorf("asked %d, %d pairs: want 40 that meet nothing", len(w.Checked()), len(w.Found()))
	}
}

// A shorter period counts from the next update on, also for objects whose class stays the same.
func TestBudgetTrackerNewPeriod(t *testing.T) {
	tree := trees.New(t, linear.Config{Log: true})
	trees.Insert(t, tree, []soa.Object{{Box: testkit.Cube(0, 0, 0, 1)}, {Box: testkit.Cube(1, 0, 0, 1)}})
	tracker := collide.BudgetTracker{Budget: 10, Classes: []collide.Class{{Period: 100, Hidden: 100}}}
	for frame, want := range []int{1, 0, 0, 1, 1} {
		if frame == 3 {
			tracker.Classes[0].Period = 1
		}
		if testkit.Must(t, tracker.Update(tree.View())); len(tracker.Found()) != want {
			t.Errorf("frame %d: %v found, want %d pairs", frame, tracker.Found(), want)
		}
	}
}
