package walk

import (
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/soa"
)

// Any reports whether there is a hit. It stops at the first hit found.
func (s *Sweep) Any(store *soa.Store, f *Filter) bool {
	label := phase.Enter(phase.Ray)
	c := takeCast(s, store, f)
	ok := c.HitsAny(s, store, f)
	c.Release()
	label.Leave()
	return ok
}

// First writes the first hit to h, which is zero, and reports whether there is one.
func (s *Sweep) First(h *Hit, store *soa.Store, f *Filter) bool {
	label := phase.Enter(phase.Ray)
	c := casts.Get().(*Cast)
	m, ok := c.Next(s, store, f)
	c.Release()
	if ok {
		s.Hit(h, m, &store.Packets, f.Exact)
	}
	label.Leave()
	return ok
}

// FirstID returns the ID and the Dist of the first hit.
func (s *Sweep) FirstID(store *soa.Store, f *Filter) (id uint32, dist float32, ok bool) {
	label := phase.Enter(phase.Ray)
	c := takeCast(s, store, f)
	m, ok := c.first(s, store, f)
	c.Release()
	label.Leave()
	return m.ID(), m.Dist(), ok
}

// FirstFunc returns the first hit with the shapes that the caller tests. It calls fresh after each test. If test panics
// the cast is not returned to the pool, which makes another one.
func (s *Sweep) FirstFunc(store *soa.Store, f *Filter, test func(id uint32, tEnter float32) (t float32, hit bool), fresh func()) (id uint32, dist float32, ok bool) {
	defer phase.Enter(phase.Ray).Leave()
	c := takeCast(s, store, f)
	id, dist, ok = c.firstFunc(s, store, f, test, fresh)
	c.Release()
	return id, dist, ok
}

// AppendIDs appends the IDs of all hits to dst, in the order of the walk.
func (s *Sweep) AppendIDs(dst []uint32, store *soa.Store, f *Filter) []uint32 {
	label := phase.Enter(phase.Ray)
	c := takeCast(s, store, f)
	dst = c.appendIDs(dst, s, store, f)
	c.Release()
	label.Leave()
	return dst
}

// Count returns the number of hits.
func (s *Sweep) Count(store *soa.Store, f *Filter) int {
	label := phase.Enter(phase.Ray)
	c := takeCast(s, store, f)
	n := c.count(s, store, f)
	c.Release()
	label.Leave()
	return n
}

// HitAt returns the hit with the object in a lane as the query itself computes it, but with the given Dist.
func (s *Sweep) HitAt(packets *soa.PacketColumns, slot uint32, lane int, dist float32, exact bool) (h Hit) {
	box := packets.Box(slot, lane)
	m := markOf(dist, packets.IDs[slot][lane], soa.MakeLocation(slot, lane), s.enter(&box))
	s.Hit(&h, m, packets, exact)
	return h
}

// SpareCast returns a cast from a pool, for calls of Next and All.
func SpareCast() *Cast { return casts.Get().(*Cast) }

// Next returns the first hit of a sweep.
func (c *Cast) Next(s *Sweep, store *soa.Store, f *Filter) (m HitKey, ok bool) {
	c.Begin(s, store, f)
	return c.first(s, store, f)
}

// All returns all hits of a sweep, in order. They are valid until the next call.
func (c *Cast) All(s *Sweep, store *soa.Store, f *Filter) []HitKey {
	c.Begin(s, store, f)
	c.collect(s, store, f)
	return c.marks
}
