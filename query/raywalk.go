package query

import (
	"math"
	"math/bits"
	"sync"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

// cast is the work of one ray query, taken from a pool.
type cast struct {
	walk  asm.RayWalk
	marks []mark
	dist  float32 // of the best hit so far, +Inf if there is none
	time  float32
	place uint32
}

var casts = sync.Pool{New: func() any { return new(cast) }}

// takeCast returns a cast with the root and all loose packets to visit.
func takeCast(s *sweep, store *soa.Store, f Filter) *cast {
	c := casts.Get().(*cast)
	c.begin(&s.ray, store, f)
	return c
}

func (c *cast) release() { casts.Put(c) }

func (c *cast) begin(r *asm.Ray, store *soa.Store, f Filter) {
	w := &c.walk
	w.Ray, w.Sift = *r, f.sift()
	c.dist = float32(math.Inf(1))
	w.Refs, w.Times, c.marks = w.Refs[:0], w.Times[:0], c.marks[:0]
	if r.InvNear[0] == 0 {
		return // a zero value, made by no constructor
	}
	for _, slot := range store.Loose {
		w.Push(asm.RefPacket | slot)
	}
	if len(store.Nodes.Hot) > 0 {
		w.Push(0)
	}
}

// first returns the earliest hit, of equal ones that of the smallest ID, or
// just any hit.
func (c *cast) first(s *sweep, store *soa.Store, f Filter, any bool) (best mark, ok bool) {
	for c.walk.Next(store.Nodes.Hot, store.Packets.Bounds) {
		c.meet(s, store, f)
		if any && c.dist <= math.MaxFloat32 {
			break
		}
	}
	return c.best(store)
}

// meet compares the lanes hit in the packet that the walk has found with the
// best hit so far. What begins so late that its Dist is larger need not be walked to.
func (c *cast) meet(s *sweep, store *soa.Store, f Filter) {
	w, p := &c.walk, &store.Packets
	m := w.Mask
	if !f.all() {
		m = f.lanes(p, w.Slot, m)
	}
	for ; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) % asm.Lanes
		t := w.Enter[l]
		if t > w.Ray.Max || (s.round || f.Exact) && !s.meets(p, w.Slot, l, f.Exact, &t) {
			continue
		}
		d, place := s.dist(t), w.Slot*asm.Lanes+uint32(l)
		if d > c.dist || d == c.dist && idAt(p, place) > idAt(p, c.place) {
			continue
		}
		c.dist, c.time, c.place = d, t, place
		w.Ray.Max = min(w.Ray.Max, s.last(t, d))
	}
}

// best returns the best hit so far.
func (c *cast) best(store *soa.Store) (m mark, ok bool) {
	if c.dist > math.MaxFloat32 {
		return m, false
	}
	return markOf(c.dist, idAt(&store.Packets, c.place), c.place, c.time), true
}

func idAt(p *soa.PacketColumns, place uint32) uint32 { return p.IDs[place/asm.Lanes][place%asm.Lanes] }

// collect leaves all hits, sorted, in c.marks.
func (c *cast) collect(s *sweep, store *soa.Store, f Filter) {
	w, p := &c.walk, &store.Packets
	w.All(store.Nodes.Hot, p.Bounds, p.IDs)
	for i, place := range w.Places {
		slot, l, t := place/asm.Lanes, place%asm.Lanes, w.At[i]
		if !f.all() && f.lanes(p, slot, 1<<l) == 0 || (s.round || f.Exact) && !s.meets(p, slot, int(l), f.Exact, &t) {
			continue
		}
		c.marks = append(c.marks, markOf(s.dist(t), p.IDs[slot][l], place, t))
	}
	sortMarks(c.marks)
}
