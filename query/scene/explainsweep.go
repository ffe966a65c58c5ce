package scene

import (
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/walk"
)

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
