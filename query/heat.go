package query

import (
	"github.com/zoctree/zoctree/linear"
)

// Heat counts how often queries visit each node and each packet of a tree: a
// picture of where their work is. Make one with [NewHeat] and hand it to Trace
// of the queries, as often as wanted.
//
// The sums of both columns are those of the fields Nodes and Packets of what
// Trace returns. The indices are those of [linear.View.Store]. A Heat belongs to
// one goroutine at a time.
type Heat struct {
	Nodes []uint32 // visits by node
	Slots []uint32 // visits by packet slot
}

// NewHeat returns counts of zero for the tree of a view. They fit its other
// views until the tree changes.
func NewHeat(v linear.View) *Heat {
	s := v.Store()
	return &Heat{make([]uint32, len(s.Nodes.Hot)), make([]uint32, len(s.Packets.Counts))}
}

// Trace is [Frustum.Explain] and counts in h what it visits; a nil h is left
// out. It panics if h was made for a smaller tree.
func (f Frustum) Trace(v linear.View, flt Filter, h *Heat) Counters {
	return f.begin(v.Store()).explain(flt, h)
}

// Trace is [Box.Explain], with h as for [Frustum.Trace].
func (b Box) Trace(v linear.View, flt Filter, h *Heat) Counters {
	return b.begin(v.Store()).explain(flt, h)
}

// Trace is [Sphere.Explain], with h as for [Frustum.Trace].
func (b Sphere) Trace(v linear.View, flt Filter, h *Heat) Counters {
	return b.begin(v.Store()).explain(flt, h)
}

// Trace is [Point.Explain], with h as for [Frustum.Trace].
func (p Point) Trace(v linear.View, flt Filter, h *Heat) Counters { return p.box.Trace(v, flt, h) }

// Trace is [Convex.Explain], with h as for [Frustum.Trace].
func (c Convex) Trace(v linear.View, flt Filter, h *Heat) Counters {
	return c.begin(v.Store()).explain(flt, h)
}

// Trace is [Ray.Explain], with h as for [Frustum.Trace].
func (r Ray) Trace(v linear.View, flt Filter, h *Heat) Counters { return r.sweep.explain(v, flt, h) }

// Trace is [SweptBox.Explain], with h as for [Frustum.Trace].
func (s SweptBox) Trace(v linear.View, flt Filter, h *Heat) Counters {
	return s.sweep.explain(v, flt, h)
}

// Trace is [SweptSphere.Explain], with h as for [Frustum.Trace].
func (s SweptSphere) Trace(v linear.View, flt Filter, h *Heat) Counters {
	return s.sweep.explain(v, flt, h)
}
