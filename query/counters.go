package query

import "github.com/zoctree/zoctree/linear"

// Counters tell what a query does. They are what its cost depends on, and a
// function of the tree and the query: equal on every CPU.
type Counters struct {
	// Nodes is the number of nodes whose eight children are looked at.
	Nodes int

	// Packets is the number of packet slots, empty ones among them, whose
	// boxes are tested one by one.
	Packets int

	// Lanes is the number of objects in these packets.
	Lanes int

	// Ranges is the number of parts of the answer.
	Ranges int
}

// Add adds up the counters of several queries.
func (c Counters) Add(d Counters) Counters {
	return Counters{c.Nodes + d.Nodes, c.Packets + d.Packets, c.Lanes + d.Lanes, c.Ranges + d.Ranges}
}

// explain runs the walk and counts.
func (w *walk) explain(f Filter) (c Counters) {
	w.collect(f)
	counts := w.store.Packets.Counts
	c.Nodes, c.Ranges = w.lists.Head+w.below, len(w.ranges)
	if w.swept {
		c.Packets, c.Lanes = len(counts), w.store.Live
	} else {
		c.Packets = len(w.lists.Packets)
		for _, slot := range w.lists.Packets {
			c.Lanes += int(counts[slot])
		}
	}
	w.release()
	return c
}

// Explain runs the query as [Frustum.Ranges] does and tells what it took. It
// does not allocate; nothing is stored in the tree.
func (f Frustum) Explain(v linear.View, flt Filter) Counters { return f.begin(v.Store()).explain(flt) }

// Explain runs the query as [Box.Ranges] does and tells what it took, as
// [Frustum.Explain].
func (b Box) Explain(v linear.View, flt Filter) Counters { return b.begin(v.Store()).explain(flt) }

// Explain runs the query as [Sphere.Ranges] does and tells what it took, as
// [Frustum.Explain].
func (b Sphere) Explain(v linear.View, flt Filter) Counters { return b.begin(v.Store()).explain(flt) }

// Explain runs the query as [Point.Ranges] does and tells what it took, as
// [Frustum.Explain].
func (p Point) Explain(v linear.View, flt Filter) Counters { return p.box.Explain(v, flt) }

// Explain runs the query as [Convex.Ranges] does and tells what it took, as
// [Frustum.Explain].
func (c Convex) Explain(v linear.View, flt Filter) Counters { return c.begin(v.Store()).explain(flt) }
