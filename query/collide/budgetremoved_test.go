package collide_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

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
