package query_test

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// nearFuncs are the functions of the nearest objects.
var nearFuncs = map[string]any{
	"AppendNearest":  query.AppendNearest,
	"ExplainNearest": query.ExplainNearest,
}

// nearAsk is a query for the nearest objects of a point.
type nearAsk struct {
	point [3]float32
	boxes []testkit.Near // all, nearest first, by their boxes
	balls []testkit.Near // by their bounds
	k     int
	reach float32
}

// near draws a query. The unit of distances is that of the tree: between two ticks it may depend on the coordinates
// of objects that were removed or moved.
func (a *matrixArtist) near(v linear.View) *nearAsk {
	n := len(a.objects)
	q := &nearAsk{point: a.spot()}
	extent := v.Store().Extent
	q.boxes = testkit.ReferenceNearestIn(extent, a.objects, q.point, n, infinity)
	scale := testkit.NearScale(extent, q.point)
	for i := range a.objects {
		d2 := testkit.ScaledDist2(&a.objects[i].Box, q.point, float32(scale))
		if a.ball(i) {
			d2 = ballDist2(a.balls[i], q.point, scale, d2)
		}
		if o := a.turned[i]; o != nil {
			f := frameOf(o)
			gap := f.Distance(testkit.Wide(q.point)) * scale
			d2 = max(d2, float32(float64(gap*gap)))
		}
		q.balls = append(q.balls, testkit.Near{Index: i, Dist2: d2})
	}
	slices.SortFunc(q.balls, func(a, b testkit.Near) int {
		return cmp.Or(cmp.Compare(a.Dist2, b.Dist2), a.Index-b.Index)
	})
	for i := range q.balls {
		q.balls[i].Dist2 = float32(float64(q.balls[i].Dist2) / (scale * scale))
	}
	q.again(a)
	return q
}

// again draws another number and another distance.
func (q *nearAsk) again(a *matrixArtist) {
	n := len(a.objects)
	q.k = []int{0, 1, 2, 16, 17, a.rng.IntN(n + 1), n, n + 1, math.MaxInt32}[a.rng.IntN(9)]
	q.reach = infinity
	switch a.rng.IntN(4) {
	case 0:
		q.reach = a.size()
	case 1:
		q.reach = []float32{0, 0x1p-149, most, 1e19}[a.rng.IntN(4)]
		if n > 0 && a.rng.IntN(2) == 0 { // exactly that of an object
			q.reach = query.Neighbor{Dist2: q.boxes[a.rng.IntN(n)].Dist2}.Dist()
		}
	}
}

func (q *nearAsk) show() string {
	return fmt.Sprintf("point %x, k %d, maxDist %x", q.point, q.k, q.reach)
}

// ballDist2 is the squared distance to a sphere in float64, scaled and rounded, but
// not less than that to the box.
func ballDist2(s [4]float32, p [3]float32, scale float64, box float32) float32 {
	sum := 0.0
	for a := range 3 {
		d := float64(p[a]) - float64(s[a])
		sum += float64(d * d)
	}
	gap := max(math.Sqrt(sum)-float64(s[3]), 0) * scale
	return max(box, float32(float64(gap*gap)))
}

// want returns all objects that pass, nearest first, and the number of them in the result.
func (q *nearAsk) want(c *matrixCensus, flt *matrixFilter) (all []query.Neighbor, n int) {
	list := q.boxes
	if flt.Exact {
		list = q.balls
	}
	bound := testkit.ReferenceBound2(q.reach)
	for _, x := range list {
		if flt.pass[x.Index] {
			all = append(all, query.Neighbor{ID: c.ids[x.Index], Dist2: x.Dist2})
			if x.Dist2 <= bound && n < q.k {
				n++
			}
		}
	}
	return all, n
}

// judgeNear runs all forms of the query.
func (j *matrixJudge) judgeNear(q *nearAsk) error {
	all, n := q.want(j.c, &j.flt)
	want := all[:n]
	for _, name := range slices.Sorted(maps.Keys(nearFuncs)) {
		if err := j.nearForm(nearFuncs[name], q, want); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		j.x.form("", name, len(j.c.ids))
	}
	near, err := query.NewNearby(q.point)
	if err != nil {
		return err
	}
	v := &matrixAsk{kind: "Nearby", query: near}
	return j.forms(v, func(form any) error {
		switch f := form.(type) {
		case func(linear.View, query.Filter) iter.Seq[query.Neighbor]:
			return iterates(f(j.v, j.flt.Filter), all)
		case func() [3]float32:
			if f() != q.point {
				return fmt.Errorf("a search from %v, want %v", f(), q.point)
			}
			return nil
		}
		return fmt.Errorf("a form of type %T is not judged", form)
	})
}

func (j *matrixJudge) nearForm(form any, q *nearAsk, want []query.Neighbor) error {
	flt := j.flt.Filter
	switch f := form.(type) {
	case func([]query.Neighbor, linear.View, [3]float32, int, float32, query.Filter) ([]query.Neighbor, error):
		first := query.Neighbor{ID: 5, Dist2: -1}
		got, err := f([]query.Neighbor{first}, j.v, q.point, q.k, q.reach, flt)
		if err != nil || got[0] != first {
			return fmt.Errorf("error %v, or what was in the slice became %v", err, got[0])
		}
		for _, nb := range got[1:] {
			j.x.mix(uint64(nb.ID))
		}
		return sameNeighbors(got[1:], want)
	case func(linear.View, [3]float32, int, float32, query.Filter, *query.Heat) (query.Counters, error):
		heat := query.NewHeat(j.v)
		c, err := f(j.v, q.point, q.k, q.reach, flt, heat)
		if again, _ := f(j.v, q.point, q.k, q.reach, flt, nil); again != c {
			return fmt.Errorf("%+v with heat, %+v without", c, again)
		}
		if nodes, slots := sum(heat.Nodes), sum(heat.Slots); nodes != c.Nodes || slots != c.Packets {
			return fmt.Errorf("heat of %d nodes and %d packets for %+v", nodes, slots, c)
		}
		return j.nearCounters(c, err, len(want))
	}
	return fmt.Errorf("a form of type %T is not judged", form)
}

func (j *matrixJudge) nearCounters(c query.Counters, err error, n int) error {
	if err != nil || c.Ranges != n || c.Tested > 16*c.Packets || c.Packets > 2*j.v.Slots() || c.Tested < n {
		return fmt.Errorf("%+v %v for %d objects", c, err, n)
	}
	j.x.mix(uint64(c.Nodes)<<32 ^ uint64(c.Packets))
	return nil
}

func sameNeighbors(got, want []query.Neighbor) error {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Errorf("neighbour %d is %d at %x, want %d at %x", i, got[i].ID, got[i].Dist2, want[i].ID, want[i].Dist2)
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d neighbours, want %d", len(got), len(want))
	}
	return nil
}

// sameHits judges a form that returns the IDs of the hits, in any order.
func (j *matrixJudge) sameHits(f func([]uint32, linear.View, query.Filter) []uint32) error {
	got := f(slices.Clone(matrixPrefix), j.v, j.flt.Filter)
	n := len(matrixPrefix)
	if !slices.Equal(got[:n], matrixPrefix) {
		return fmt.Errorf("%v in front of the answer, want %v", got[:n], matrixPrefix)
	}
	var want []uint32
	for _, h := range j.hits {
		want = append(want, h.ID)
	}
	got = got[n:]
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return fmt.Errorf("IDs %v, Append has %v", got, want)
	}
	return nil
}

// begins judges a first hit without its position.
func (j *matrixJudge) begins(id uint32, dist float32, ok bool) error {
	n := len(j.hits)
	if ok != (n > 0) || ok && (id != j.hits[0].ID || math.Float32bits(dist) != math.Float32bits(j.hits[0].Dist)) {
		return fmt.Errorf("%d at %v %v, Append begins with %+v", id, dist, ok, j.hits[:min(n, 1)])
	}
	return nil
}

// firstFunc judges the form with a test function: functions that accept each box as it is, none, or some of them
// later than their boxes, and functions with times that do not count.
func (j *matrixJudge) firstFunc(f func(linear.View, query.Filter, func(uint32, float32) (float32, bool)) (uint32, float32, bool)) error {
	n := len(j.hits)
	enters := map[uint32]float32{}
	for _, h := range j.hits {
		enters[h.ID] = h.Dist
	}
	ask := func(test func(id uint32, tEnter float32) (float32, bool)) (id uint32, dist float32, ok bool, calls int, err error) {
		seen := map[uint32]bool{}
		id, dist, ok = f(j.v, j.flt.Filter, func(id uint32, tEnter float32) (float32, bool) {
			if want, hit := enters[id]; !hit || math.Float32bits(want) != math.Float32bits(tEnter) || seen[id] {
				err = fmt.Errorf("asked for %d at %v, seen %v; its hit is at %v %v", id, tEnter, seen[id], want, hit)
			}
			seen[id] = true
			return test(id, tEnter)
		})
		return id, dist, ok, len(seen), err
	}
	id, dist, ok, _, err := ask(func(_ uint32, tEnter float32) (float32, bool) {
		if tEnter == 0 {
			return float32(math.Copysign(0, -1)), true // is 0 in the result
		}
		return tEnter, true
	})
	if err == nil {
		err = j.begins(id, dist, ok)
	}
	if err != nil {
		return fmt.Errorf("boxes: %w", err)
	}
	inf := float32(math.Inf(1))
	for _, miss := range []struct {
		add float32 // to tEnter
		hit bool
	}{{0, false}, {float32(math.NaN()), false}, {float32(math.NaN()), true}, {inf, true}} {
		if id, dist, ok, calls, err := ask(func(_ uint32, tEnter float32) (float32, bool) { return tEnter + miss.add, miss.hit }); err != nil || ok || id != 0 || dist != 0 || calls != n {
			return fmt.Errorf("tEnter + %v, %v for all: %d at %v %v, %d of %d tested: %v", miss.add, miss.hit, id, dist, ok, calls, n, err)
		}
	}
	if id, dist, ok, _, err = ask(func(uint32, float32) (float32, bool) { return -inf, true }); err == nil {
		err = j.begins(id, dist, ok)
	}
	if err != nil {
		return fmt.Errorf("times before the boxes: %w", err)
	}
	shape := func(id uint32, tEnter float32) (t float32, hit bool) {
		switch x := id * 2654435761 >> 16; x % 4 {
		case 0:
			return tEnter, false
		case 1: // a time before the box is taken for that of the box
			return math.Nextafter32(tEnter, -1), true
		default:
			return tEnter + float32((j.hits[n-1].Dist-tEnter)*(float32(x%64)/64)), true
		}
	}
	var best query.Hit
	found := false
	for _, h := range j.hits {
		d, hit := shape(h.ID, h.Dist)
		if d = max(d, h.Dist); hit && (!found || d < best.Dist || d == best.Dist && h.ID < best.ID) {
			best.ID, best.Dist, found = h.ID, d, true
		}
	}
	if id, dist, ok, _, err := ask(shape); err != nil || ok != found || ok && (id != best.ID || dist != best.Dist) {
		return fmt.Errorf("shapes: %d at %v %v, want %d at %v %v: %v", id, dist, ok, best.ID, best.Dist, found, err)
	}
	return nil
}
