package scene

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// Counters hold the work done by a query of a scene. They are a function of the scene and the
// query, the same on every CPU.
type Counters struct {
	// Counters are the sums over the queries of all trees, of objects and of instances. Ranges
	// counts ranges of objects. A part that is fully contained counts one range if the filter
	// keeps all, because its tree is not queried.
	query.Counters

	// Instances is the number of tested instances. Rejected ones have part bounds outside the
	// volume, Whole ones are fully contained, and Entered ones were queried; the rest are
	// instances in fully contained parts.
	Instances, Rejected, Whole, Entered int
}

// Add returns the sums of two sets of counters.
func (c Counters) Add(d Counters) Counters {
	return Counters{
		c.Counters.Add(d.Counters),
		c.Instances + d.Instances, c.Rejected + d.Rejected, c.Whole + d.Whole, c.Entered + d.Entered,
	}
}

// Heat counts the visits of queries to the nodes and packets of the scene and of each of its
// parts, numbered as by [linear.SceneView.Parts]. All instances of a part share one count. One
// goroutine at a time may use it.
type Heat struct {
	Objects   []*query.Heat // by part number: of its own objects
	Instances []*query.Heat // by part number: of its tree of instances
}

// NewHeat returns counts of zero for the scene of a view and its parts. They fit its other views
// until the scene changes.
func NewHeat(v linear.SceneView) *Heat {
	h := new(Heat)
	for _, part := range v.Parts() {
		h.Objects = append(h.Objects, query.NewHeat(part.Objects()))
		h.Instances = append(h.Instances, query.NewHeat(part.Instances()))
	}
	return h
}

// of returns the counts of the objects of a part.
func (h *Heat) of(part uint32) *query.Heat {
	if h == nil {
		return nil
	}
	h.has(h.Objects, part)
	return h.Objects[part]
}

// ofInstances returns the counts of the tree of instances of a part.
func (h *Heat) ofInstances(part uint32) *query.Heat {
	if h == nil {
		return nil
	}
	h.has(h.Instances, part)
	return h.Instances[part]
}

// has panics if a list lacks the counts of a part.
func (h *Heat) has(list []*query.Heat, part uint32) {
	if uint64(part) >= uint64(len(list)) {
		panic(fmt.Sprintf("scene: a Heat of %d parts for a scene with part %d: make one with NewHeat", len(list), part))
	}
}

// Explain runs a query as [Ranges] does and returns its work counters, also in heat unless that
// is nil. It does not allocate. It panics if heat was made for fewer parts.
func Explain[V query.Volume](volume V, v linear.SceneView, flt query.Filter, heat *Heat) Counters {
	w := begin(askExplain, &volume, v, &flt)
	w.heat = heat
	w.run(&flt)
	c := w.counters
	w.release()
	return c
}

// explain counts a query of the objects of a part.
func (w *volumeWalk) explain(l *level, q walk.Query, v linear.View) {
	h := w.heat.of(l.part)
	w.counters.Counters = w.counters.Counters.Add(query.Counters(q.Begin(v.Store()).Explain(&w.filter, (*walk.Heat)(h))))
}

// explainInstances counts a query of the instances of a part, which add no results.
func (w *volumeWalk) explainInstances(l *level, q walk.Query) {
	h := w.heat.ofInstances(l.part)
	counts := query.Counters(q.Begin(l.view.Instances().Store()).Explain(&w.gate, (*walk.Heat)(h)))
	counts.Ranges = 0
	w.counters.Counters = w.counters.Counters.Add(counts)
}

// ExplainSweep runs a query as [AppendHits] does and returns its work counters, as [Explain]
// does. Ranges is the number of hits before the tests of balls and bounds.
func ExplainSweep[S query.Sweep](sweep S, v linear.SceneView, flt query.Filter, heat *Heat) Counters {
	s := walk.Sweep(sweep)
	c := launch(wantCounted, &s, v, &flt)
	c.heat = heat
	c.run()
	counters := c.counters
	c.release()
	return counters
}

// explain counts a query of the objects of a part.
func (c *cast) explain(l *castLevel, v linear.View) {
	h := c.heat.of(l.number)
	c.counters.Counters = c.counters.Counters.Add(l.ray.Explain(v, c.filter, h))
}

// explainInstances counts a query of the instances of a part, which add no results.
func (c *cast) explainInstances(l *castLevel) {
	h := c.heat.ofInstances(l.number)
	counts := l.ray.Explain(l.view.Instances(), query.Filter{Mask: c.filter.Mask}, h)
	counts.Ranges = 0
	c.counters.Counters = c.counters.Counters.Add(counts)
}
