package walk

import (
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/soa"
)

// list leaves the locations that the kernels hit in c.walk.Locations, in the order of the
// breadth-first walk and of lanes: the same order on every CPU.
func (c *Cast) list(store *soa.Store) {
	w, p := &c.walk, &store.Packets
	w.Begin()
	l := &w.Lists
	slots := len(p.Counts)
	l.Budget = NodesBeforeDoubt(slots)
	for !l.Done() && l.Budget >= 0 {
		w.Nodes(store.Nodes.Hot)
		doubtNodes(l, store, 0)
	}
	if l.Budget < 0 {
		l.Packets = allSlots(l.Packets[:0], store)
	}
	w.Hits(p.Bounds, p.IDs, l.Packets)
}

// passes refines the time of a listed location and reports whether it is a hit.
func (c *Cast) passes(s *Sweep, p *soa.PacketColumns, f *Filter, location soa.Location, t *float32) bool {
	slot, l := location.Slot(), location.Lane()
	return (f.All() || f.lanes(p, slot, 1<<l) != 0) && (!(s.spherical || s.entering || f.Exact) || c.refine(s, p, slot, l, f.Exact, t))
}

// collect leaves all hits, sorted, in c.marks.
func (c *Cast) collect(s *Sweep, store *soa.Store, f *Filter) {
	c.list(store)
	w, p := &c.walk, &store.Packets
	for i, location := range w.Locations {
		t := w.At[i]
		if !c.kernelOnly && !c.passes(s, p, f, location, &t) {
			continue
		}
		c.marks = append(c.marks, markOf(s.dist(t), p.IDs[location.Slot()][location.Lane()], location, t))
	}
	sortMarks(c.marks)
}

// appendIDs appends the IDs of all hits.
func (c *Cast) appendIDs(dst []uint32, s *Sweep, store *soa.Store, f *Filter) []uint32 {
	c.list(store)
	w, p := &c.walk, &store.Packets
	dst = slices.Grow(dst, len(w.Locations))
	for i, location := range w.Locations {
		if c.kernelOnly || c.passes(s, p, f, location, &w.At[i]) {
			dst = append(dst, p.IDs[location.Slot()][location.Lane()])
		}
	}
	return dst
}

// count returns the number of hits.
func (c *Cast) count(s *Sweep, store *soa.Store, f *Filter) (n int) {
	c.list(store)
	w := &c.walk
	if c.kernelOnly {
		return len(w.Locations)
	}
	for i, location := range w.Locations {
		if c.passes(s, &store.Packets, f, location, &w.At[i]) {
			n++
		}
	}
	return n
}

// Reached writes the objects that the sweep reaches in the next packet with such objects to marks, which is empty: at
// most [soa.Lanes], in the order of Dist and ID. The result is empty at the end of the walk.
func (c *Cast) Reached(marks []HitKey, s *Sweep, store *soa.Store, f *Filter) []HitKey {
	w, p := &c.walk, &store.Packets
	for len(w.Refs) > 0 && len(marks) == 0 {
		w.Step(store.Nodes.Hot, p.Bounds, p.IDs, trace.RayVisits)
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) % soa.Lanes
			location, t := soa.MakeLocation(w.Slot, l), w.Enter[l]
			if c.kernelOnly || c.passes(s, p, f, location, &t) {
				marks = append(marks, markOf(s.dist(t), p.IDs[w.Slot][l], location, t))
			}
		}
	}
	if len(marks) > 1 {
		sortMarks(marks)
	}
	return marks
}

// Shorten makes a walk by [Cast.Reached] skip objects with a Dist above d.
func (c *Cast) Shorten(s *Sweep, d float32) {
	c.last = min(c.last, s.until(d))
	c.walk.Ray.Max = min(c.walk.Ray.Max, c.last)
}

// firstFunc returns the best hit by the test of the caller. test is called once for each object,
// packet by packet in the order of the walk, in a packet from the earliest on, and only for
// objects that are entered no later than the best hit so far. fresh panics if the tree has changed
// meanwhile.
func (c *Cast) firstFunc(s *Sweep, store *soa.Store, f *Filter, test func(id uint32, tEnter float32) (t float32, hit bool), fresh func()) (id uint32, dist float32, ok bool) {
	dist = float32(s.cast.Most)
	for c.marks = c.Reached(c.marks[:0], s, store, f); len(c.marks) > 0; c.marks = c.Reached(c.marks[:0], s, store, f) {
		for _, m := range c.marks {
			if m.Dist() > dist {
				break
			}
			t, hit := test(m.ID(), m.Dist())
			fresh()
			t = max(t, m.Dist()) // NaN if t is
			if !hit || !(t <= dist) || ok && t == dist && m.ID() > id {
				continue
			}
			id, dist, ok = m.ID(), t+0, true // -0 becomes 0
			c.Shorten(s, t)
		}
	}
	if !ok {
		return 0, 0, false
	}
	return id, dist, true
}
