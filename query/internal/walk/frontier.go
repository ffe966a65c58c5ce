package walk

import (
	"math"
	"math/bits"
	"sync"

	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/soa"
)

// Frontier is the state of an incremental nearest-neighbour search: the part of the tree that it has found but not
// returned. Both heaps have the smallest on top.
type Frontier struct {
	walk    trace.NearWalk
	unit    nearScale
	entries []uint64 // entries as on the stack of a walk
	found   []uint64 // keys of objects

	opened, given int    // nodes and packets opened; keys yielded
	last          uint64 // largest key yielded
	scanned       bool   // all remaining objects are in rest
	rest          lazySort
}

const (
	// An iteration that has opened as many nodes and packets as 1/openShare of all slots, for less
	// than thinGain objects each, scans all slots; so does one that has yielded 1/manyShare of all
	// objects. Up to that point heaps cost less than a tenth of the scan that replaces them.
	openShare = 16
	openLeast = 64
	thinGain  = 4
	manyShare = 20
)

var frontiers = sync.Pool{New: func() any { return new(Frontier) }}

// TakeFrontier returns a search from a point, from a pool.
func TakeFrontier(s *soa.Store, point *[3]float32, f *Filter) *Frontier {
	q := frontiers.Get().(*Frontier)
	q.Begin(s, point, f)
	return q
}

// Begin begins a search from a point. It keeps the memory of the search before.
func (q *Frontier) Begin(s *soa.Store, point *[3]float32, f *Filter) {
	q.unit = beginNear(&q.walk, s, point, float32(math.Inf(1)), f)
	q.found, q.entries = q.found[:0], q.entries[:0]
	q.opened, q.given, q.last, q.scanned = 0, 0, 0, false
	q.queue()
}

// Release returns the search to the pool.
func (q *Frontier) Release() { frontiers.Put(q) }

// Next returns the next object.
func (q *Frontier) Next(s *soa.Store, flt *Filter) (n Neighbor, ok bool) {
	key, ok := q.nextKey(s, flt)
	return neighborOf(key, &q.unit), ok
}

// queue moves the stack of the walk to the entries.
func (q *Frontier) queue() {
	for _, e := range q.walk.Stack {
		q.entries = push(q.entries, e)
	}
}

// nextKey removes and returns the smallest remaining key.
func (q *Frontier) nextKey(s *soa.Store, flt *Filter) (key uint64, ok bool) {
	defer phase.Enter(phase.Nearest).Leave()
	if q.scanned {
		return q.rest.next()
	}
	w := &q.walk
	// An entry may contain objects as near as the entry, with a smaller ID.
	for len(q.entries) > 0 && (len(q.found) == 0 || q.entries[0]>>32 <= q.found[0]>>32) {
		var e uint64
		e, q.entries = pop(q.entries)
		w.Stack = append(w.Stack[:0], e)
		m := trace.NearStep(w, s.Nodes.Hot, s.Packets.Bounds)
		q.queue()
		if m != 0 {
			m = flt.lanes(&s.Packets, w.Slot, m)
		}
		for ; m != 0; m &= m - 1 {
			q.found = push(q.found, q.key(s, flt.Exact, m))
		}
		if q.opened++; q.opened >= max(len(s.Packets.Counts)/openShare, openLeast) && q.given < q.opened*thinGain {
			q.scan(s, flt)
			return q.rest.next()
		}
	}
	if len(q.found) == 0 {
		return 0, false
	}
	key, q.found = pop(q.found)
	q.last = max(q.last, key) // keys may fall in a file with wrong boxes: yield nothing twice even then
	if q.given++; q.given == max(s.Count/manyShare, openLeast) {
		q.scan(s, flt)
	}
	return key, true
}

// key returns the key of the lowest of the lanes.
func (q *Frontier) key(s *soa.Store, exact bool, lanes uint32) uint64 {
	w := &q.walk
	l := bits.TrailingZeros32(lanes) & (soa.Lanes - 1)
	d2 := w.Dist[l]
	if exact {
		d2 = boundDist2(&s.Packets, w.Slot, l, w.Point, d2, &q.unit)
	}
	return keyOf(d2, s.Packets.IDs[w.Slot][l])
}

// scan puts the keys of all objects that have not been yielded into rest.
func (q *Frontier) scan(s *soa.Store, flt *Filter) {
	w := &q.walk
	stackAll(w, s)
	q.scanned, q.rest.keys = true, q.rest.keys[:0]
	for len(w.Stack) > 0 {
		m := trace.NearNext(w, s.Nodes.Hot, s.Packets.Bounds) // all lanes
		for m = flt.lanes(&s.Packets, w.Slot, m); m != 0; m &= m - 1 {
			if key := q.key(s, flt.Exact, m); q.given == 0 || key > q.last {
				q.rest.keys = append(q.rest.keys, key)
			}
		}
	}
	q.rest.begin()
}

// push adds x to a heap with the smallest on top.
func push(heap []uint64, x uint64) []uint64 {
	i := len(heap)
	heap = append(heap, x)
	for i > 0 {
		up := (i - 1) / 2
		if heap[up] <= x {
			break
		}
		heap[i] = heap[up]
		i = up
	}
	heap[i] = x
	return heap
}

// pop removes the smallest from a heap that is not empty.
func pop(heap []uint64) (least uint64, rest []uint64) {
	least = heap[0]
	n := len(heap) - 1
	x := heap[n]
	heap = heap[:n]
	i := 0
	for {
		c := 2*i + 1
		if c >= n {
			break
		}
		if c+1 < n && heap[c+1] < heap[c] {
			c++
		}
		if heap[c] >= x {
			break
		}
		heap[i] = heap[c]
		i = c
	}
	if n > 0 {
		heap[i] = x
	}
	return least, heap
}

// Outward is a walk through all objects near a point, roughly the nearest first. The caller may lower the bound between
// packets.
type Outward struct {
	walk trace.NearWalk
	unit nearScale
}

// Begin begins a walk to the objects of a squared distance of at most bound.
func (q *Outward) Begin(s *soa.Store, point *[3]float32, bound float32, f *Filter) {
	q.unit = beginNear(&q.walk, s, point, bound, f)
}

// Lower lowers the bound.
func (q *Outward) Lower(bound float32) { q.walk.Bound = min(q.walk.Bound, q.unit.upTo(bound)) }

// Next walks to the next packet with boxes within the bound and returns their lanes, or 0 at the end.
func (q *Outward) Next(s *soa.Store, f *Filter) (slot, lanes uint32) {
	w := &q.walk
	for len(w.Stack) > 0 {
		if lanes = trace.NearNext(w, s.Nodes.Hot, s.Packets.Bounds); lanes != 0 {
			if lanes = f.lanes(&s.Packets, w.Slot, lanes); lanes != 0 {
				return w.Slot, lanes
			}
		}
	}
	return 0, 0
}

// Neighbor returns the object in a lane of the packet, and the number by which objects of different distances are
// ordered: Dist2 in the unit of the walk.
func (q *Outward) Neighbor(s *soa.Store, lane int, f *Filter) (n Neighbor, order uint32) {
	w, l := &q.walk, lane&(soa.Lanes-1)
	d2 := w.Dist[l]
	if f.Exact {
		d2 = boundDist2(&s.Packets, w.Slot, l, w.Point, d2, &q.unit)
	}
	key := keyOf(d2, s.Packets.IDs[w.Slot][l])
	return neighborOf(key, &q.unit), uint32(key >> 32)
}
