package walk

import (
	"math"
	"math/bits"
	"sync"

	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/soa"
)

// Cast is the work of one ray query, taken from a pool.
type Cast struct {
	walk     trace.RayWalk
	marks    []HitKey
	dist     float32 // Dist of the best hit so far, +Inf if there is none
	time     float32
	location soa.Location
	id       uint32  // read at once: the walk continues while the memory is loaded
	last     float32 // not before any time with that Dist

	ball       movingBall // the moving sphere, where one is tested
	kernelOnly bool       // boxes alone decide: kernels find the best hit
	bailout    bailout
	packetsHit int  // packets with lanes hit
	idle       int  // packets hit, or visits by kernels, without a better hit
	late       late // stack left for later
}

// late is the stack at the moment from which a walk skips objects that are not strictly nearer
// than the best. All ties with the best that were not visited before are below it.
type late struct {
	refs  []soa.Ref
	times []float32
	on    bool
}

var casts = sync.Pool{New: func() any { return new(Cast) }}

// takeCast returns a cast with the root and all pending packets to visit.
func takeCast(s *Sweep, store *soa.Store, f *Filter) *Cast {
	c := casts.Get().(*Cast)
	c.Begin(s, store, f)
	return c
}

// Release returns the cast to the pool.
func (c *Cast) Release() { casts.Put(c) }

// Begin prepares the walk of a sweep through a store.
func (c *Cast) Begin(s *Sweep, store *soa.Store, f *Filter) {
	w, r := &c.walk, &s.cast.Ray
	w.Ray = *r
	w.Filter = f.NodeFilter()
	c.dist, c.last = float32(math.Inf(1)), r.Max
	c.packetsHit, c.idle, c.late.on = 0, 0, false
	spherical := s.spherical || f.Exact && s.balls
	if spherical {
		c.ball = s.ball()
	}
	c.kernelOnly = !spherical && !s.entering && f.All()
	w.Time, w.Zero = float32(math.Inf(1)), float32(0x1p-150/s.cast.Back)
	c.bailout.begin(store)
	w.Refs, w.Times, c.marks = w.Refs[:0], w.Times[:0], c.marks[:0]
	if r.InvNear[0] == 0 {
		return // the zero value, made by no constructor
	}
	for _, slot := range store.Pending {
		w.Push(soa.PacketRef(slot))
	}
	if len(store.Nodes.Hot) > 0 {
		w.Push(0)
	}
}

// first returns the earliest hit, and of equal ones the one with the smallest ID.
func (c *Cast) first(s *Sweep, store *soa.Store, f *Filter) (best HitKey, ok bool) {
	if c.kernelOnly && c.stepKernel(s, store, f, c.bailout.rest()) {
		return c.settled(s, store, f) // the usual case
	}
	for len(c.walk.Refs) > 0 {
		c.step(s, store, f, c.bailout.rest())
	}
	return c.best(s, store, f)
}

// HitsAny reports whether a sweep that has begun hits an object.
func (c *Cast) HitsAny(s *Sweep, store *soa.Store, f *Filter) bool {
	w := &c.walk
	if c.kernelOnly {
		for w.Mask = 0; len(w.Refs) > 0 && w.Mask == 0; {
			visits := min(c.bailout.rest(), trace.RayVisits)
			w.Step(store.Nodes.Hot, store.Packets.Bounds, nil, visits)
			c.doubt(store, visits)
		}
		return w.Mask != 0
	}
	for len(w.Refs) > 0 && c.dist > math.MaxFloat32 {
		c.step(s, store, f, c.bailout.rest())
	}
	return c.dist <= math.MaxFloat32
}

// step continues the walk, by a number of visits at most or until it hits a packet whose lanes
// must be read. A walk without progress ends in a scan.
func (c *Cast) step(s *Sweep, store *soa.Store, f *Filter, visits int) {
	if c.kernelOnly {
		c.stepKernel(s, store, f, visits)
		return
	}
	w := &c.walk
	visits = min(visits, trace.RayVisits)
	if w.Step(store.Nodes.Hot, store.Packets.Bounds, store.Packets.IDs, visits); w.Mask != 0 {
		c.testPacket(s, store, f)
		visits = 1 // or more: the kernel does not return the number
	}
	c.doubt(store, visits)
}

// stepKernel is step for a walk whose kernels find the best hit. It reports whether the walk has ended.
func (c *Cast) stepKernel(s *Sweep, store *soa.Store, f *Filter, visits int) (ended bool) {
	w, p := &c.walk, &store.Packets
	visits = min(visits, kernelVisits)
	former := w.Time
	if w.First(store.Nodes.Hot, p.Bounds, p.IDs, visits); len(w.Refs) == 0 {
		return true
	}
	if c.idle += visits; w.Time != former {
		c.idle = 0
	}
	if c.idle >= kernelVisits && w.Time <= math.MaxFloat32 {
		c.handOver(s, store, f)
	}
	c.doubt(store, visits)
	return false
}

// doubt counts visits and begins a scan where they give no progress.
func (c *Cast) doubt(store *soa.Store, visits int) {
	if c.bailout.due(visits) && c.bailout.shouldScan(c.left(store)) {
		c.scan(store)
	}
}

// left returns the number of slots below the stack.
func (c *Cast) left(store *soa.Store) (n int) {
	w := &c.walk
	for i, ref := range w.Refs {
		if w.Times[i] <= w.Ray.Max {
			n += slotsBelow(store, ref)
		}
	}
	return n
}

// testPacket compares the lanes hit in the packet found by the walk with the best hit so far. The walk
// can skip objects that are entered so late that their Dist is larger.
func (c *Cast) testPacket(s *Sweep, store *soa.Store, f *Filter) {
	w, p := &c.walk, &store.Packets
	m := w.Mask
	if !f.All() {
		m = f.lanes(p, w.Slot, m)
	}
	c.packetsHit++
	former := c.dist
	for ; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) % soa.Lanes
		c.offer(s, p, f.Exact, w.Slot, l, w.Enter[l])
	}
	if c.dist < former {
		c.idle = 0
		c.lower()
		return
	}
	if c.idle++; c.idle == tiesPatience && c.dist <= math.MaxFloat32 {
		c.strict()
	}
	// A sphere of an object may be hit outside of its box, by rounding: then nodes cannot be culled.
	if s.spherical && cullDue(c.idle) && !(f.Exact && p.Bounded()) {
		c.cull(s, store)
	}
}

// offer makes the object in a lane the best hit if it is. The object passes the filter and its box
// is entered at time t.
func (c *Cast) offer(s *Sweep, p *soa.PacketColumns, exact bool, slot uint32, l int, t float32) {
	if t > c.last || c.dist == 0 && p.IDs[slot][l] >= c.id {
		return // the ID alone decides
	}
	if (s.spherical || s.entering || exact) && !c.refine(s, p, slot, l, exact, &t) {
		return
	}
	d := s.dist(t)
	if d > c.dist || d == c.dist && p.IDs[slot][l] > c.id {
		return
	}
	c.dist, c.time, c.location, c.id = d, t, soa.MakeLocation(slot, l), p.IDs[slot][l]
	c.last = min(c.last, s.last(t, d))
}

// lower makes the walk skip objects with a larger Dist than the best hit, or also those with the
// same.
func (c *Cast) lower() {
	w := &c.walk
	switch {
	case !c.late.on:
		w.Ray.Max = min(w.Ray.Max, c.last)
	case c.dist > 0:
		w.Ray.Max = min(w.Ray.Max, before(c.time))
	default:
		w.Refs, w.Times = w.Refs[:0], w.Times[:0]
	}
}

// strict leaves ties for later.
func (c *Cast) strict() {
	w, l := &c.walk, &c.late
	if l.on || len(w.Refs) == 0 {
		return
	}
	l.on = true
	l.refs, l.times = append(l.refs[:0], w.Refs...), append(l.times[:0], w.Times...)
	c.lower()
}

// scan replaces the stack by all slots, in ascending order.
func (c *Cast) scan(store *soa.Store) {
	w := &c.walk
	w.Refs, w.Times = w.Refs[:0], w.Times[:0]
	for slot := len(store.Packets.Counts) - 1; slot >= 0; slot-- {
		w.Push(soa.PacketRef(uint32(slot)))
	}
	c.bailout.off()
}

// best returns the best hit, once the walk has ended.
func (c *Cast) best(s *Sweep, store *soa.Store, f *Filter) (m HitKey, ok bool) {
	if c.kernelOnly {
		return c.settled(s, store, f)
	}
	if c.dist > math.MaxFloat32 {
		return m, false
	}
	if c.late.on {
		c.ties(s, store, f)
	}
	return markOf(c.dist, c.id, c.location, c.time), true
}

// kernelVisits is the number of visits of a walk by kernels that may give no better hit. Most walks
// are shorter.
const kernelVisits = 48

// settled is best for a walk whose kernels have compared times, not Dists.
func (c *Cast) settled(s *Sweep, store *soa.Store, f *Filter) (m HitKey, ok bool) {
	if c.walk.Time > math.MaxFloat32 {
		return m, false
	}
	if m, ok = c.settle(s, store); !ok {
		c.Begin(s, store, f)
		c.kernelOnly = false
		return c.first(s, store, f)
	}
	return m, true
}

// settle returns the best hit of the kernels, and false when other times have the same Dist and may have been skipped.
func (c *Cast) settle(s *Sweep, store *soa.Store) (m HitKey, ok bool) {
	w, p := &c.walk, &store.Packets
	t, location := w.Time, w.Location
	d := s.dist(t)
	if float64(d) >= s.cast.Most || t > 0 && d <= 0x1p-126 {
		return m, false
	}
	if t == 0 && w.Zero > 0 { // up to Zero all have the same Dist
		box := p.Box(location.Slot(), location.Lane())
		t = s.enter(&box)
	}
	return markOf(d, p.IDs[location.Slot()][location.Lane()], location, t), true
}

// handOver continues a walk by kernels that gave no better hit: packet by packet, and only to objects
// that are strictly nearer.
func (c *Cast) handOver(s *Sweep, store *soa.Store, f *Filter) {
	m, ok := c.settle(s, store)
	if !ok {
		c.Begin(s, store, f)
		c.kernelOnly = false
		return
	}
	c.kernelOnly = false
	c.dist, c.time, c.location, c.id = m.Dist(), m.time, m.location, m.ID()
	c.last = min(c.last, s.last(c.time, c.dist))
	c.strict()
}

// ties searches the stack left for later for a smaller ID.
func (c *Cast) ties(s *Sweep, store *soa.Store, f *Filter) {
	w, p, l := &c.walk, &store.Packets, &c.late
	l.on, c.idle = false, tiesPatience // do not leave ties again
	w.Ray.Max = c.last
	for i, ref := range l.refs {
		if l.times[i] <= w.Ray.Max {
			w.Push(ref)
		}
	}
	for w.Begin(); !w.Lists.Done(); {
		w.Nodes(store.Nodes.Hot)
	}
	for slot := range probes(w.Lists.Packets) {
		if !hasBelow(p, slot, c.id) {
			continue
		}
		w.Push(soa.PacketRef(slot))
		if w.Step(nil, p.Bounds, p.IDs, 1); w.Mask != 0 {
			c.testPacket(s, store, f)
		}
	}
}
