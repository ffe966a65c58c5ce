package scene

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// Counters tell what a query of a scene does. They are a function of the scene and the
// query: equal on every CPU.
type Counters struct {
	// Counters are those of the queries of all trees, of objects and of places, added up.
	// Ranges counts those of objects; of a part that is wholly inside, if the filter keeps all,
	// one, for it is not asked.
	query.Counters

	// Instances is the number of places that were looked at. Of these, Rejected had nothing of
	// the volume in the bounds of their parts, Whole were wholly inside, Entered were asked;
	// the rest are places in parts that were wholly inside.
	Instances, Rejected, Whole, Entered int
}

// Add adds up the counters of several queries.
func (c Counters) Add(d Counters) Counters {
	return Counters{
		c.Counters.Add(d.Counters),
		c.Instances + d.Instances, c.Rejected + d.Rejected, c.Whole + d.Whole, c.Entered + d.Entered,
	}
}

// Heat counts how often queries visit the nodes and packets of the scene and of each of
// its parts, which are numbered as [linear.SceneView.Parts] does; a part in many places
// has one count for all of them. It is of one goroutine at a time.
type Heat struct {
	Objects   []*query.Heat // by number of the part: of its own objects
	Instances []*query.Heat // of its tree of places
}

// NewHeat returns counts of zero for the scene of a view and its parts. They fit its
// other views until the scene changes.
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

// ofPlaces returns the counts of the tree of places of a part.
func (h *Heat) ofPlaces(part uint32) *query.Heat {
	if h == nil {
		return nil
	}
	h.has(h.Instances, part)
	return h.Instances[part]
}

// has panics unless a list has the counts of a part.
func (h *Heat) has(list []*query.Heat, part uint32) {
	if uint64(part) >= uint64(len(list)) {
		panic(fmt.Sprintf("scene: a Heat of %d parts for a scene with part %d: make one with NewHeat", len(list), part))
	}
}

// Explain runs a query as [Ranges] does and tells what it took, also in heat, unless that
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
func (w *walk) explain(l *level, q flat, v linear.View) {
	h := w.heat.of(l.part)
	w.counters.Counters = w.counters.Counters.Add(q.Explain(v, w.filter, h))
}

// explainPlaces counts a query of the places of a part, which are no part of the answer.
func (w *walk) explainPlaces(l *level, q flat) {
	h := w.heat.ofPlaces(l.part)
	told := q.Explain(l.view.Instances(), w.gate, h)
	told.Ranges = 0
	w.counters.Counters = w.counters.Counters.Add(told)
}
