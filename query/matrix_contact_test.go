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

// contacts judges the contacts of the first pairs, and of some that do not
// overlap.
func (p *pairJudge) contacts(ask func(pairs []collide.Pair) []collide.Contact) error {
	pairs := append([]collide.Pair(nil), p.got[:min(len(p.got), 500)]...)
	for k := range min(len(p.left.c.ids), len(p.right.c.ids), 40) {
		i, j := k*k%len(p.left.c.ids), (k*7+3)%len(p.right.c.ids)
		pairs = append(pairs, collide.Pair{A: p.left.c.ids[i], B: p.right.c.ids[j]})
	}
	got := ask(pairs)
	if len(got) != len(pairs) {
		return fmt.Errorf("%d contacts of %d pairs", len(got), len(pairs))
	}
	for i, pair := range pairs {
		a, b := p.left.solid(p.left.c.at(pair.A)), p.right.solid(p.right.c.at(pair.B))
		if got[i].A != pair.A || got[i].B != pair.B {
			return fmt.Errorf("contact %d is of %d and %d, want %v", i, got[i].A, got[i].B, pair)
		}
		if p.left.c.turned[p.left.c.at(pair.A)] != nil || p.right.c.turned[p.right.c.at(pair.B)] != nil {
			n := testkit.Wide(got[i].Normal) // the rest is tested by its own
			if length := dotProduct(n, n); math.Abs(length-1) > 1e-5 || got[i].Depth-got[i].Depth != 0 {
				return fmt.Errorf("a normal of length² %v: %+v", length, got[i])
			}
			continue
		}
		if what := wrongContact(&a, &b, &got[i]); what != "" {
			return fmt.Errorf("%s: %+v of %x %x and %x %x", what, got[i], a.Box, a.Ball, b.Box, b.Ball)
		}
	}
	return nil
}

// wrongContact describes the contradiction with the documentation: of boxes to the bit, of balls up to rounding.
func wrongContact(a, b *testkit.Solid, c *collide.Contact) string {
	var pos, normal [3]float64
	depth, size := 0.0, 0.0
	switch {
	case a.Ball == nil && b.Ball == nil:
		depth = math.Inf(1)
		for k := range 3 {
			for side, d := range []float64{
				float64(a.Box.Max[k]) - float64(b.Box.Min[k]), float64(b.Box.Max[k]) - float64(a.Box.Min[k]),
			} {
				if d < depth {
					depth, normal = d, [3]float64{}
					normal[k] = float64(1 - 2*side)
				}
			}
			lo := max(float64(a.Box.Min[k]), float64(b.Box.Min[k]))
			pos[k] = (lo + min(float64(a.Box.Max[k]), float64(b.Box.Max[k]))) / 2
		}
	case a.Ball != nil && b.Ball != nil:
		pos, normal, depth = ballContact(a, b)
		size = sizeOf(a.Ball[:]...) + sizeOf(b.Ball[:]...)
	case a.Ball != nil:
		pos, normal, depth = ballContact(a, b)
		size = sizeOf(a.Ball[:]...) + sizeOf(b.Box.Min[:]...) + sizeOf(b.Box.Max[:]...)
	default:
		pos, normal, depth = ballContact(b, a)
		size = sizeOf(b.Ball[:]...) + sizeOf(a.Box.Min[:]...) + sizeOf(a.Box.Max[:]...)
		for k := range normal {
			normal[k] = -normal[k]
		}
	}
	fits := func(x float64) float32 { return float32(min(max(x, -math.MaxFloat32), math.MaxFloat32)) }
	near := func(x float32, want float64) bool {
		return x == fits(want) || size > 0 && math.Abs(float64(x)-want) <= size*0x1p-40+math.Abs(want)*0x1p-23+0x1p-149 ||
			math.Abs(want) > math.MaxFloat32 && x == fits(want)
	}
	if !near(c.Depth, depth) {
		return fmt.Sprintf("Depth, want %v", depth)
	}
	for k := range 3 {
		if !near(c.Pos[k], pos[k]) {
			return fmt.Sprintf("Pos, want %v", pos)
		}
		if math.Abs(float64(c.Normal[k])-normal[k]) > 1e-6 || c.Normal[k] != float32(normal[k]) && size == 0 {
			return fmt.Sprintf("Normal, want %v", normal)
		}
	}
	return ""
}

// ballContact is the contact of a ball with another or with a box, along the normal from the ball.
func ballContact(a, b *testkit.Solid) (pos, normal [3]float64, depth float64) {
	center, r := [3]float64{}, float64(a.Ball[3])
	var to [3]float64 // the nearest point, or the other centre
	inner := math.Inf(1)
	side := [3]float64{1}
	for k := range 3 {
		center[k] = float64(a.Ball[k])
		if b.Ball != nil {
			to[k] = float64(b.Ball[k])
			continue
		}
		lo, hi := float64(b.Box.Min[k]), float64(b.Box.Max[k])
		to[k] = min(max(center[k], lo), hi)
		if d := center[k] - lo; d < inner {
			inner, side = d, [3]float64{}
			side[k] = 1
		}
		if d := hi - center[k]; d < inner {
			inner, side = d, [3]float64{}
			side[k] = -1
		}
	}
	dist := 0.0
	for k := range 3 {
		normal[k] = to[k] - center[k]
		dist += normal[k] * normal[k]
	}
	dist = math.Sqrt(dist)
	near := dist // of the surface of b, along the normal from the centre of a
	switch {
	case b.Ball != nil:
		near = dist - float64(b.Ball[3])
	case dist == 0:
		near = -inner
	}
	for k := range 3 {
		if normal[k] /= dist; dist == 0 {
			normal[k] = side[k]
		}
		pos[k] = center[k] + normal[k]*(r+near)/2
	}
	return pos, normal, r - near
}

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
