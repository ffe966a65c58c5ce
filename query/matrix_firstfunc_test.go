package query_test

import (
	"fmt"
	"iter"
	"math"
	"math/bits"
	"reflect"
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// Verdicts of an oracle on an object.
const (
	isOut  = iota // must not be in the result
	isOpen        // within the rounding that the contract allows
	isIn          // must be in it
)

// matrixTruth is the oracle's expectation of a query of a view, by the index of the object in the census, before the
// filter.
type matrixTruth struct {
	state []uint8
	// The least and greatest time of a hit, nil where there are no times.
	first, last []float32
	// The verdict of the definition on an open object that is missing, or there, and the error in a hit; nil: no
	// check.
	lost, extra func(i int) bool
	wrong       func(i int, h *query.Hit) string
}

// matrixAsk is a query with its numbers and its oracle.
type matrixAsk struct {
	kind  string
	query any
	show  string
	truth func(v linear.View, c *matrixCensus, exact bool) matrixTruth
}

// matrixJudge runs a query in all its forms, which are the methods of its type. It compares the first with the oracle
// and the others with the first.
type matrixJudge struct {
	x   *matrix
	v   linear.View
	c   *matrixCensus
	flt matrixFilter

	ids   []uint32
	hits  []query.Hit
	seen  []uint8
	heat  *query.Heat
	ofv   linear.View
	other []uint32

	precise bool // the query is a precise frustum
	sized   bool // one with a minimum size, which planes and corners do not hold
	frustum query.Frustum
}

// matrixPrefix is the prefix of dst that an Append must keep.
var matrixPrefix = []uint32{7, 0, 1<<32 - 1}

// run judges one query. The error names the fault.
func (j *matrixJudge) run(q *matrixAsk, t *matrixTruth) error {
	v := addressed(q.query)
	// The form that appends is run first: the others must agree with it.
	var err error
	switch f := v.MethodByName("Append").Interface().(type) {
	case func([]uint32, linear.View, query.Filter) []uint32:
		err = j.appendIDs(f, t)
	case func([]query.Hit, linear.View, query.Filter) []query.Hit:
		err = j.appendHits(f, t)
	default:
		return fmt.Errorf("Append of type %T is not judged", f)
	}
	if err != nil {
		return fmt.Errorf("Append: %w", err)
	}
	j.precise, j.sized = q.kind == "Precise", q.kind == "MinSize"
	j.frustum, _ = q.query.(query.Frustum)
	if err := j.forms(q, j.form); err != nil {
		return err
	}
	return j.eachBox(q.query)
}

// addressed returns a pointer to a copy of a query, which has all methods, or the pointer that it is.
func addressed(q any) reflect.Value {
	if reflect.TypeOf(q).Kind() == reflect.Pointer {
		return reflect.ValueOf(q)
	}
	p := reflect.New(reflect.TypeOf(q))
	p.Elem().Set(reflect.ValueOf(q))
	return p
}

// forms judges all methods of a query.
func (j *matrixJudge) forms(q *matrixAsk, judge func(form any) error) error {
	v := addressed(q.query)
	for i := range v.NumMethod() {
		name := v.Type().Method(i).Name
		if !j.x.source[v.Type().Elem().Name()+"."+name] {
			continue // made for tests
		}
		if err := judge(v.Method(i).Interface()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		j.x.form(q.kind, name, len(j.c.ids))
	}
	return nil
}

// form judges one form by its type.
func (j *matrixJudge) form(form any) error {
	n := len(j.ids) + len(j.hits)
	flt := j.flt.Filter
	switch f := form.(type) {
	case func([]query.Hit, linear.View, query.Filter) []query.Hit:
		// checked alone by the oracle
	case func([]uint32, linear.View, query.Filter) []uint32:
		if len(j.ids) == 0 { // of a query whose Append has hits, or checked alone
			return j.sameHits(f)
		}
	case func(linear.View, query.Filter) (uint32, float32, bool):
		id, dist, ok := f(j.v, flt)
		return j.begins(id, dist, ok)
	case func(linear.View, query.Filter, func(uint32, float32) (float32, bool)) (uint32, float32, bool):
		return j.firstFunc(f)
	case func(linear.View) error:
		return f(j.v)
	case func() linear.AABB:
		// of the definition
	case func() query.Frustum, func(float32) (query.Frustum, error), func() query.SweptBox, func() query.SweptSphere:
		// makes another query, which is a kind of its own
	case func(float32, ...float32) (query.Levels, error):
		return j.levels(f)
	case func() [6][4]float32:
		return j.planes(f())
	case func() ([8][3]float64, error):
		return j.corners(f())
	case func(linear.View, query.Filter) int:
		if got := f(j.v, flt); got != n {
			return fmt.Errorf("%d, Append has %d", got, n)
		}
	case func(linear.View, query.Filter) bool:
		if got := f(j.v, flt); got != (n > 0) {
			return fmt.Errorf("%v, Append has %d", got, n)
		}
	case func(linear.View, query.Filter) iter.Seq[uint32]:
		return iterates(f(j.v, flt), j.ids)
	case func(linear.View, query.Filter) iter.Seq[query.Hit]:
		return iterates(f(j.v, flt), j.hits)
	case func(linear.View, query.Filter) (query.Hit, bool):
		h, ok := f(j.v, flt)
		if ok != (n > 0) || ok && h != j.hits[0] {
			return fmt.Errorf("%+v %v, Append begins with %+v", h, ok, j.hits[:min(n, 1)])
		}
	case func(linear.View, query.Filter, func(query.Range) bool):
		return j.ranges(f)
	case func(linear.View, query.Filter, *query.Heat) query.Counters:
		return j.trace(f)
	default:
		return fmt.Errorf("a form of type %T is not judged", f)
	}
	return nil
}

// iterates reports whether an iteration yields the list, and stops when the loop does.
func iterates[T comparable](seq iter.Seq[T], want []T) error {
	i := 0
	for x := range seq {
		if i == len(want) || x != want[i] {
			return fmt.Errorf("%v as number %d, Append has %v of %d", x, i, want[min(i, len(want)):min(i+1, len(want))], len(want))
		}
		i++
	}
	if i != len(want) {
		return fmt.Errorf("%d of %d", i, len(want))
	}
	for range seq { // ends without a panic
		break
	}
	return nil
}

func (j *matrixJudge) appendIDs(f func([]uint32, linear.View, query.Filter) []uint32, t *matrixTruth) error {
	j.hits = j.hits[:0]
	j.other = f(append(j.other[:0], matrixPrefix...), j.v, j.flt.Filter)
	if !slices.Equal(j.other[:len(matrixPrefix)], matrixPrefix) {
		return fmt.Errorf("what was in the slice became %d", j.other[:len(matrixPrefix)])
	}
	j.ids = append(j.ids[:0], j.other[len(matrixPrefix):]...)
	j.begin()
	for _, id := range j.ids {
		if _, err := j.report(id, t); err != nil {
			return err
		}
	}
	return j.end(t)
}

func (j *matrixJudge) appendHits(f func([]query.Hit, linear.View, query.Filter) []query.Hit, t *matrixTruth) error {
	j.ids = j.ids[:0]
	first := query.Hit{ID: 99}
	hits := f([]query.Hit{first}, j.v, j.flt.Filter)
	if hits[0] != first {
		return fmt.Errorf("what was in the slice became %+v", hits[0])
	}
	j.hits = hits[1:]
	j.begin()
	for k := range j.hits {
		h := &j.hits[k]
		i, err := j.report(h.ID, t)
		if err != nil {
			return fmt.Errorf("%w, %+v", err, *h)
		}
		j.x.mix(uint64(math.Float32bits(h.Dist)))
		if !(h.Dist >= t.first[i] && h.Dist <= t.last[i]) {
			return fmt.Errorf("object %d is met at %v, want %v to %v", h.ID, h.Dist, t.first[i], t.last[i])
		}
		if k > 0 && !(j.hits[k-1].Dist < h.Dist || j.hits[k-1].Dist == h.Dist && j.hits[k-1].ID < h.ID) {
			return fmt.Errorf("hits %d and %d are not in the order of time and ID: %v of %d, %v of %d", k-1, k,
				j.hits[k-1].Dist, j.hits[k-1].ID, h.Dist, h.ID)
		}
		if t.wrong != nil {
			if what := t.wrong(i, h); what != "" {
				return fmt.Errorf("%s: %+v of %v", what, *h, j.c.objects[i].Box)
			}
		}
	}
	return j.end(t)
}

func (j *matrixJudge) begin() {
	j.seen = slices.Grow(j.seen[:0], len(j.c.ids))[:len(j.c.ids)]
	clear(j.seen)
}

// report records an object of a result.
func (j *matrixJudge) report(id uint32, t *matrixTruth) (i int, err error) {
	j.x.mix(uint64(id))
	i = j.c.at(id)
	switch {
	case i < 0:
		return i, fmt.Errorf("object %d, which the view does not hold, is reported", id)
	case j.seen[i] != 0:
		return i, fmt.Errorf("object %d is reported twice", id)
	case !j.flt.pass[i]:
		return i, fmt.Errorf("object %d, which the filter excludes, is reported", id)
	case t.state[i] == isOut || t.state[i] == isOpen && t.extra != nil && t.extra(i):
		return i, fmt.Errorf("object %d is reported: %s", id, j.c.describe(i))
	}
	j.seen[i] = 1
	return i, nil
}

// end checks for lost objects.
func (j *matrixJudge) end(t *matrixTruth) error {
	for i, s := range t.state {
		if s != isOut && j.seen[i] == 0 && j.flt.pass[i] && (s == isIn || t.lost != nil && t.lost(i)) {
			return fmt.Errorf("object %d is lost: %s", j.c.ids[i], j.c.describe(i))
		}
	}
	return nil
}

// describe formats an object so that it can be reproduced.
func (c *matrixCensus) describe(i int) string {
	o := &c.objects[i]
	s := fmt.Sprintf("box %x", o.Box)
	if c.ball(i) {
		s += fmt.Sprintf(", sphere %x", c.balls[i])
	}
	if c.turned[i] != nil {
		s += fmt.Sprintf(", oriented box %x", *c.turned[i])
	}
	return s
}

// ranges expands the parts of a result.
func (j *matrixJudge) ranges(f func(linear.View, query.Filter, func(query.Range) bool)) error {
	list := j.other[:0]
	f(j.v, j.flt.Filter, func(r query.Range) bool {
		for slot := r.First; slot < r.First+r.Count; slot++ {
			ids := j.v.IDs(slot)
			if r.Mask == 0 {
				list = append(list, ids...)
				continue
			}
			for m := r.Mask; m != 0; m &= m - 1 {
				list = append(list, ids[bits.TrailingZeros16(m)])
			}
		}
		return true
	})
	j.other = list
	if !slices.Equal(list, j.ids) {
		return fmt.Errorf("%d objects, not those of Append, %d, in their order", len(list), len(j.ids))
	}
	calls := 0
	f(j.v, j.flt.Filter, func(query.Range) bool { calls++; return false })
	if calls > 1 {
		return fmt.Errorf("%d calls after it was told to stop", calls-1)
	}
	return nil
}

// counters judges the counters of a query.
func (j *matrixJudge) counters(c query.Counters) error {
	j.x.mix(uint64(c.Nodes)<<40 ^ uint64(c.Packets)<<20 ^ uint64(c.Ranges))
	n := len(j.ids) + len(j.hits)
	s := j.v.Store()
	switch {
	case len(j.ids) == 0 && c.Ranges < len(j.hits), len(j.hits) > 0 && c.Ranges != len(j.hits),
		n > 0 && c.Ranges == 0, c.Tested > 16*c.Packets, c.Nodes > len(s.Nodes.Hot), c.Packets > 2*j.v.Slots():
		return fmt.Errorf("%+v for %d objects in %d nodes and %d slots", c, n, len(s.Nodes.Hot), j.v.Slots())
	}
	return nil
}

func (j *matrixJudge) trace(f func(linear.View, query.Filter, *query.Heat) query.Counters) error {
	if j.heat == nil || j.ofv != j.v {
		j.heat, j.ofv = query.NewHeat(j.v), j.v
		j.x.form("", "NewHeat", len(j.c.ids))
	}
	clear(j.heat.Nodes)
	clear(j.heat.Slots)
	c := f(j.v, j.flt.Filter, j.heat)
	if again := f(j.v, j.flt.Filter, nil); again != c {
		return fmt.Errorf("%+v with heat, %+v without", c, again)
	}
	if nodes, slots := sum(j.heat.Nodes), sum(j.heat.Slots); nodes != c.Nodes || slots != c.Packets {
		return fmt.Errorf("heat of %d nodes and %d packets for %+v", nodes, slots, c)
	}
	return j.counters(c)
}
