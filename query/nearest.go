package query

import (
	"fmt"
	"math"
	"math/bits"
	"sync"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Neighbor is an object and its squared distance from the point of a query, to
// its box: 0 when the point is inside.
type Neighbor struct {
	ID    uint32
	Dist2 float32
}

// nearest is the work of one query. Keys are what both the answer and its
// order are made of:
//
//	63              32 31           0
//	| bits of Dist2    | ID           |
//
// Squared distances are not negative, so keys compare like (Dist2, ID).
type nearest struct {
	walk asm.Near
	keys []uint64 // ascending
}

var nearests = sync.Pool{New: func() any { return new(nearest) }}

// begin fills the stack: the root on top, pending packets below.
func (q *nearest) begin(s *soa.Store, point [3]float32, bound float32, f Filter) {
	w := &q.walk
	w.Point, w.Bound, w.Sift = point, bound, f.sift()
	w.Stack = w.Stack[:0]
	for _, slot := range s.Loose {
		w.Stack = append(w.Stack, asm.NearEntry(0, slot|asm.RefPacket))
	}
	if len(s.Nodes.Hot) > 0 {
		w.Stack = append(w.Stack, asm.NearEntry(0, 0))
	}
}

func AppendNearest(dst []Neighbor, v linear.View, point [3]float32, k int, maxDist float32, flt Filter) []Neighbor {
	s := v.Store()
	k = min(k, s.Live)
	if k <= 0 {
		return dst
	}
	q := nearests.Get().(*nearest)
	q.begin(s, point, float32(math.Inf(1)), flt)
	q.collect(s, k, flt)
	for _, key := range q.keys {
		if uint32(key) == soa.None {
			break
		}
		dst = append(dst, Neighbor{uint32(key), math.Float32frombits(uint32(key >> 32))})
	}
	nearests.Put(q)
	return dst
}

func (q *nearest) collect(s *soa.Store, k int, f Filter) {
	w := &q.walk
	none := uint64(math.Float32bits(w.Bound))<<32 | uint64(soa.None)
	q.keys = q.keys[:0]
	for range k {
		q.keys = append(q.keys, none)
	}
	keys := q.keys
	for {
		m := asm.NearWalk(w, s.Nodes.Hot, s.Packets.Bounds)
		if m == 0 {
			return
		}
		m = f.lanes(&s.Packets, w.Slot, m)
		ids := &s.Packets.IDs[w.Slot]
		for ; m != 0; m &= m - 1 {
			l := trailing(m)
			key := uint64(math.Float32bits(w.Dist[l]))<<32 | uint64(ids[l])
			for i := len(keys) - 1; i > 0; i-- {
				keys[i] = min(keys[i], max(keys[i-1], key))
			}
			keys[0] = min(keys[0], key)
		}
		w.Bound = math.Float32frombits(uint32(keys[len(keys)-1] >> 32))
	}
}

var _ = fmt.Sprint

func trailing(m uint32) int { return bits.TrailingZeros32(m) & (asm.Lanes - 1) }
