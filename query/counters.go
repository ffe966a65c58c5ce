package query

import (
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// Counters are the work counters of a query, from Explain. The cost of a query depends on them.
// They are a function of the tree and the query: equal on every CPU.
type Counters struct {
	// Nodes is the number of nodes whose children are tested.
	Nodes int

	// Packets is the number of packet slots, including empty ones, whose boxes are tested one by one.
	// A search that falls back to a scan tests some twice.
	Packets int

	// Tested is the number of objects in these packets.
	Tested int

	// Ranges is the number of ranges of the answer.
	Ranges int
}

// Add returns the sum of two sets of counters.
func (c Counters) Add(d Counters) Counters {
	return Counters{c.Nodes + d.Nodes, c.Packets + d.Packets, c.Tested + d.Tested, c.Ranges + d.Ranges}
}

// Explain runs the query as [Frustum.Ranges] does and returns its work counters. It adds visits to
// heat unless that is nil. It does not allocate; nothing is stored in the tree. It panics if heat
// was made for a smaller tree.
func (f Frustum) Explain(v linear.View, flt Filter, heat *Heat) Counters {
	return explain((*walk.Frustum)(&f).Begin(v.Store()), v, flt, heat)
}

// Explain runs the query as [Box.Ranges] does and returns its work counters, as [Frustum.Explain].
func (b Box) Explain(v linear.View, flt Filter, heat *Heat) Counters {
	return explain((*walk.Box)(&b).Begin(v.Store()), v, flt, heat)
}

// Explain runs the query as [OrientedBox.Ranges] does and returns its work counters, as
// [Frustum.Explain]. Objects rejected by the planes around the box and objects rejected by the
// last test are not counted separately.
func (b OrientedBox) Explain(v linear.View, flt Filter, heat *Heat) Counters {
	return explain((*walk.Oriented)(&b).Begin(v.Store()), v, flt, heat)
}

// Explain runs the query as [Sphere.Ranges] does and returns its work counters, as
// [Frustum.Explain].
func (b Sphere) Explain(v linear.View, flt Filter, heat *Heat) Counters {
	return explain((*walk.Sphere)(&b).Begin(v.Store()), v, flt, heat)
}

// Explain runs the query as [Point.Ranges] does and returns its work counters, as
// [Frustum.Explain].
func (p Point) Explain(v linear.View, flt Filter, heat *Heat) Counters {
	return p.asBox().Explain(v, flt, heat)
}

// Explain runs the query as [Convex.Ranges] does and returns its work counters, as
// [Frustum.Explain].
func (c Convex) Explain(v linear.View, flt Filter, heat *Heat) Counters {
	return explain((*walk.Convex)(&c).Begin(v.Store()), v, flt, heat)
}

// Explain runs the query as [Ray.Append] does and returns its work counters; Ranges is the number
// of hits. [Ray.First] does only a part of that work.
func (r *Ray) Explain(v linear.View, flt Filter, heat *Heat) Counters {
	return explainHits((*walk.Sweep)(r), v, flt, heat)
}

// Explain runs the query as [SweptBox.Append] does, as [Ray.Explain].
func (s *SweptBox) Explain(v linear.View, flt Filter, heat *Heat) Counters {
	return explainHits((*walk.Sweep)(s), v, flt, heat)
}

// Explain runs the query as [SweptSphere.Append] does, as [Ray.Explain].
func (s *SweptSphere) Explain(v linear.View, flt Filter, heat *Heat) Counters {
	return explainHits((*walk.Sweep)(s), v, flt, heat)
}

// ExplainNearest runs the query as [AppendNearest] does for any k and returns its work counters.
// It adds visits to heat unless that is nil. Ranges is the number of objects found. The errors are
// the same.
func ExplainNearest(v linear.View, point [3]float32, k int, maxDist float32, flt Filter, heat *Heat) (c Counters, err error) {
	v.Store() // panics if the view is stale
	bound, err := reachOf(&point, k, maxDist, &flt)
	if err != nil {
		return c, err
	}
	var keep walk.Filter
	s := v.Store()
	flt.prepare(&keep)
	flt.resolve(v, &keep)
	q := walk.TakeNearest()
	c = Counters(q.Explain(s, &point, k, bound, &keep, (*walk.Heat)(heat)))
	q.Release()
	return c, nil
}

// explain runs a walk that has begun, and returns its work counters.
func explain(w *walk.Walk, v linear.View, flt Filter, heat *Heat) Counters {
	var keep walk.Filter
	flt.prepare(&keep)
	flt.resolve(v, &keep)
	return Counters(w.Explain(&keep, (*walk.Heat)(heat)))
}

func explainHits(s *walk.Sweep, v linear.View, flt Filter, heat *Heat) Counters {
	var keep walk.Filter
	store := v.Store()
	flt.prepare(&keep)
	flt.resolve(v, &keep)
	return Counters(s.Explain(store, &keep, (*walk.Heat)(heat)))
}
