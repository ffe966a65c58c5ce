package query_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/zoctree/zoctree/query"
)

// pairFollower is a tracker, and the pairs at its last update with who they were.
type pairFollower struct {
	query.PairTracker
	was map[query.Pair][2]int
	of  uint32 // the object whose partners are asked for
}

// follow updates the tracker with a view and compares everything that it tells.
// Views come in any order of time.
func (j *matrixJudge) follow(f *pairFollower, q *pairAsk, logged bool, rng *rand.Rand) error {
	if rng.IntN(3) == 0 {
		f.Filter = makePairFilter(rng.IntN(len(pairFilterNames)), rng)
	}
	if rng.IntN(12) == 0 {
		f.Reset()
		f.was = nil
	}
	j.x.form("PairTracker", "Reset", 0)
	if err := f.Update(j.v); !logged {
		if !errors.Is(err, query.ErrNoLog) || f.Len() != len(f.was) {
			return fmt.Errorf("a view without a log gives %v", err)
		}
		return nil
	} else if err != nil {
		return err
	}
	now := map[query.Pair][2]int{}
	for _, p := range q.want(f.Filter) {
		now[p] = [2]int{j.c.births[j.c.at(p.A)], j.c.births[j.c.at(p.B)]}
	}
	among := func(other map[query.Pair][2]int) func(query.Pair, [2]int) bool {
		return func(p query.Pair, who [2]int) bool { return other[p] == who }
	}
	apart := func(other map[query.Pair][2]int) func(query.Pair, [2]int) bool {
		return func(p query.Pair, who [2]int) bool { return other[p] != who }
	}
	everything := func(query.Pair, [2]int) bool { return true }
	if f.of = 0; len(j.c.ids) > 0 {
		f.of = j.c.ids[rng.IntN(len(j.c.ids))]
	}
	for name, want := range map[string][]query.Pair{
		"Began": ordered(now, apart(f.was)), "Ended": ordered(f.was, apart(now)),
		"Stayed": ordered(now, among(f.was)), "Pairs": ordered(now, everything),
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
	v := reflect.TypeFor[*query.PairTracker]()
	for i := range v.NumMethod() {
		switch name := v.Method(i).Name; name {
		case "Began", "Ended", "Stayed", "Pairs", "Of", "Len", "Update":
			j.x.form("PairTracker", name, len(j.c.ids))
		}
	}
	return nil
}

// list is what a method tells, ascending: what began and ended as it is.
func (f *pairFollower) list(name string) []query.Pair {
	switch name {
	case "Began":
		return append([]query.Pair{}, f.Began()...)
	case "Ended":
		return append([]query.Pair{}, f.Ended()...)
	case "Stayed":
		return append([]query.Pair{}, slices.SortedFunc(f.Stayed(), comparePairs)...)
	}
	return append([]query.Pair{}, slices.SortedFunc(f.PairTracker.Pairs(), comparePairs)...)
}
