package query_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query/collide"
)

func addPairs(checks *checks) {
	// The pairs of a view, and of one and another one, in every form.
	two := func(t *testing.T, a *asked, of collide.Views) int {
		b := collide.Batch{Workers: 2}
		want := collide.Append(nil, of, a.pairs)
		got, err := b.Append(context.Background(), nil, of, a.pairs)
		testkit.Must(t, err)
		shared, err := b.Append(nil, nil, of, a.pairs)
		testkit.Must(t, err)
		count, each := collide.Count(of, a.pairs), collide.All(of, a.pairs)
		if !slices.Equal(got, want) || !slices.Equal(shared, want) || count != len(want) || !slices.Equal(slices.Collect(each), want) {
			t.Errorf("%d pairs with a context, %d without, counted %d; want %d", len(got), len(shared), count, len(want))
		}
		inexact := a.pairs
		inexact.Exact = false
		touching := collide.Append(nil, of, inexact)
		impacts := collide.AppendImpacts(nil, of, nil, nil, a.pairs)
		if !slices.EqualFunc(impacts, touching, func(i collide.Impact, p collide.Pair) bool { return i.A == p.A && i.B == p.B }) {
			t.Errorf("%d impacts of %d pairs at rest", len(impacts), len(touching))
		}
		return len(want)
	}
	forms := []string{"collide.Append", "collide.Count", "collide.All", "collide.AppendImpacts", "collide.Batch.Append"}
	checks.add("pairs", func(t *testing.T, a *asked) int { return two(t, a, collide.Within(a.v)) }, forms...)
	checks.add("pairs between", func(t *testing.T, a *asked) int { return two(t, a, collide.Between(a.v, a.other)) }, forms...)
	checks.add("Tracker", func(t *testing.T, a *asked) int {
		tracker := collide.Tracker{Filter: a.pairs}
		testkit.Must(t, tracker.Update(a.v))
		// From the filter of another update, too.
		for _, former := range []collide.Filter{{}, a.pairs} {
			tracker.Filter = former
			testkit.Must(t, tracker.Update(a.v))
			tracker.Filter = a.pairs
			testkit.Must(t, tracker.Update(a.v))
		}
		want := collide.Append(nil, collide.Within(a.v), a.pairs)
		testkit.SameIDSet(t, pairNumbers(slices.Collect(tracker.Pairs())), pairNumbers(want))
		return len(want)
	}, "collide.Tracker")
	checks.add("Watch", func(t *testing.T, a *asked) int {
		watch := collide.BudgetTracker{Budget: math.MaxInt}
		testkit.Must(t, watch.Update(a.v))
		watch.Filter = a.pairs
		testkit.Must(t, watch.Update(a.v))
		want := collide.Append(nil, collide.Within(a.v), a.pairs)
		testkit.SameIDSet(t, pairNumbers(watch.Found()), pairNumbers(want))
		return len(want)
	}, "collide.BudgetTracker")
}

func pairNumbers(pairs []collide.Pair) (numbers []uint64) {
	for _, p := range pairs {
		numbers = append(numbers, uint64(p.A)<<32|uint64(p.B))
	}
	return numbers
}
