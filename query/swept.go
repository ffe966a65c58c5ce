package query

import (
	"iter"
	"math"
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// sweep is a box, a sphere or a point on its way along a vector: what
// [Ray], [SweptBox] and [SweptSphere] have in common.
type sweep struct {
	ray    asm.Ray
	lo     [3]float32 // the moving box at the start
	hi     [3]float32
	dir    [3]float32
	back   float64    // times of the kernels times back are those of dir
	most   float64    // what Dist does not exceed
	center [3]float32 // of a sphere in the box, and of a ray: a sphere of radius 0
	radius float32
	end    float64 // the last time of the sphere, of the kernels
	round  bool    // it is the sphere that moves, not the box
	balls  bool    // there is a sphere: bounds of objects can be tested
}

// set makes s the motion of a box. Queries are made in place: copies of what has
// just been written wait for it.
func (s *sweep) set(lo, hi, dir *[3]float32, maxT float32) {
	exp := s.ray.Set(lo, hi, dir, maxT)
	for a := range 3 {
		s.lo[a], s.hi[a], s.dir[a] = lo[a], hi[a], dir[a]
	}
	s.back = math.Ldexp(1, -exp)
	s.most = math.MaxFloat32
	if maxT <= math.MaxFloat32 {
		s.most = float64(maxT)
	}
}

// dist returns the Dist of a time of the kernels. It does not fall as the time
// grows, but at the ends of float32, and where the query ends, one Dist is that of
// many times.
func (s *sweep) dist(t float32) float32 {
	d := float64(t) * s.back
	if d > s.most {
		d = s.most
	}
	return float32(d)
}

// last returns a time of the kernels that no time with the Dist d exceeds; t is one
// of these.
func (s *sweep) last(t, d float32) float32 {
	if d > 0x1p-126 && float64(d) < s.most {
		return t // d is t in another unit, exactly
	}
	return s.until(d)
}

// until returns a time of the kernels that no time of a smaller Dist than d, or of
// that one, exceeds.
func (s *sweep) until(d float32) float32 {
	if float64(d) >= s.most {
		return float32(math.Inf(1))
	}
	// What is rounded to d lies within half a step of the denormals.
	x := (float64(d) + 0x1p-150) / s.back
	last := float32(x)
	if float64(last) < x {
		last = math.Nextafter32(last, float32(math.Inf(1)))
	}
	return last
}

// enter returns the time of entry into a box that is met.
func (s *sweep) enter(box *soa.AABB) (t float32) {
	for a, near := range box.Min {
		if s.ray.Off[a]&64 != 0 {
			near = box.Max[a]
		}
		if e := (near - s.ray.Near[a]) * s.ray.InvNear[a]; e > t {
			t = e
		}
	}
	return t
}

// hit completes a mark. Like a query, a hit is made in place.
func (s *sweep) hit(h *Hit, m hitKey, p *soa.PacketColumns, exact bool) {
	if exact && s.balls && p.Bounded() && s.hitBound(h, m, p) {
		return
	}
	if s.round {
		b, ball := m.box(p), s.ball()
		*h = ball.hit(m, &b)
		return
	}
	b, l := &p.Bounds[m.place.Slot()], m.place.Lane()
	t, d := m.time, m.dist()
	h.ID, h.Dist = m.id(), d
	open := t > 0 // the face of entry is still to be found
	for a := range 3 {
		lo, hi := b[2*a][l], b[2*a+1][l]
		near, normal := lo, float32(-1)
		if s.dir[a] < 0 {
			near, normal = hi, 1
		}
		if open && (near-s.ray.Near[a])*s.ray.InvNear[a] == t {
			h.Pos[a], h.Normal[a], open = near, normal, false
			continue
		}
		// The middle of what the boxes have in common.
		way := float32(d * s.dir[a])
		h.Pos[a] = clamp(float32(clamp(s.lo[a]+way, lo, hi)*0.5)+float32(clamp(s.hi[a]+way, lo, hi)*0.5), lo, hi)
		h.Normal[a] = 0
	}
}

// clamp returns x moved into lo to hi.
func clamp(x, lo, hi float32) float32 {
	if x < lo {
		return lo
	}
	if x > hi {
		return hi
	}
	return x
}

// nearest returns the first hit.
func (s *sweep) nearest(v linear.View, f Filter) (h Hit, ok bool) {
	store := v.Store()
	label := phase.Enter(phase.Ray)
	c := takeCast(s, store, &f)
	m, ok := c.first(s, store, &f)
	c.release()
	if ok {
		s.hit(&h, m, &store.Packets, f.Exact)
	}
	label.Leave()
	return h, ok
}

func (s *sweep) any(v linear.View, f Filter) bool {
	store := v.Store()
	label := phase.Enter(phase.Ray)
	c := takeCast(s, store, &f)
	ok := c.any(s, store, &f)
	c.release()
	label.Leave()
	return ok
}

// first is nearest without what makes a hit complete.
func (s *sweep) first(v linear.View, f Filter) (id uint32, dist float32, ok bool) {
	store := v.Store()
	label := phase.Enter(phase.Ray)
	c := takeCast(s, store, &f)
	m, ok := c.first(s, store, &f)
	c.release()
	label.Leave()
	return m.id(), m.dist(), ok
}

// firstFunc is first by the judgement of the caller. If that panics the cast is lost
// to the pool, which makes another one.
func (s *sweep) firstFunc(v linear.View, f Filter, judge func(id uint32, enter float32) float32) (id uint32, dist float32, ok bool) {
	store := v.Store()
	defer phase.Enter(phase.Ray).Leave()
	c := takeCast(s, store, &f)
	id, dist, ok = c.judged(s, store, &f, judge, func() { v.Store() })
	c.release()
	return id, dist, ok
}

func (s *sweep) appendIDs(dst []uint32, v linear.View, f Filter) []uint32 {
	store := v.Store()
	label := phase.Enter(phase.Ray)
	c := takeCast(s, store, &f)
	dst = c.appendIDs(dst, s, store, &f)
	c.release()
	label.Leave()
	return dst
}

func (s *sweep) count(v linear.View, f Filter) int {
	store := v.Store()
	label := phase.Enter(phase.Ray)
	c := takeCast(s, store, &f)
	n := c.count(s, store, &f)
	c.release()
	label.Leave()
	return n
}

func (s *sweep) append(dst []Hit, v linear.View, f Filter) []Hit {
	store := v.Store()
	label := phase.Enter(phase.Ray)
	c := takeCast(s, store, &f)
	c.collect(s, store, &f)
	first := len(dst)
	dst = slices.Grow(dst, len(c.marks))[:first+len(c.marks)]
	for i, m := range c.marks {
		s.hit(&dst[first+i], m, &store.Packets, f.Exact)
	}
	c.release()
	label.Leave()
	return dst
}

// each yields the hits in order. The sort is done before the first is yielded,
// the hits are completed one by one.
func (s *sweep) each(v linear.View, f Filter, yield func(Hit) bool) {
	store := v.Store()
	label := phase.Enter(phase.Ray)
	c := takeCast(s, store, &f)
	c.collect(s, store, &f)
	label.Leave()
	for _, m := range c.marks {
		var h Hit
		s.hit(&h, m, &store.Packets, f.Exact)
		if !yield(h) {
			break
		}
		v.Store() // panics if the tree has changed
	}
	c.release()
}

// SweptBox is a box that moves along a vector, without turning, during the time
// 0 to 1. Make one with [NewSweptBox]. The zero value meets nothing.
//
// It meets the closed boxes that it overlaps or touches at some time; the hit's
// Dist is the first such time, in [0, 1]. The test is that of [Ray] with the
// faces of the moving box in place of the origin, so no sum of sizes is
// rounded: on an axis on which the motion d > 0 the times of entry and exit are
//
//	(min - Max) * (1/d)       (max - Min) * (1/d * (1 + 5*2^-23))
//
// with min, max of the object and Min, Max of the moving box at time 0. The
// bounds of [Ray] hold, for a maxDist of 1 and the faces of the moving box as
// origins: nothing is lost, and what is reported without being met is met when times
// of exit are longer by as much.
//
// A hit's Pos is the middle of what the two boxes have in common at the time
// Dist, in float32; on the axis of entry, the face of the object. Where Dist times
// the motion exceeds float32, Pos is the face of the object on that side. Its Normal is
// that of the face entered, the first of x, y, z if several are entered at
// once; zero if they overlap or touch at the start.
type SweptBox struct{ sweep sweep }

// NewSweptBox returns the motion of a box along a vector, which may be zero: a
// box at rest meets what it overlaps. NaN, infinity or an inverted box is an
// error. It may move beyond the largest float32: nothing is lost on the way.
func NewSweptBox(box soa.AABB, motion [3]float32) (b SweptBox, err error) {
	if err := box.Check(); err != nil {
		return SweptBox{}, fault.Errorf("query: swept %w", err)
	}
	if !allFinite(&motion) {
		return SweptBox{}, infinite("motion", motion)
	}
	b.sweep.set(&box.Min, &box.Max, &motion, 1)
	return b, nil
}

// First returns the first hit: the earliest, of equally early ones that of
// the smallest ID. ok is false when there is none. Cost: as [Ray.First]. It
// does not allocate.
func (b SweptBox) First(v linear.View, flt Filter) (h Hit, ok bool) {
	return b.sweep.nearest(v, flt)
}

// FirstID returns the ID and the Dist of what [SweptBox.First] hits, without its place and
// normal, which takes less time. ok is false when there is no
// hit. It does not allocate.
func (b SweptBox) FirstID(v linear.View, flt Filter) (id uint32, dist float32, ok bool) {
	return b.sweep.first(v, flt)
}

// FirstFunc returns the first hit by the judgement of the caller, who knows the shapes
// in the boxes: of all objects for which judge returns a Dist that counts, the one of
// the least, of equal ones that of the smallest ID.
//
// judge is given an ID and the Dist at which the moving box gets to its box, or with
// Filter.Exact to its sphere. What it returns counts if it is neither less than that
// nor more than the best Dist so far; anything else, NaN or -1 say, means that there
// is no hit. Each Dist that counts shortens the way that is left to look at.
// judge is called at most once for an object, never for one whose box begins beyond the
// best hit so far, and in an order that is a function of the tree and the query alone,
// roughly from the nearest on. It may ask other questions; if it changes the tree,
// FirstFunc panics when it returns. A panic of judge passes through.
//
// Cost: as [SweptBox.First] without the shapes' own, packet by packet. It does not
// allocate.
func (b SweptBox) FirstFunc(v linear.View, flt Filter, judge func(id uint32, enter float32) float32) (id uint32, dist float32, ok bool) {
	return b.sweep.firstFunc(v, flt, judge)
}

// AppendIDs appends the IDs of all hits to dst and returns it: those of [SweptBox.Append],
// not sorted, but in the order of the walk, which is a function of the tree and the
// query alone. Cost: proportional to the nodes and packets along the way. It allocates
// only when dst lacks room.
func (b SweptBox) AppendIDs(dst []uint32, v linear.View, flt Filter) []uint32 {
	return b.sweep.appendIDs(dst, v, flt)
}

// Count returns the number of hits, without reading IDs. It does not allocate.
func (b SweptBox) Count(v linear.View, flt Filter) int { return b.sweep.count(v, flt) }

// Append appends all hits to dst, by time, then ID, and returns it. It
// allocates only when dst lacks room.
func (b SweptBox) Append(dst []Hit, v linear.View, flt Filter) []Hit {
	return b.sweep.append(dst, v, flt)
}

// Any reports whether there is a hit. It stops when it has found one.
func (b SweptBox) Any(v linear.View, flt Filter) bool { return b.sweep.any(v, flt) }

// All returns an iterator over the hits in the order of [SweptBox.Append]. The
// walk is made when the iteration starts. Changing the tree during the
// iteration makes it panic.
func (b SweptBox) All(v linear.View, flt Filter) iter.Seq[Hit] {
	return func(yield func(Hit) bool) { b.sweep.each(v, flt, yield) }
}
