package query

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
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

// explain runs the walk and counts its work, also in h unless it is nil.
func (w *walk) explain(f *Filter, h *Heat) (c Counters) {
	h.fits(w.store)
	m := phase.Enter(phase.Nodes)
	w.gather(m, f)
	if w.size.On() {
		for _, r := range w.ranges { // ranges wholly inside are tested, too
			for slot := r.First; r.N&asm.RangeHit == 0 && slot < r.First+r.N; slot++ {
				c.visit(w.store, soa.PacketRef(slot), h)
			}
		}
	}
	m.Next(phase.Ranges)
	w.narrow(f)
	m.Leave()
	c.Ranges = len(w.ranges)
	for _, list := range [2][]uint32{w.lists.Queue[:w.lists.Head], w.below} {
		for _, node := range list {
			c.visit(w.store, soa.Ref(node), h)
		}
	}
	if w.scanned {
		for slot := range w.store.Packets.Counts {
			c.visit(w.store, soa.PacketRef(uint32(slot)), h)
		}
	} else {
		for _, slot := range w.lists.Packets {
			c.visit(w.store, soa.PacketRef(slot), h)
		}
	}
	w.release()
	return c
}

// Explain runs the query as [Frustum.Ranges] does and returns its work counters. It adds visits to
// heat unless that is nil. It does not allocate; nothing is stored in the tree. It panics if heat
// was made for a smaller tree.
func (f Frustum) Explain(v linear.View, flt Filter, heat *Heat) Counters {
	return f.begin(v.Store()).explain(flt.of(v), heat)
}

// Explain runs the query as [Box.Ranges] does and returns its work counters, as [Frustum.Explain].
func (b Box) Explain(v linear.View, flt Filter, heat *Heat) Counters {
	return b.begin(v.Store()).explain(flt.of(v), heat)
}

// Explain runs the query as [OrientedBox.Ranges] does and returns its work counters, as
// [Frustum.Explain]. Objects rejected by the planes around the box and objects rejected by the
// last test are not counted separately.
func (b OrientedBox) Explain(v linear.View, flt Filter, heat *Heat) Counters {
	return b.begin(v.Store()).explain(flt.of(v), heat)
}

// Explain runs the query as [Sphere.Ranges] does and returns its work counters, as
// [Frustum.Explain].
func (b Sphere) Explain(v linear.View, flt Filter, heat *Heat) Counters {
	return b.begin(v.Store()).explain(flt.of(v), heat)
}

// Explain runs the query as [Point.Ranges] does and returns its work counters, as
// [Frustum.Explain].
func (p Point) Explain(v linear.View, flt Filter, heat *Heat) Counters {
	return p.box.Explain(v, flt, heat)
}

// Explain runs the query as [Convex.Ranges] does and returns its work counters, as
// [Frustum.Explain].
func (c Convex) Explain(v linear.View, flt Filter, heat *Heat) Counters {
	return c.begin(v.Store()).explain(flt.of(v), heat)
}

// Explain runs the query as [Ray.Append] does and returns its work counters; Ranges is the number
// of hits. [Ray.First] does only a part of that work.
func (r Ray) Explain(v linear.View, flt Filter, heat *Heat) Counters {
	return r.sweep.explain(v, flt, heat)
}

// Explain runs the query as [SweptBox.Append] does, as [Ray.Explain].
func (s SweptBox) Explain(v linear.View, flt Filter, heat *Heat) Counters {
	return s.sweep.explain(v, flt, heat)
}

// Explain runs the query as [SweptSphere.Append] does, as [Ray.Explain].
func (s SweptSphere) Explain(v linear.View, flt Filter, heat *Heat) Counters {
	return s.sweep.explain(v, flt, heat)
}

func (s *sweep) explain(v linear.View, f Filter, h *Heat) (c Counters) {
	store := v.Store()
	h.fits(store)
	q := takeCast(s, store, f.of(v))
	q.collect(s, store, &f)
	l := &q.walk.Lists
	c.Ranges = len(q.marks)
	for _, node := range l.Queue[:l.Head] {
		c.visit(store, soa.Ref(soa.Ref(node).Index()), h) // the lists of a ray keep the flags
	}
	for _, slot := range l.Packets {
		c.visit(store, soa.PacketRef(slot), h)
	}
	q.release()
	return c
}

// ExplainNearest runs the query as [AppendNearest] does for any k and returns its work counters.
// It adds visits to heat unless that is nil. Ranges is the number of objects found. The errors are
// the same.
func ExplainNearest(v linear.View, point [3]float32, k int, maxDist float32, flt Filter, heat *Heat) (c Counters, err error) {
	s := v.Store()
	bound, err := reachOf(&point, k, maxDist, flt.of(v))
	if err != nil {
		return c, err
	}
	heat.fits(s)
	if k = min(k, s.Count); k == 0 {
		return c, nil
	}
	q := takeNearest()
	q.tracing, q.count, q.heat = true, Counters{}, heat
	q.search(s, &point, k, bound, &flt)
	c = q.count
	c.Ranges = len(q.keys)
	q.tracing, q.heat = false, nil
	q.release()
	return c, nil
}

// visit counts a node or a packet, also in h unless it is nil.
func (c *Counters) visit(s *soa.Store, ref soa.Ref, h *Heat) {
	at := ref.Index()
	if !ref.IsPacket() {
		c.Nodes++
		if h != nil {
			h.Nodes[at]++
		}
		return
	}
	c.Packets++
	c.Tested += int(s.Packets.Counts[at])
	if h != nil {
		h.Slots[at]++
	}
}
