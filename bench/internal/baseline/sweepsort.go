package baseline

import (
	"slices"

	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// SortAndSweep finds overlapping pairs by sort and sweep, the broad phase of physics engines without a tree
// (D. Baraff, 1992). It keeps the boxes sorted by their minimum on x, an order that changes little between
// frames, and compares each box with the boxes that begin before its end. The zero value is ready to use.
type SortAndSweep struct {
	order []uint32
	low   []float32 // minimum on x, ascending
	high  []float32 // maximum on x
	rest  [][4]float32
}

// Append appends the pairs of boxes that share a point to dst, A < B. Sorting starts from the order of the
// last call.
func (s *SortAndSweep) Append(dst []collide.Pair, boxes []soa.AABB) []collide.Pair {
	if len(s.order) != len(boxes) {
		s.begin(boxes)
	}
	s.sort(boxes)
	for k, i := range s.order {
		b := &boxes[i]
		s.high[k] = b.Max[0]
		s.rest[k] = [4]float32{b.Min[1], b.Max[1], b.Min[2], b.Max[2]}
	}
	for k, i := range s.order {
		end, mine := s.high[k], s.rest[k]
		low := s.low[k+1:]
		rest := s.rest[k+1:][:len(low)]
		for m := range low {
			if low[m] > end {
				break
			}
			if r := &rest[m]; r[0] <= mine[1] && mine[0] <= r[1] && r[2] <= mine[3] && mine[2] <= r[3] {
				j := s.order[k+1+m]
				dst = append(dst, collide.Pair{A: min(i, j), B: max(i, j)})
			}
		}
	}
	return dst
}

// begin sorts all boxes from scratch.
func (s *SortAndSweep) begin(boxes []soa.AABB) {
	n := len(boxes)
	s.order, s.low, s.high, s.rest = make([]uint32, n), make([]float32, n), make([]float32, n), make([][4]float32, n)
	for i := range s.order {
		s.order[i] = uint32(i)
	}
	slices.SortFunc(s.order, func(i, j uint32) int {
		if boxes[i].Min[0] < boxes[j].Min[0] {
			return -1
		}
		return 1
	})
}

// sort is an insertion sort: nearly all boxes are close to their final position.
func (s *SortAndSweep) sort(boxes []soa.AABB) {
	low, order := s.low, s.order
	for k, i := range order {
		x := boxes[i].Min[0]
		at := k
		for ; at > 0 && low[at-1] > x; at-- {
			low[at], order[at] = low[at-1], order[at-1]
		}
		low[at], order[at] = x, i
	}
}
