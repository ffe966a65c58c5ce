package query_test

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// comparePairs orders pairs by A, then B.
func comparePairs(p, q collide.Pair) int { return cmp.Or(cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B)) }

// passes reports whether a pair of indices passes a filter as documented, except for Exact.
func (q *pairAsk) passes(f collide.Filter, p testkit.IndexPair) bool {
	a, b := query.Filter{Only: f.Live}, query.Filter{Only: f.LiveBoth}
	x, y := int(q.left.c.ids[p.A]), int(q.right.c.ids[p.B])
	if f.Exclude == (linear.Handle{ID: uint32(x), Gen: q.left.c.gens[p.A]}) || q.within && f.Exclude == (linear.Handle{ID: uint32(y), Gen: q.left.c.gens[p.B]}) {
		return false
	}
	if q.within {
		if !testkit.Alive(a.Only, x) && !testkit.Alive(a.Only, y) || !testkit.Alive(b.Only, x) || !testkit.Alive(b.Only, y) {
			return false
		}
	} else if !testkit.Alive(a.Only, x) || !testkit.Alive(b.Only, x) {
		return false
	}
	return testkit.Collide(f.Mask, (*[32]uint32)(f.Layers), f.StaticPairs, &q.left.c.objects[p.A], &q.right.c.objects[p.B])
}

// pairFuncs are the functions of pairs, all of a view and another one or none.
var pairFuncs = map[string]any{
	"collide.Append":         collide.Append,
	"collide.Count":          collide.Count,
	"collide.All":            collide.All,
	"collide.AppendContacts": collide.AppendContacts,
	"collide.AppendImpacts":  collide.AppendImpacts,
	"collide.Nearest":        collide.Nearest,
}

// pairSide is a view on one side of a query for pairs.
type pairSide struct {
	v     linear.View
	c     *matrixCensus
	steps *soa.Column[collide.Step]
}

// pairAsk is the pairs of one view, or between two, and of all filters.
type pairAsk struct {
	within bool
	left   pairSide
	right  pairSide
	boxes  []testkit.IndexPair // whose boxes overlap

	distance float32
	near     []testkit.IndexPair // whose boxes are within the distance

	nearest map[int][]testkit.Near // by the index of an object on the left: all on the right by distance
}

// nearestOf returns all objects on the right by their distance from one on the left.
func (q *pairAsk) nearestOf(i int) []testkit.Near {
	list, had := q.nearest[i]
	if !had {
		list = testkit.ReferenceNearestBox(q.right.v.Store().Extent, q.right.c.objects, &q.left.c.objects[i].Box)
		if q.nearest == nil {
			q.nearest = map[int][]testkit.Near{}
		}
		q.nearest[i] = list
	}
	return list
}

// fit replaces the distance of a filter, unless it is 0, by one at which objects have a few partners: that of an object
// from one of the nearest of some others, or about that.
func (q *pairAsk) fit(f *collide.Filter, rng *rand.Rand) {
	if f.Distance == 0 {
		return
	}
	f.Distance = math.SmallestNonzeroFloat32
	if n, m := len(q.left.c.objects), len(q.right.c.objects); n > 0 && m > 0 {
		a := &q.left.c.objects[rng.IntN(n)].Box
		least := float32(math.MaxFloat32)
		for range 1 + m/4 {
			if d := testkit.TouchingDistance(a, &q.right.c.objects[rng.IntN(m)].Box, rng.IntN(8)); d > 0 {
				least = min(least, d)
			}
		}
		f.Distance = least
	}
	for f.Distance > 0 && len(q.pairsWithin(f.Distance)) > mostNear {
		f.Distance /= 8
	}
}

// pairsWithin returns the pairs whose boxes are within a distance, ascending.
func (q *pairAsk) pairsWithin(distance float32) []testkit.IndexPair {
	switch {
	case distance == 0:
		return q.boxes
	case distance == q.distance:
		return q.near
	case q.within:
		q.near = testkit.SweepNear(q.left.c.objects, distance)
	default:
		q.near = testkit.ReferencePairsNearBetween(q.left.c.objects, q.right.c.objects, distance)
	}
	q.distance = distance
	return q.near
}

// kind is the name of the cell.
func (q *pairAsk) kind() string {
	if q.within {
		return "Pairs"
	}
	return "PairsBetween"
}

// views returns the views of the query.
func (q *pairAsk) views() collide.Views {
	if q.within {
		return collide.Within(q.left.v)
	}
	return collide.Between(q.left.v, q.right.v)
}

// mostPairs is the number of pairs above which a tree is not searched for pairs.
const mostPairs = 40_000

// mostNear is the number of pairs within the distance of a filter above which the distance is reduced.
const mostNear = 4000

// dense reports whether so many pairs of the objects overlap that a search for them would leave no time for the rest.
func (a *matrixArtist) dense() bool {
	n := len(a.objects)
	if n*n/2 <= mostPairs {
		return false
	}
	hits := 0
	for range 400 {
		p, q := a.one(), a.one()
		if p.Overlaps(q) {
			hits++
		}
	}
	return hits*(n*n/800) > mostPairs+n
}

func withinAsk(v linear.View, c *matrixCensus, rng *rand.Rand) *pairAsk {
	q := &pairAsk{within: true, left: pairSide{v: v, c: c, steps: stepsFor(c, rng)}}
	if q.right = q.left; len(c.objects) > 600 {
		q.boxes = testkit.SweepAndPrune(c.objects)
	} else {
		q.boxes = testkit.ReferencePairs(c.objects)
	}
	return q
}

func betweenAsk(x, y linear.View, cx, cy *matrixCensus, rng *rand.Rand) *pairAsk {
	q := &pairAsk{left: pairSide{x, cx, stepsFor(cx, rng)}, right: pairSide{y, cy, stepsFor(cy, rng)}}
	q.boxes = testkit.ReferencePairsBetween(cx.objects, cy.objects)
	return q
}

// stepsFor splits the boxes of two of three objects into a beginning and an end whose union is the box.
func stepsFor(c *matrixCensus, rng *rand.Rand) *soa.Column[collide.Step] {
	var steps soa.Column[collide.Step]
	for i, id := range c.ids {
		if rng.IntN(3) == 0 {
			continue
		}
		b := c.objects[i].Box
		s := collide.Step{From: b, To: b}
		for a := range 3 {
			within := func() float32 {
				x := float32(float64(b.Min[a]) + rng.Float64()*(float64(b.Max[a])-float64(b.Min[a])))
				return min(max(x, b.Min[a]), b.Max[a])
			}
			s.From.Max[a], s.To.Min[a] = within(), within()
			if rng.IntN(2) == 0 {
				s.From.Min[a], s.To.Min[a] = s.To.Min[a], s.From.Min[a]
				s.From.Max[a], s.To.Max[a] = s.To.Max[a], s.From.Max[a]
			}
		}
		steps.Set(id, s)
	}
	if len(c.ids) > 0 && rng.IntN(8) == 0 {
		return nil
	}
	return &steps
}

func (s *pairSide) solid(i int) testkit.Solid {
	o := testkit.Solid{Box: s.c.objects[i].Box}
	if s.c.ball(i) {
		o.Ball = &s.c.balls[i]
	}
	return o
}

func (s *pairSide) step(i int) [2]soa.AABB {
	var step collide.Step
	if s.steps != nil {
		step = s.steps.Get(s.c.ids[i])
	}
	if step == (collide.Step{}) {
		return [2]soa.AABB{s.c.objects[i].Box, s.c.objects[i].Box}
	}
	return [2]soa.AABB{step.From, step.To}
}

// want returns the pairs that pass, ascending.
func (q *pairAsk) want(flt collide.Filter) (pairs []collide.Pair) {
	for _, p := range q.pairsWithin(flt.Distance) {
		if !q.passes(flt, p) || flt.Exact && !q.left.near(p.A, &q.right, p.B, flt.Distance) {
			continue
		}
		pairs = append(pairs, collide.Pair{A: q.left.c.ids[p.A], B: q.right.c.ids[p.B]})
	}
	return pairs
}

// judgePairs searches for pairs in all forms: the functions and the methods of a batch.
func (j *matrixJudge) judgePairs(q *pairAsk, flt collide.Filter, batch *collide.Batch) error {
	p := &pairJudge{matrixJudge: j, pairAsk: q, flt: flt, want: q.want(flt)}
	if err := p.first(); err != nil {
		return fmt.Errorf("collide.Append: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(pairFuncs)) {
		if err := p.form("", name, pairFuncs[name]); err != nil {
			return err
		}
	}
	last := -1.0
	batch.Progress = func(done float64) {
		if done == 0 && last == 1 {
			last = -1 // the next call
		}
		if done < last || done > 1 {
			last = math.Inf(1)
		}
		last = max(last, done)
	}
	v := reflect.ValueOf(batch)
	for i := range v.NumMethod() {
		last = -1
		if err := p.form("collide.Batch", v.Type().Method(i).Name, v.Method(i).Interface()); err != nil {
			return err
		}
		if last != 1 && last != -1 {
			return fmt.Errorf("the progress of %s went back, or ended at %v", v.Type().Method(i).Name, last)
		}
	}
	return nil
}

// pairJudge judges one query for pairs.
type pairJudge struct {
	*matrixJudge
	*pairAsk
	flt  collide.Filter
	want []collide.Pair // ascending
	got  []collide.Pair // in the order of the result
}

// first compares the list of all pairs, which the others follow, with the oracle.
func (p *pairJudge) first() error {
	p.got = collide.Append(nil, p.views(), p.flt)
	for _, g := range p.got {
		p.matrixJudge.x.mix(uint64(g.A)<<32 | uint64(g.B))
	}
	sorted := slices.SortedFunc(slices.Values(p.got), comparePairs)
	return p.differ(sorted)
}

// differ names the first pair that is in one list only.
func (p *pairJudge) differ(got []collide.Pair) error {
	for i := range max(len(got), len(p.want)) {
		if i == len(got) || i < len(p.want) && comparePairs(p.want[i], got[i]) < 0 {
			return fmt.Errorf("%d pairs, want %d: %v is lost: %s", len(got), len(p.want), p.want[i], p.describe(p.want[i]))
		}
		if i == len(p.want) || got[i] != p.want[i] {
			return fmt.Errorf("%d pairs, want %d: %v is there, or twice: %s", len(got), len(p.want), got[i], p.describe(got[i]))
		}
	}
	return nil
}

func (p *pairJudge) describe(g collide.Pair) string {
	i, j := p.left.c.at(g.A), p.right.c.at(g.B)
	if i < 0 || j < 0 {
		return "not in the views"
	}
	return p.left.c.describe(i) + " and " + p.right.c.describe(j)
}

// form judges one form by its type.
func (p *pairJudge) form(kind, name string, form any) error {
	same := func(got []collide.Pair, failed error) error {
		if failed != nil || len(got) == 0 || got[0] != (collide.Pair{A: 9, B: 9}) || !slices.Equal(got[1:], p.got) {
			return fmt.Errorf("%d pairs, %v: not the %d of the first form in their order", len(got)-1, failed, len(p.got))
		}
		return nil
	}
	var err error
	dst := []collide.Pair{{A: 9, B: 9}}
	of := p.views()
	switch f := form.(type) {
	case func([]collide.Pair, collide.Views, collide.Filter) []collide.Pair:
		err = same(f(dst, of, p.flt), nil)
	case func(context.Context, []collide.Pair, collide.Views, collide.Filter) ([]collide.Pair, error):
		if err = same(f(context.Background(), dst, of, p.flt)); err == nil {
			err = same(f(nil, dst, of, p.flt))
		}
	case func(collide.Views, collide.Filter) int:
		if n := f(of, p.flt); n != len(p.got) {
			err = fmt.Errorf("%d pairs, not %d", n, len(p.got))
		}
	case func(collide.Views, collide.Filter) iter.Seq[collide.Pair]:
		err = iterates(f(of, p.flt), p.got)
	case func([]collide.Contact, collide.Views, []collide.Pair) []collide.Contact:
		err = p.contacts(func(pairs []collide.Pair) []collide.Contact { return f(nil, of, pairs) })
	case func([]collide.Impact, collide.Views, *soa.Column[collide.Step], *soa.Column[collide.Step], collide.Filter) []collide.Impact:
		flt := p.flt
		flt.Distance = 0 // impacts take none
		err = p.impacts(f(nil, of, p.left.steps, p.right.steps, flt))
	case func([]collide.Neighbor, linear.View, linear.View, int, collide.Filter) ([]collide.Neighbor, error):
		if p.flt.Exact {
			return nil // neighbours take no Exact: the filter without it is another query
		}
		err = p.neighbors(f)
	case func(context.Context, []collide.Neighbor, linear.View, linear.View, int, collide.Filter) ([]collide.Neighbor, error):
		if p.flt.Exact {
			return nil // neighbours take no Exact: the filter without it is another query
		}
		err = p.neighbors(func(dst []collide.Neighbor, x, y linear.View, k int, flt collide.Filter) ([]collide.Neighbor, error) {
			return f(context.Background(), dst, x, y, k, flt)
		})
	default:
		err = fmt.Errorf("a form of type %T is not judged", form)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	p.matrixJudge.x.form(kind, name, len(p.left.c.ids))
	if kind != "" {
		name = kind + "." + name
	}
	p.matrixJudge.x.ledger.count("form of pairs", name+", "+p.kind(), 1, len(p.left.c.ids))
	return nil
}

// neighbors compares the nearest of every object with the reference for some of them.
func (p *pairJudge) neighbors(find func([]collide.Neighbor, linear.View, linear.View, int, collide.Filter) ([]collide.Neighbor, error)) error {
	x, y, flt, k := &p.left, &p.right, p.flt, 1+len(p.got)%20
	flt.Exact = false // it takes none
	other := y.v
	if p.within {
		other = linear.View{}
	}
	got, err := find(nil, x.v, other, k, flt)
	if err != nil {
		return err
	}
	of := map[uint32][]collide.Neighbor{}
	for i, n := range got {
		if i > 0 && n.A < got[i-1].A {
			return fmt.Errorf("object %d after %d", n.A, got[i-1].A)
		}
		of[n.A] = append(of[n.A], n)
	}
	for i := 0; i < len(x.c.ids); i += 1 + len(x.c.ids)*len(y.c.ids)/4000 {
		var want []collide.Neighbor
		for _, n := range p.nearestOf(i) {
			if len(want) == k {
				break
			}
			pair := testkit.IndexPair{A: i, B: n.Index}
			if p.within && i == n.Index || !p.passes(flt, pair) ||
				flt.Distance > 0 && !testkit.BoxesWithin(&x.c.objects[i].Box, &y.c.objects[n.Index].Box, flt.Distance) {
				continue
			}
			want = append(want, collide.Neighbor{A: x.c.ids[i], B: y.c.ids[n.Index], Dist2: n.Dist2})
		}
		if list := of[x.c.ids[i]]; !slices.Equal(list, want) {
			return fmt.Errorf("object %d has the neighbours %v, want %v", x.c.ids[i], list, want)
		}
	}
	return nil
}

// flight is an object in its step.
func (s *pairSide) flight(i int) testkit.Flight {
	var ball *[4]float32
	if s.c.ball(i) {
		ball = &s.c.balls[i]
	}
	return testkit.NewFlight(s.step(i), ball, s.c.turned[i])
}

// bounded reports whether an object has a bound.
func (s *pairSide) bounded(i int) bool { return s.c.ball(i) || s.c.turned[i] != nil }

// impacts compares impacts with the pairs of boxes that pass: each of two boxes by the reference, those of bounds by
// fine steps.
func (p *pairJudge) impacts(got []collide.Impact) error {
	flt := p.flt
	flt.Exact = false
	times := map[collide.Pair]float32{}
	for _, g := range got {
		times[collide.Pair{A: g.A, B: g.B}] = g.Time
		p.matrixJudge.x.mix(uint64(g.A)<<32 | uint64(g.B))
	}
	if len(times) != len(got) {
		return fmt.Errorf("%d impacts of %d pairs", len(got), len(times))
	}
	for _, b := range p.boxes {
		if !p.passes(flt, b) {
			continue
		}
		pair := collide.Pair{A: p.left.c.ids[b.A], B: p.right.c.ids[b.B]}
		time, hit := times[pair]
		delete(times, pair)
		if p.flt.Exact && (p.left.bounded(b.A) || p.right.bounded(b.B)) {
			x, y := p.left.flight(b.A), p.right.flight(b.B)
			if wrong, _ := testkit.JudgeImpact(&x, &y, time, hit, 8); wrong != "" {
				return fmt.Errorf("impact of %v at %v, %v: %s: %s", pair, time, hit, wrong, p.describe(pair))
			}
		} else if t, ok := testkit.ReferenceImpact(p.left.step(b.A), p.right.step(b.B)); ok != hit || t != time && ok {
			return fmt.Errorf("impact of %v at %v, %v, want %v, %v", pair, time, hit, t, ok)
		}
	}
	for pair, t := range times {
		return fmt.Errorf("%d impacts are no pairs: %v at %v", len(times), pair, t)
	}
	if p.flt.Exact || p.flt.Distance > 0 { // the order is that of other pairs
		return nil
	}
	k := 0
	for _, g := range got {
		for k < len(p.got) && p.got[k] != (collide.Pair{A: g.A, B: g.B}) {
			k++
		}
	}
	if k == len(p.got) && len(got) > 0 {
		return fmt.Errorf("%d impacts are not in the order of the pairs", len(got))
	}
	return nil
}
