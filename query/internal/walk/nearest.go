package walk

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/soa"
)

// FirstHit is the state of one k-nearest-neighbour search. Its results are keys, which compare like
// (d2, ID), because d2 is not negative. d2 is Dist2 up to a scale:
//
//	63              32 31           0
//	| bits of d2       | ID           |
//
// Every search visits the entries within the bound and lowers the bound to the d2 of the k-th key.
// Ties with the k-th key are within the bound, so the IDs of the answer do not depend on the order
// of visits.
type Nearest struct {
	walk trace.NearWalk
	keep trace.NearFound
	keys []uint64 // the answer, ascending; during a search in the order stated there

	unit    nearScale
	bailout bailout
	idle    int      // packets hit since the bound was lowered
	late    []uint64 // stack when ties at level were left for later
	level   float32  // distance of the ties left for later, below 0 if none were

	tracing bool
	count   Counters
	heat    *Heat
}

var nearests = sync.Pool{New: func() any { return new(Nearest) }}

// TakeNearest returns a search from a pool.
func TakeNearest() *Nearest { return nearests.Get().(*Nearest) }

// Release returns the search to the pool.
func (q *Nearest) Release() { nearests.Put(q) }

func keyOf(d2 float32, id uint32) uint64 { return uint64(math.Float32bits(d2))<<32 | uint64(id) }

// distOf returns the distance in a key.
func distOf(key uint64) float32 { return math.Float32frombits(uint32(key >> 32)) }

// Neighbor is an object and the squared distance of its box: the Neighbor of package query.
type Neighbor struct {
	ID    uint32
	Dist2 float32
}

// neighborOf returns the neighbour of a key.
func neighborOf(key uint64, u *nearScale) Neighbor {
	return Neighbor{ID: uint32(key), Dist2: u.of(distOf(key))}
}

// Found returns the keys of the answer, in order. They are valid until the next search.
func (q *Nearest) Found() []uint64 { return q.keys }

// Neighbor returns the neighbour of a key of the answer.
func (q *Nearest) Neighbor(key uint64) Neighbor { return neighborOf(key, &q.unit) }

// Explain is search with counters.
func (q *Nearest) Explain(s *soa.Store, point *[3]float32, k int, bound float32, f *Filter, heat *Heat) Counters {
	heat.fits(s)
	q.tracing, q.count, q.heat = true, Counters{}, heat
	q.Search(s, point, k, bound, f)
	c := q.count
	c.Ranges = len(q.keys)
	q.tracing, q.heat = false, nil
	return c
}

// beginNear prepares a walk and fills its stack: the root on top, so that the bound is already low
// when the walk visits pending packets.
func beginNear(w *trace.NearWalk, s *soa.Store, point *[3]float32, bound float32, f *Filter) nearScale {
	u := nearScaleOf(s, point)
	w.Point[0], w.Point[1], w.Point[2] = point[0], point[1], point[2]
	w.Bound, w.Scale = u.upTo(bound), u.scale
	w.Filter = f.NodeFilter()
	w.Stack = fromRoot(w.Stack, s)
	return u
}

// fromRoot resets a stack to the start of a walk.
func fromRoot(stack []uint64, s *soa.Store) []uint64 {
	stack = stack[:0]
	for _, slot := range s.Pending {
		stack = append(stack, trace.NearEntry(0, soa.PacketRef(slot)))
	}
	if len(s.Nodes.Hot) > 0 {
		stack = append(stack, trace.NearEntry(0, 0))
	}
	return stack
}

// Search leaves the k nearest objects within the bound in keys.
func (q *Nearest) Search(s *soa.Store, point *[3]float32, k int, bound float32, f *Filter) {
	q.keys = q.keys[:0]
	if k = min(k, s.Count); k == 0 {
		return
	}
	q.unit = beginNear(&q.walk, s, point, bound, f)
	switch plain := q.unit.scale == 0 && f.All() && !(f.Exact && s.Packets.Bounded()) && !q.tracing; {
	case plain && k == 1:
		if q.descend(s); q.one(s) {
			return
		}
	case plain && k <= severalMost:
		q.begin(s)
		if k <= trace.NearMany && q.few(s, k) || k > trace.NearMany && q.several(s, k) {
			return
		}
		beginNear(&q.walk, s, point, bound, f)
		q.keys = q.keys[:0]
		q.begin(s)
	default:
		q.begin(s)
	}
	q.many(s, k, f)
}

// First returns the nearest object within the bound.
func (q *Nearest) First(s *soa.Store, point *[3]float32, bound float32, f *Filter) (n Neighbor, ok bool) {
	w := &q.walk
	if s.Extent[0] < nearTiny || !f.All() || f.Exact && s.Packets.Bounded() || s.Count == 0 {
		q.Search(s, point, 1, bound, f)
	} else {
		w.Point[0], w.Point[1], w.Point[2] = point[0], point[1], point[2]
		w.Bound, w.Scale, w.Filter = bound, 0, asm.AllNodes
		w.Stack = fromRoot(w.Stack, s)
		if q.descend(s) {
			if w.Location == trace.NoLocation {
				return n, false
			}
			return Neighbor{s.Packets.IDs[w.Location.Slot()][w.Location.Lane()], w.Bound}, true
		}
		q.unit, q.keys = nearScale{}, q.keys[:0]
		if !q.one(s) {
			q.many(s, 1, f)
		}
	}
	if len(q.keys) == 0 {
		return n, false
	}
	return q.Neighbor(q.keys[0]), true
}

// begin starts the count of visits.
func (q *Nearest) begin(s *soa.Store) {
	q.bailout.begin(s)
	q.idle, q.level = 0, -1
}

// oneVisits is the number of entries that a walk to the nearest object may visit without progress.
const oneVisits = 64

// descend begins the walk to the nearest object, and reports whether it has ended.
func (q *Nearest) descend(s *soa.Store) bool {
	w := &q.walk
	w.Budget, w.Location = oneVisits, trace.NoLocation
	more := trace.NearFirst(w, s.Nodes.Hot, s.Packets.Bounds, s.Packets.IDs)
	return !more && (w.Bound <= math.MaxFloat32 || w.Location == trace.NoLocation)
}

// one continues the search for the nearest object after descend, and leaves it in keys. It returns false if many is to
// continue, because much of the tree is about as near or infinitely far away.
func (q *Nearest) one(s *soa.Store) bool {
	w := &q.walk
	q.begin(s)
	for former := float32(-1); ; {
		if w.Location != trace.NoLocation && w.Bound > math.MaxFloat32 { // the lane at that location may be empty
			w.Stack = fromRoot(w.Stack, s)
			return false
		}
		done := len(w.Stack) == 0
		if done || w.Bound == former || q.bailout.due(oneVisits) && q.bailout.shouldScan(q.left(s)) {
			if w.Location != trace.NoLocation {
				q.keys = append(q.keys, q.keyAt(s, w.Location))
			}
			return done
		}
		former = w.Bound
		trace.NearFirst(w, s.Nodes.Hot, s.Packets.Bounds, s.Packets.IDs)
	}
}

// keyAt returns the key of the object at a location whose distance is the bound.
func (q *Nearest) keyAt(s *soa.Store, location soa.Location) uint64 {
	return keyOf(q.walk.Bound, s.Packets.IDs[location.Slot()][location.Lane()])
}

// few searches for at most [trace.NearMany] objects without a filter or a scale. The kernel lists locations and
// maintains the distances. At the end up to [trace.NearFew] listed objects are sorted by insertion; more of them have
// their position in the answer by their distance. It returns false if the search is to begin anew, because much of the
// tree is about as near or infinitely far away.
func (q *Nearest) few(s *soa.Store, k int) bool {
	w, p := &q.walk, &q.keep
	p.Reset(k, w.Bound)
	for more := true; more; {
		w.Budget = q.bailout.rest()
		more = trace.NearFind(w, p, s.Nodes.Hot, s.Packets.Bounds, s.Packets.IDs)
		visits := w.Budget
		if p.Len > trace.NearKept {
			visits = trace.NearKept / soa.Lanes // or more: the kernel does not return the number
		}
		q.prune()
		if p.Len > trace.NearKept/2 || q.bailout.due(visits) && q.bailout.shouldScan(q.left(s)) {
			return false
		}
	}
	if w.Bound > math.MaxFloat32 { // listed lanes may be empty
		return false
	}
	if k <= trace.NearFew {
		q.insert(s, k)
		return true
	}
	none := keyOf(w.Bound, soa.None)
	for range k {
		q.keys = append(q.keys, none)
	}
	for i, location := range p.Location[:p.Len] {
		d2 := math.Float32bits(p.Dist[i])
		place(q.keys, p.Below(d2), uint64(d2)<<32|uint64(s.Packets.IDs[location.Slot()][location.Lane()]), none)
	}
	for k > 0 && q.keys[k-1] == none {
		k--
	}
	q.keys = q.keys[:k]
	return true
}

// insert sets keys to the k smallest keys of the list, by insertion.
func (q *Nearest) insert(s *soa.Store, k int) {
	p, n := &q.keep, 0
	keys := slices.Grow(q.keys, k)[:k]
	for i, location := range p.Location[:p.Len] {
		key := keyOf(p.Dist[i], s.Packets.IDs[location.Slot()][location.Lane()])
		for j, other := range keys[:n] { // without branches, which would be mispredicted
			keys[j], key = min(other, key), max(other, key)
		}
		if n < k {
			keys[n] = key
			n++
		}
	}
	q.keys = keys[:n]
}

// prune removes the lanes beyond the bound from the list.
func (q *Nearest) prune() {
	p, n := &q.keep, 0
	for i, d2 := range p.Dist[:p.Len] { // branch-free: branches would be mispredicted
		p.Dist[n], p.Location[n] = d2, p.Location[i]
		if d2 <= q.walk.Bound {
			n++
		}
	}
	p.Len = n
}

// place inserts a key into the list of keys from position i on, at which the keys of its distance begin. It drops the
// largest key of that distance if they are more than the list has room for.
func place(keys []uint64, i int, key, none uint64) {
	for ; i < len(keys) && key != none; i++ {
		keys[i], key = min(keys[i], key), max(keys[i], key)
	}
}

// many searches for any number of objects. The keys are unordered until there are k, then a heap
// with the largest on top.
func (q *Nearest) many(s *soa.Store, k int, f *Filter) {
	w := &q.walk
	for len(w.Stack) > 0 {
		m, visits := q.next(s)
		if m != 0 {
			former := w.Bound
			q.take(s, m, k, f)
			if w.Bound < former || len(q.keys) < k || q.tied(q.keys[0]) {
				q.idle = 0
			} else if q.idle++; q.idle == tiesPatience {
				q.strict(distOf(q.keys[0]))
			}
		}
		if q.bailout.due(visits) && q.bailout.shouldScan(q.left(s)) {
			q.scan(s)
			q.keys = q.keys[:0]
		}
	}
	if len(q.keys) == k && q.tied(q.keys[0]) {
		q.ties(s, f)
	}
	slices.Sort(q.keys)
}

// next walks to the next packet with lanes within the bound, or to the next progress check. It
// returns the number of entries visited, or fewer.
func (q *Nearest) next(s *soa.Store) (m uint32, visits int) {
	w := &q.walk
	if q.tracing {
		if e := w.Stack[len(w.Stack)-1]; e>>32 <= uint64(math.Float32bits(w.Bound)) {
			q.count.visit(s, soa.Ref(e), q.heat)
		}
		return trace.NearStep(w, s.Nodes.Hot, s.Packets.Bounds), 1
	}
	w.Budget = q.bailout.rest()
	if m = trace.NearNext(w, s.Nodes.Hot, s.Packets.Bounds); m != 0 {
		return m, 1
	}
	return 0, w.Budget
}

// take adds the lanes m of the packet found by the walk to the keys, and lowers the bound to the
// k-th.
func (q *Nearest) take(s *soa.Store, m uint32, k int, f *Filter) {
	w := &q.walk
	ids := &s.Packets.IDs[w.Slot]
	for m = f.lanes(&s.Packets, w.Slot, m); m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (soa.Lanes - 1)
		d2 := w.Dist[l]
		if f.Exact {
			if d2 = boundDist2(&s.Packets, w.Slot, l, w.Point, d2, &q.unit); d2 > w.Bound {
				continue
			}
		}
		key := keyOf(d2, ids[l])
		if len(q.keys) == k {
			q.offer(key)
		} else if q.keys = append(q.keys, key); len(q.keys) == k && k < s.Count {
			heapify(q.keys)
		}
	}
	if len(q.keys) == k && k < s.Count {
		w.Bound = min(w.Bound, distOf(q.keys[0]))
	}
}

// offer replaces the largest key of a heap by key if that is smaller.
func (q *Nearest) offer(key uint64) {
	if key < q.keys[0] {
		q.keys[0] = key
		sink(q.keys, 0)
	}
}

// heapify makes the keys a heap with the largest at 0.
func heapify(keys []uint64) {
	for i := len(keys)/2 - 1; i >= 0; i-- {
		sink(keys, i)
	}
}

// sink moves the key at i down until no larger key is below it.
func sink(keys []uint64, i int) {
	key := keys[i]
	for {
		c := 2*i + 1
		if c >= len(keys) {
			break
		}
		if c+1 < len(keys) && keys[c+1] > keys[c] {
			c++
		}
		if keys[c] <= key {
			break
		}
		keys[i] = keys[c]
		i = c
	}
	keys[i] = key
}
