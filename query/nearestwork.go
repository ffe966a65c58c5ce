package query

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

// nearest is the work of one query. What it finds are keys, which compare like
// (Dist2, ID), because Dist2 is not negative:
//
//	63              32 31           0
//	| bits of Dist2    | ID           |
//
// Every search visits the entries within the bound and lowers the bound to the
// Dist2 of the k-th key; what is tied with it is within the bound, so the IDs of
// the answer do not depend on the order of visits.
type nearest struct {
	walk asm.Near
	keep asm.Keep
	keys []uint64 // the answer, ascending; during a search see there
}

var nearests = sync.Pool{New: func() any { return new(nearest) }}

func takeNearest() *nearest { return nearests.Get().(*nearest) }

func (q *nearest) release() { nearests.Put(q) }

func keyOf(d2 float32, id uint32) uint64 { return uint64(math.Float32bits(d2))<<32 | uint64(id) }

// neighborOf returns what a key stands for.
func neighborOf(key uint64) Neighbor {
	return Neighbor{ID: uint32(key), Dist2: math.Float32frombits(uint32(key >> 32))}
}

// append appends the answer.
func (q *nearest) append(dst []Neighbor) []Neighbor {
	dst = slices.Grow(dst, len(q.keys))
	for _, key := range q.keys {
		dst = append(dst, neighborOf(key))
	}
	return dst
}

// beginNear prepares a walk and fills its stack: the root on top, so that pending
// packets meet a bound that is low already.
func beginNear(w *asm.Near, s *soa.Store, point [3]float32, bound float32, f Filter) {
	w.Point, w.Bound, w.Sift = point, bound, f.sift()
	w.Stack = w.Stack[:0]
	for _, slot := range s.Loose {
		w.Stack = append(w.Stack, asm.NearEntry(0, slot|asm.RefPacket))
	}
	if len(s.Nodes.Hot) > 0 {
		w.Stack = append(w.Stack, asm.NearEntry(0, 0))
	}
}

// search leaves the k nearest objects within the bound in keys.
func (q *nearest) search(s *soa.Store, point [3]float32, k int, bound float32, f Filter) {
	q.keys = q.keys[:0]
	if k = min(k, s.Live); k == 0 {
		return
	}
	beginNear(&q.walk, s, point, bound, f)
	if k <= asm.NearFew && f.all() && !(f.Exact && len(s.Packets.Spheres) > 0) {
		q.few(s, k)
	} else {
		q.many(s, k, f)
	}
}

// few searches for at most [asm.NearFew] objects without a filter. The kernel
// keeps count of distances by itself and lists places; IDs are read at the end.
func (q *nearest) few(s *soa.Store, k int) {
	// Places without an object hold a key that is larger than any within the
	// bound.
	none := keyOf(q.walk.Bound, soa.None)
	for range k {
		q.keys = append(q.keys, none)
	}
	q.keep.Reset(k, q.walk.Bound)
	for more := true; more; {
		more = asm.NearKeep(&q.walk, &q.keep, s.Nodes.Hot, s.Packets.Bounds, s.Packets.IDs)
		q.settle(&s.Packets)
	}
	for k > 0 && q.keys[k-1] == none {
		k--
	}
	q.keys = q.keys[:k]
}

// settle sorts the listed lanes that are still within the bound into the keys.
func (q *nearest) settle(c *soa.PacketColumns) {
	p := &q.keep
	n := 0
	for i, d2 := range p.Dist[:p.Len] { // without a branch to mispredict
		p.Dist[n], p.Place[n] = d2, p.Place[i]
		if d2 <= q.walk.Bound {
			n++
		}
	}
	p.Len = 0
	for i, place := range p.Place[:n] {
		slot, lane := place>>4, place&(asm.Lanes-1)
		if lane < uint32(c.Counts[slot]) {
			insert(q.keys, keyOf(p.Dist[i], c.IDs[slot][lane]))
		}
	}
}

// insert puts a key into an ascending list and drops the largest.
func insert(keys []uint64, key uint64) {
	below := uint64(0)
	for i, k := range keys {
		keys[i] = min(k, max(below, key))
		below = k
	}
}

// many searches for any number of objects. The keys are in no order until there
// are k, then a heap with the largest on top.
func (q *nearest) many(s *soa.Store, k int, f Filter) {
	for {
		m := asm.NearWalk(&q.walk, s.Nodes.Hot, s.Packets.Bounds)
		if m == 0 {
			break
		}
		q.take(s, m, k, f)
	}
	slices.Sort(q.keys)
}

// take adds the lanes m of the packet that the walk has found to the keys, and
// lowers the bound to the k-th.
func (q *nearest) take(s *soa.Store, m uint32, k int, f Filter) {
	w := &q.walk
	ids := &s.Packets.IDs[w.Slot]
	for m = f.lanes(&s.Packets, w.Slot, m); m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (asm.Lanes - 1)
		d2 := w.Dist[l]
		if f.Exact {
			if d2 = sphereDist2(&s.Packets, w.Slot, l, w.Point, d2); d2 > w.Bound {
				continue
			}
		}
		switch key := keyOf(d2, ids[l]); {
		case len(q.keys) < k:
			if q.keys = append(q.keys, key); len(q.keys) == k {
				heapify(q.keys)
			}
		case key < q.keys[0]:
			q.keys[0] = key
			sink(q.keys, 0)
		}
	}
	if len(q.keys) == k {
		w.Bound = neighborOf(q.keys[0]).Dist2
	}
}

// heapify makes the keys a heap with the largest at 0.
func heapify(keys []uint64) {
	for i := len(keys)/2 - 1; i >= 0; i-- {
		sink(keys, i)
	}
}

// sink moves the key at i down to where no larger one is below it.
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
