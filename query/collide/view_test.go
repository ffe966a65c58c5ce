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

// ofViews are the forms that take two views, each with what it tells.
var ofViews = map[string]func(a, b linear.View) any{
	"Append": func(a, b linear.View) any { return collide.Append(nil, a, b, collide.Filter{}) },
	"Count":  func(a, b linear.View) any { return collide.Count(a, b, collide.Filter{}) },
	"All":    func(a, b linear.View) any { return slices.Collect(collide.All(a, b, collide.Filter{})) },
	"Batch.Append": func(a, b linear.View) any {
		pairs, err := new(collide.Batch).Append(nil, nil, a, b, collide.Filter{})
		return []any{pairs, err}
	},
	"AppendContacts": func(a, b linear.View) any { return collide.AppendContacts(nil, a, b, []collide.Pair{{A: 1, B: 2}}) },
	"AppendImpacts":  func(a, b linear.View) any { return collide.AppendImpacts(nil, a, b, nil, nil, collide.Filter{}) },
}

// The zero second view asks within the first. One that has ended is not taken for
// it: that is a panic, as it is of the first, and so is a zero first one.
func TestViews(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(300, 1)
	tree, other := trees.Plant(t, objects, false), trees.Plant(t, objects[:200], true)
	ended := trees.Plant(t, nil, false)
	stale := ended.View()
	if _, err := ended.Insert(objects[0]); err != nil {
		t.Fatal(err)
	}
	var zero linear.View
	said := func(f func(a, b linear.View) any, a, b linear.View) (said string) {
		defer func() {
			if p := recover(); p != nil {
				said = fmt.Sprint("panic: ", p)
			}
		}()
		return fmt.Sprint(f(a, b))
	}
	for name, f := range ofViews {
		v := tree.View()
		within, twice, between := said(f, v, zero), said(f, v, v), said(f, v, other.View())
		if strings.HasPrefix(within+twice+between, "panic") {
			t.Errorf("%s: %.80s; %.80s; %.80s", name, within, twice, between)
		}
		if same := within == twice; same != (name == "AppendContacts") { // its pairs are given
			t.Errorf("%s: within a view what it says of the view and itself: %v", name, same)
		}
		for what, views := range map[string][2]linear.View{
			"the first": {stale, v}, "the second": {v, stale}, "the only one": {stale, zero},
		} {
			if s := said(f, views[0], views[1]); !strings.HasPrefix(s, "panic: linear: a view of version") {
				t.Errorf("%s, %s of the views has ended: %.80s", name, what, s)
			}
		}
		for _, b := range []linear.View{zero, v} {
			if s := said(f, zero, b); !strings.HasPrefix(s, "panic: linear: the zero View") {
				t.Errorf("%s, the first view is zero: %.80s", name, s)
			}
		}
	}
}

// An iteration within a view notices a change of its tree, and one between two that
// of either.
func TestAllNoticesChanges(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(300, 1)
	for k := range 3 {
		a, b := trees.Plant(t, objects, false), trees.Plant(t, objects, true)
		all := []iter.Seq[collide.Pair]{
			collide.All(a.View(), linear.View{}, collide.Filter{}),
			collide.All(a.View(), b.View(), collide.Filter{}),
			collide.All(b.View(), a.View(), collide.Filter{}),
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
					if err := a.SetMask(0, 7); err != nil {
						t.Fatal(err)
					}
				}
			}
		}()
		if steps != 3 {
			t.Errorf("iteration %d: %d steps, want 3", k, steps)
		}
	}
}

// Within a view the steps of another are not looked at.
func TestImpactsWithinIgnoresOther(t *testing.T) {
	tree, steps := billiards()
	var rest soa.Column[collide.Step]
	want := collide.AppendImpacts(nil, tree.View(), linear.View{}, steps, steps, collide.Filter{})
	for _, other := range []*soa.Column[collide.Step]{nil, &rest} {
		if got := collide.AppendImpacts(nil, tree.View(), linear.View{}, steps, other, collide.Filter{}); len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}
