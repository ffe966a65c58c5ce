package query

import (
	"iter"
	"math"
	"slices"

	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// sweep is a box, a sphere or a point that moves along a vector: the common part of [Ray],
// [SweptBox] and [SweptSphere].
type sweep struct {
	ray    trace.Ray
	lo     [3]float32 // moving box at the start
	hi     [3]float32
	dir    [3]float32
	back   float64    // factor from times of the kernels to lengths of dir
	most   float64    // upper limit of Dist
	center [3]float32 // centre of a sphere in the box; of a ray, a sphere of radius 0
	radius float32
	end    float64 // last time of the sphere, in the kernels' unit
	round  bool    // the sphere moves, not the box
	balls  bool    // there is a sphere: bounds of objects can be tested
}

// set sets s to the motion of a box. Queries are built in location: copying values that have just
// been written would stall on store forwarding.
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

// dist returns the Dist of a time of the kernels. It does not fall as the time grows. At the ends
// of float32, and where the query ends, many times share one Dist.
func (s *sweep) dist(t float32) float32 {
	d := float64(t) * s.back
	if d > s.most {
		d = s.most
	}
	return float32(d)
}

// last returns a time of the kernels that is not before any time with the Dist d; t is a time with
// that Dist.
func (s *sweep) last(t, d float32) float32 {
	if d > 0x1p-126 && float64(d) < s.most {
		return t // d is t in another unit, exactly
	}
	return s.until(d)
}

// until returns a time of the kernels that is not before any time with a Dist of d or less.
func (s *sweep) until(d float32) float32 {
	if float64(d) >= s.most {
		return float32(math.Inf(1))
	}
	// A number that is rounded to d lies within half a step of the denormals.
	x := (float64(d) + 0x1p-150) / s.back
	last := float32(x)
	if float64(last) < x {
		last = math.Nextafter32(last, float32(math.Inf(1)))
	}
	return last
}

// enter returns the time of entry into a box that is hit.
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

// hit computes the hit of a key. A hit, like a query, is built in location.
func (s *sweep) hit(h *Hit, m hitKey, p *soa.PacketColumns, exact bool) {
	if exact && s.balls && p.Bounded() && s.hitBound(h, m, p) {
		return
	}
	if s.round {
		b, ball := m.box(p), s.ball()
		*h = ball.hit(m, &b)
		return
	}
	b, l := &p.Bounds[m.location.Slot()], m.location.Lane()
	t, d := m.time, m.dist()
	h.ID, h.Dist = m.id(), d
	open := t > 0 // the face of entry has not been found yet
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
		// The middle of the intersection of the two boxes.
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
	c := takeCast(s, store, f.of(v))
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
	c := takeCast(s, store, f.of(v))
	ok := c.any(s, store, &f)
	c.release()
	label.Leave()
	return ok
}

// first returns the ID and the Dist of the first hit.
func (s *sweep) first(v linear.View, f Filter) (id uint32, dist float32, ok bool) {
	store := v.Store()
	label := phase.Enter(phase.Ray)
	c := takeCast(s, store, f.of(v))
	m, ok := c.first(s, store, &f)
	c.release()
	label.Leave()
	return m.id(), m.dist(), ok
}

// firstFunc returns the first hit with the shapes that the caller tests. If test panics the cast is
// not returned to the pool, which makes another one.
func (s *sweep) firstFunc(v linear.View, f Filter, test func(id uint32, tEnter float32) (t float32, hit bool)) (id uint32, dist float32, ok bool) {
	store := v.Store()
	defer phase.Enter(phase.Ray).Leave()
	c := takeCast(s, store, f.of(v))
	id, dist, ok = c.firstFunc(s, store, &f, test, func() { v.Store() })
	c.release()
	return id, dist, ok
}

func (s *sweep) appendIDs(dst []uint32, v linear.View, f Filter) []uint32 {
	store := v.Store()
	label := phase.Enter(phase.Ray)
	c := takeCast(s, store, f.of(v))
	dst = c.appendIDs(dst, s, store, &f)
	c.release()
	label.Leave()
	return dst
}

func (s *sweep) count(v linear.View, f Filter) int {
	store := v.Store()
	label := phase.Enter(phase.Ray)
	c := takeCast(s, store, f.of(v))
	n := c.count(s, store, &f)
	c.release()
	label.Leave()
	return n
}

func (s *sweep) append(dst []Hit, v linear.View, f Filter) []Hit {
	store := v.Store()
	label := phase.Enter(phase.Ray)
	c := takeCast(s, store, f.of(v))
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

// each yields the hits in order. They are sorted before the first is yielded, and completed one by
// one.
func (s *sweep) each(v linear.View, f Filter, yield func(Hit) bool) {
	store := v.Store()
	label := phase.Enter(phase.Ray)
	c := takeCast(s, store, f.of(v))
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

// SweptBox is a box cast, a shape cast of a box that moves along a vector, without rotation, during the time 0 to
// 1. Make one with [NewSweptBox]. The zero value hits nothing.
//
// It hits the closed boxes that it overlaps or touches at some time. The Dist of a [Hit] is the
// first such time, in [0, 1]. Pos is the middle of the intersection of the two boxes at the time
// Dist, in float32; on the axis of entry, it is the face of the object. Where Dist times the
// motion exceeds float32, Pos is the face of the object on that side. Normal is the normal of the face
// entered, the first of x, y, z if several are entered at once; it is zero if the boxes overlap or
// touch at the start.
//
// # Rounding
//
// The test is as for [Ray] with the faces of the moving box in location of the origin, so no sum of
// sizes is rounded. On an axis on which the motion d > 0 the times of entry and exit are
//
//	(min - Max) * (1/d)       (max - Min) * (1/d * (1 + 5*2^-23))
//
// with min, max of the object and Min, Max of the moving box at time 0. The bounds of [Ray] hold,
// for a maxDist of 1 and the faces of the moving box as origins: there are no false negatives, and
// a false positive would be hit if times of exit were longer by as much as stated there.
type SweptBox struct{ sweep sweep }

// NewSweptBox returns the motion of a box along a vector, which may be zero: a box at rest hits
// the boxes that it overlaps. NaN, infinity or an inverted box is an error. The box may move
// beyond the largest float32, without false negatives on the way.
func NewSweptBox(box linear.AABB, motion [3]float32) (b SweptBox, err error) {
	if err := box.Check(); err != nil {
		return SweptBox{}, fault.Errorf("query: swept %w", err)
	}
	if !allFinite(&motion) {
		return SweptBox{}, infinite("motion", motion)
	}
	b.sweep.set(&box.Min, &box.Max, &motion, 1)
	return b, nil
}

// First returns the first hit of the moving box: the earliest, and of equally early ones the one with
// the smallest ID. ok is false when there is none. Cost: as [Ray.First]. It does not allocate.
func (b SweptBox) First(v linear.View, flt Filter) (h Hit, ok bool) {
	return b.sweep.nearest(v, flt)
}

// FirstID returns the ID and the Dist of the hit of [SweptBox.First], without its position and
// normal, which takes less time. ok is false when there is no hit. It does not allocate.
func (b SweptBox) FirstID(v linear.View, flt Filter) (id uint32, dist float32, ok bool) {
	return b.sweep.first(v, flt)
}

// FirstFunc returns the first hit with the exact shapes of objects, as computed by test: the hit
// with the smallest Dist, and for equal ones the smallest ID.
//
// test receives an ID and tEnter, the Dist at which the moving box enters the object's box or, with
// Filter.Exact, its bound. It returns the Dist t at which the box hits the object's shape, or hit
// == false if there is none. A t before tEnter, as rounding may give it, is taken for tEnter. The
// hit counts unless t is NaN or beyond the best hit so far, at first beyond 1. Each hit shortens
// the rest of the motion.
//
// test is called at most once for an object, and never for one whose box begins beyond the best
// hit so far. The order of calls is a function of the tree and the query alone, roughly from the
// nearest on. test may run other queries. If it changes the tree, FirstFunc panics when test
// returns. A panic of test passes through.
//
// Cost: as [SweptBox.First], packet by packet, and the calls of test. It does not allocate.
func (b SweptBox) FirstFunc(v linear.View, flt Filter, test func(id uint32, tEnter float32) (t float32, hit bool)) (id uint32, dist float32, ok bool) {
	return b.sweep.firstFunc(v, flt, test)
}

// AppendIDs appends the IDs of all hits to dst and returns it: the hits of [SweptBox.Append], in the
// order of the walk, which is a function of the tree and the query alone. Cost: proportional to
// the nodes and packets along the path. It allocates only when dst lacks room.
func (b SweptBox) AppendIDs(dst []uint32, v linear.View, flt Filter) []uint32 {
	return b.sweep.appendIDs(dst, v, flt)
}

// Count returns the number of hits, without reading IDs. It does not allocate.
func (b SweptBox) Count(v linear.View, flt Filter) int { return b.sweep.count(v, flt) }

// Append appends all hits to dst, sorted by time, then ID, and returns it. It allocates only when
// dst lacks room.
func (b SweptBox) Append(dst []Hit, v linear.View, flt Filter) []Hit {
	return b.sweep.append(dst, v, flt)
}

// Any reports whether there is a hit. It stops at the first hit found.
func (b SweptBox) Any(v linear.View, flt Filter) bool { return b.sweep.any(v, flt) }

// All returns an iterator over the hits in the order of [SweptBox.Append]. The walk runs when the
// iteration starts. Changing the tree during the iteration makes it panic.
func (b SweptBox) All(v linear.View, flt Filter) iter.Seq[Hit] {
	return func(yield func(Hit) bool) { b.sweep.each(v, flt, yield) }
}
