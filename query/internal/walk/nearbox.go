package walk

import (
	"math"
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/soa"
)

// Candidates selects among the lanes of a packet that a search from a box has reached.
type Candidates interface {
	// Keep returns the lanes that pass, except those whose distance is tested.
	Keep(slot, lanes uint32) uint32

	// Within reports whether an object at this squared distance is within the limit.
	Within(slot uint32, lane int, d2 float32) bool
}

// SearchBox is [Nearest.Search] from a box: it leaves the k objects nearest to it, of those that the candidates keep
// and that are within the bound, in keys. Dist2 has the formula of a point, with
//
//	d = max(max(min - box.max, box.min - max), 0)    on each axis
//
// The walk is that from a point in the box, whose bound is larger by the distance of the furthest corner, so
// it visits the packets that the sphere around the box and beyond it by the distance of the k-th object intersects.
func (q *Nearest) SearchBox(s *soa.Store, box *soa.AABB, k int, bound float32, nodes asm.NodeFilter, from Candidates) {
	q.keys = q.keys[:0]
	if k = min(k, s.Count); k == 0 {
		return
	}
	w := &q.walk
	q.unit = boxScaleOf(s, box)
	reach := 0.0
	for a := range 3 {
		lo, hi := float64(box.Min[a]), float64(box.Max[a])
		w.Point[a] = float32((lo + hi) / 2)
		c := float64(w.Point[a])
		d := max(hi-c, c-lo)
		reach += float64(d * d)
	}
	reach = math.Sqrt(reach) * (1 + 0x1p-40)
	if q.unit.scale != 0 {
		reach *= float64(q.unit.scale)
	}
	limit := q.unit.upTo(bound) // of the box
	w.Bound, w.Scale, w.Filter = Beyond(limit, reach), q.unit.scale, nodes
	w.Stack, w.Budget = fromRoot(w.Stack, s), 0
	for {
		m := trace.NearNext(w, s.Nodes.Hot, s.Packets.Bounds)
		if m == 0 {
			break
		}
		m &= 1<<s.Packets.Counts[w.Slot] - 1
		former := limit
		for m = from.Keep(w.Slot, m); m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (soa.Lanes - 1)
			d2 := q.boxDist2(box, &s.Packets.Bounds[w.Slot], l)
			if d2 > limit || !from.Within(w.Slot, l, d2) {
				continue
			}
			key := keyOf(d2, s.Packets.IDs[w.Slot][l])
			if len(q.keys) == k {
				q.offer(key)
			} else if q.keys = append(q.keys, key); len(q.keys) == k {
				heapify(q.keys)
			}
			if len(q.keys) == k {
				limit = min(limit, distOf(q.keys[0]))
			}
		}
		if limit < former {
			w.Bound = Beyond(limit, reach)
		}
	}
	slices.Sort(q.keys)
}

// boxDist2 returns the squared distance of the box in a lane from a box, in the scale of the search.
func (q *Nearest) boxDist2(box *soa.AABB, b *soa.Packet, l int) float32 {
	var s [3]float32
	for a := range s {
		d := max(b[2*a][l]-box.Max[a], box.Min[a]-b[2*a+1][l], 0)
		if q.unit.scale != 0 {
			d *= q.unit.scale
		}
		s[a] = d * d
	}
	return float32(s[0]+s[1]) + s[2]
}

// Beyond returns the bound of squared distances from a point in a box, no further than reach from each point of it, for
// a bound of squared distances from the box. The exact distance D of a box has
//
//	D*D*(1 - 5u) - 2^-148 <= bound
//
// and the one from the point is at most D + reach.
func Beyond(bound float32, reach float64) float32 {
	if bound > math.MaxFloat32 {
		return bound
	}
	d := math.Sqrt((float64(bound) + 0x1p-148) * (1 + 6*0x1p-24))
	far := (d + reach) * (1 + 0x1p-40)
	if far >= 0x1p64 {
		return float32(math.Inf(1))
	}
	f := float32(far)
	if float64(f) < far {
		f = math.Nextafter32(f, math.MaxFloat32)
	}
	return trace.NearBound(f)
}

// boxScaleOf returns the scale of a tree and a box.
func boxScaleOf(s *soa.Store, box *soa.AABB) nearScale {
	if s.Extent[0] >= nearTiny {
		return nearScale{}
	}
	var far [3]float32
	for a := range far {
		far[a] = max(-box.Min[a], box.Max[a])
	}
	return tinyScaleOf(s, &far)
}
