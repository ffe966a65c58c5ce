package show

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Trace is the record of one query: its results, its counters and the nodes that it visited. A
// [Scene] draws it. Make one with [TraceQuery] or [TraceNearest]. It holds for the view of the
// query, until the tree changes. The fields may be changed before it is drawn.
type Trace struct {
	Name     string        // name of the query in a picture: "camera", "box"
	Hits     []uint32      // IDs of the results
	Whole    []linear.AABB // boxes of subtrees that the volume contains as a whole
	Counters query.Counters
	Heat     *query.Heat // visits to nodes and packets

	// Origin is drawn as a dot: the start of a ray or a swept shape, or the point of a search.
	// Set it to the position of the camera for a frustum. Nil draws none.
	Origin *[3]float64

	culled  bitset.Set      // IDs that the filter removed after the box test
	slots   bitset.Set      // slots of the packets of Whole
	border  border          // of the volume
	isRay   bool            // the border is a line
	wrong   map[uint32]bool // IDs in which the result differs from the expected one
	wholeID int             // number of objects in Whole
}

// Against makes the picture show the objects in which the result differs from the expected one,
// want. An ID in either list counts once.
func (t *Trace) Against(want []int) {
	t.wrong = map[uint32]bool{}
	for _, id := range t.Hits {
		t.wrong[id] = true
	}
	for _, i := range want {
		if id := uint32(i); t.wrong[id] {
			delete(t.wrong, id)
		} else {
			t.wrong[id] = true
		}
	}
}

// TraceQuery runs a volume query, a ray cast or a shape cast, and records its results and its
// visits. A picture shows the cut of the volume, or of the space that a shape sweeps, at its
// height, and a ray from above.
//
// The query runs several times, and the trace takes memory in proportion to the tree. The error is
// that of an invalid filter. Goroutines may share the view.
func TraceQuery[Q query.Volume | query.Sweep](q Q, v linear.View, flt query.Filter) (*Trace, error) {
	if err := flt.Check(); err != nil {
		return nil, err
	}
	t := &Trace{Heat: query.NewHeat(v)}
	t.setShape(&q)
	switch q := any(&q).(type) {
	case volume:
		t.runVolume(q, v, flt)
	case sweep:
		t.runSweep(q, v, flt)
	}
	return t, nil
}

// volume is a volume query.
type volume interface {
	Count(v linear.View, flt query.Filter) int
	Append(dst []uint32, v linear.View, flt query.Filter) []uint32
	Ranges(v linear.View, flt query.Filter, yield func(query.Range) bool)
	Explain(v linear.View, flt query.Filter, h *query.Heat) query.Counters
}

func (t *Trace) runVolume(q volume, v linear.View, flt query.Filter) {
	t.Hits = q.Append(make([]uint32, 0, q.Count(v, flt)), v, flt)
	t.Counters = q.Explain(v, flt, t.Heat)
	if !plain(flt) {
		t.without(q.Append(nil, v, query.Filter{}))
	}
	q.Ranges(v, flt, func(r query.Range) bool {
		if r.Mask != 0 {
			return true
		}
		all := soa.Empty()
		for slot := r.First; slot < r.First+r.Count; slot++ {
			t.slots.Add(slot)
			for lane := range v.IDs(slot) {
				all = all.Union(v.Box(slot, lane))
				t.wholeID++
			}
		}
		if all.Min[0] <= all.Max[0] {
			t.Whole = append(t.Whole, all)
		}
		return true
	})
}

// sweep is a ray cast or a shape cast.
type sweep interface {
	Append(dst []query.Hit, v linear.View, flt query.Filter) []query.Hit
	AppendIDs(dst []uint32, v linear.View, flt query.Filter) []uint32
	Explain(v linear.View, flt query.Filter, h *query.Heat) query.Counters
}

func (t *Trace) runSweep(q sweep, v linear.View, flt query.Filter) {
	t.Counters = q.Explain(v, flt, t.Heat)
	for _, h := range q.Append(nil, v, flt) {
		t.Hits = append(t.Hits, h.ID)
	}
	if !plain(flt) {
		t.without(q.AppendIDs(nil, v, query.Filter{}))
	}
}

// TraceNearest runs a k-nearest-neighbour query, as [query.AppendNearest] does without a limit of
// the distance, and records its results and its visits. A picture shows the ball that reaches the
// farthest neighbour. The errors are those of [query.AppendNearest]. Goroutines may share the view.
func TraceNearest(v linear.View, point [3]float32, k int, flt query.Filter) (*Trace, error) {
	near, err := query.AppendNearest(nil, v, point, k, query.Unlimited, flt)
	if err != nil {
		return nil, err
	}
	t := &Trace{Name: fmt.Sprintf("nearest %d", k), Heat: query.NewHeat(v)}
	if t.Counters, err = query.ExplainNearest(v, point, k, query.Unlimited, flt, t.Heat); err != nil {
		return nil, err
	}
	radius := 0.0
	for _, n := range near {
		t.Hits = append(t.Hits, n.ID)
		radius = float64(n.Dist())
	}
	if math.IsInf(radius, 0) { // squares beyond float32 have no order
		radius = 0
		for _, n := range near {
			o, _ := v.Object(n.ID)
			radius = max(radius, distanceTo(&o.Box, point))
		}
	}
	t.Origin = &[3]float64{float64(point[0]), float64(point[1]), float64(point[2])}
	t.border = ball(*t.Origin, radius)
	return t, nil
}

// distanceTo returns the distance of a box from a point.
func distanceTo(b *linear.AABB, point [3]float32) float64 {
	sum := 0.0
	for a, x := range point {
		d := max(float64(b.Min[a])-float64(x), float64(x)-float64(b.Max[a]), 0)
		sum += float64(d * d)
	}
	return math.Sqrt(sum)
}

// without records the IDs that the filter removed from the result of the box test.
func (t *Trace) without(all []uint32) {
	if len(all) == len(t.Hits) {
		return
	}
	t.culled = setOf(all)
	for _, id := range t.Hits {
		t.culled.Remove(id)
	}
}

// plain reports whether a filter is zero, so that no field restricts the result.
func plain(flt query.Filter) bool { return reflect.ValueOf(flt).IsZero() }

// setOf returns the set of some IDs.
func setOf(ids []uint32) (set bitset.Set) {
	if len(ids) > 0 {
		set = bitset.Of(make([]uint64, int(slices.Max(ids)>>6)+1))
	}
	for _, id := range ids {
		set.Add(id)
	}
	return set
}
