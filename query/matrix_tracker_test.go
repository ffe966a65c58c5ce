package query_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query/collide"
)

// pairFollower is a tracker, and the pairs at its last update with the handles of their objects.
type pairFollower struct {
	collide.Tracker
	was map[collide.Pair][2]int
	of  uint32 // the object whose partners are queried
}

// follow updates the tracker with a view and compares everything that it reports. Views are passed in any order of
// time.
func (j *matrixJudge) follow(f *pairFollower, q *pairAsk, logged bool, rng *rand.Rand) error {
	if rng.IntN(3) == 0 {
		f.Filter = makePairFilter(rng.IntN(len(pairFilterNames)), rng)
		q.fit(&f.Filter, rng)
	}
	if rng.IntN(12) == 0 {
		f.Reset()
		f.was = nil
	}
	j.x.form("collide.Tracker", "Reset", 0)
	if err := f.Update(j.v); !logged {
		if !errors.Is(err, collide.ErrNoLog) || f.Len() != len(f.was) {
			return fmt.Errorf("a view without a log gives %v", err)
		}
		return nil
	} else if err != nil {
		return err
	}
	now := map[collide.Pair][2]int{}
	for _, p := range q.want(f.Filter) {
		now[p] = [2]int{j.c.births[j.c.at(p.A)], j.c.births[j.c.at(p.B)]}
	}
	among := func(other map[collide.Pair][2]int) func(collide.Pair, [2]int) bool {
		return func(p collide.Pair, who [2]int) bool { return other[p] == who }
	}
	apart := func(other map[collide.Pair][2]int) func(collide.Pair, [2]int) bool {
		return func(p collide.Pair, who [2]int) bool { return other[p] != who }
	}
	everything := func(collide.Pair, [2]int) bool { return true }
	if f.of = 0; len(j.c.ids) > 0 {
		f.of = j.c.ids[rng.IntN(len(j.c.ids))]
	}
	for name, want := range map[string][]collide.Pair{
		"Began":  testkit.KeysOf(now, apart(f.was), comparePairs),
		"Ended":  testkit.KeysOf(f.was, apart(now), comparePairs),
		"Stayed": testkit.KeysOf(now, among(f.was), comparePairs),
		"Pairs":  testkit.KeysOf(now, everything, comparePairs),
	} {
		if got := f.list(name); !slices.Equal(got, want) {
			return fmt.Errorf("%s: %d pairs, want %d, filter %+v", name, len(got), len(want), f.Filter)
		}
	}
	var partners []uint32
	for p := range now {
		if p.A == f.of {
			partners = append(partners, p.B)
		} else if p.B == f.of {
			partners = append(partners, p.A)
		}
	}
	slices.Sort(partners)
	if got := slices.Sorted(f.Of(f.of)); !slices.Equal(got, partners) || f.Len() != len(now) {
		return fmt.Errorf("object %d has the partners %v, want %v; %d pairs, want %d", f.of, got, partners, f.Len(), len(now))
	}
	f.was = now
	v := reflect.TypeFor[*collide.Tracker]()
	for i := range v.NumMethod() {
		switch name := v.Method(i).Name; name {
		case "Began", "Ended", "Stayed", "Pairs", "Of", "Len", "Update":
			j.x.form("collide.Tracker", name, len(j.c.ids))
		}
	}
	return nil
}

// list is the result of a method, ascending: lists of begun and ended pairs as they are.
func (f *pairFollower) list(name string) []collide.Pair {
	switch name {
	case "Began":
		return append([]collide.Pair{}, f.Began()...)
	case "Ended":
		return append([]collide.Pair{}, f.Ended()...)
	case "Stayed":
		return append([]collide.Pair{}, slices.SortedFunc(f.Stayed(), comparePairs)...)
	}
	return append([]collide.Pair{}, slices.SortedFunc(f.Tracker.Pairs(), comparePairs)...)
}

// watch updates a watch with a view, with a budget and without one, and compares its report: some of the existing
// pairs, or all of them. Views are passed in any order of time.
func (j *matrixJudge) watch(w *collide.BudgetTracker, q *pairAsk, logged bool, rng *rand.Rand) error {
	if rng.IntN(3) == 0 {
		w.Filter = makePairFilter(rng.IntN(len(pairFilterNames)), rng)
		q.fit(&w.Filter, rng)
	}
	w.Budget, w.Classes, w.Visible = 1+rng.IntN(200), nil, nil
	if rng.IntN(2) == 0 {
		w.Classes = []collide.Class{{Mask: 3, Period: 2, Hidden: rng.IntN(3)}, {Period: 1 + rng.IntN(3)}}
		w.Visible = randomBits(rng, rng.IntN(20))
		for i := range w.Classes {
			w.Classes[i].Share = rng.IntN(w.Budget/2 + 1)
		}
	}
	if err := w.Check(); err != nil {
		return err
	}
	if err := w.Update(j.v); !logged {
		if !errors.Is(err, collide.ErrNoLog) {
			return fmt.Errorf("a view without a log gives %v", err)
		}
		return nil
	} else if err != nil {
		return err
	}
	want := q.want(w.Filter)
	for _, p := range w.Found() {
		if _, ok := slices.BinarySearchFunc(want, p, comparePairs); !ok {
			return fmt.Errorf("Found: %v, which is none, filter %+v", p, w.Filter)
		}
	}
	if st := w.Stats(); st.Units > w.Budget || st.Checked != len(w.Checked()) {
		return fmt.Errorf("Stats: %+v, budget %d, asked %d", st, w.Budget, len(w.Checked()))
	}
	for i := range w.Classes {
		if st := w.ClassStats(i); st.Units < 0 || st.Checked > w.Stats().Checked || st.Late > w.Stats().Late {
			return fmt.Errorf("ClassStats of class %d: %+v, of all %+v", i, st, w.Stats())
		}
	}
	all := collide.BudgetTracker{Filter: w.Filter, Budget: math.MaxInt}
	if err := all.Update(j.v); err != nil {
		return err
	}
	if got := all.Found(); !slices.Equal(got, want) && len(got)+len(want) > 0 {
		return fmt.Errorf("Found: %d pairs without a limit, want %d, filter %+v", len(got), len(want), w.Filter)
	}
	for _, name := range []string{"Check", "Update", "Found", "Checked", "Stats", "ClassStats"} {
		j.x.form("collide.BudgetTracker", name, len(j.c.ids))
	}
	return nil
}
