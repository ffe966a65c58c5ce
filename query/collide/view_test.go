package collide_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

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
