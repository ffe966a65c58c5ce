package adapters

import (
	"slices"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/soa"
)

// Slice is a slice of boxes with linear search: the baseline of a program without an index. The zero value is
// empty.
type Slice struct {
	boxes []soa.AABB
	ids   []uint32
	where []uint32 // position of each ID plus one; 0: not stored
	found index.Found
	near  []index.Neighbor
}

// NewSlice returns an empty Slice.
func NewSlice() *Slice { return new(Slice) }

// Build implements [index.Index].
func (s *Slice) Build(objects []soa.Object) {
	s.boxes = make([]soa.AABB, len(objects))
	s.ids = make([]uint32, len(objects))
	s.where = make([]uint32, len(objects))
	for i := range objects {
		s.boxes[i], s.ids[i], s.where[i] = objects[i].Box, uint32(i), uint32(i)+1
	}
}

// at returns the position of a stored ID.
func (s *Slice) at(id uint32) int {
	if int(id) >= len(s.where) || s.where[id] == 0 {
		panicMissing(id)
	}
	return int(s.where[id]) - 1
}

// Insert implements [index.Inserter].
func (s *Slice) Insert(id uint32, o soa.Object) {
	for len(s.where) <= int(id) {
		s.where = append(s.where, 0)
	}
	if s.where[id] != 0 {
		panicStored(id)
	}
	s.boxes, s.ids = append(s.boxes, o.Box), append(s.ids, id)
	s.where[id] = uint32(len(s.ids))
}

// Remove implements [index.Remover]: the last object moves into the gap.
func (s *Slice) Remove(id uint32) {
	at, last := s.at(id), len(s.ids)-1
	s.boxes[at], s.ids[at] = s.boxes[last], s.ids[last]
	s.where[s.ids[at]] = uint32(at) + 1
	s.where[id] = 0
	s.boxes, s.ids = s.boxes[:last], s.ids[:last]
}

// Move implements [index.Mover].
func (s *Slice) Move(id uint32, box soa.AABB) { s.boxes[s.at(id)] = box }

// Append implements [index.Volumes].
func (s *Slice) Append(dst []uint32, v *index.Volume) []uint32 {
	if q, ok := v.AsBox(); ok {
		return s.appendBox(dst, &q)
	}
	for i := range s.boxes {
		if v.Meets(&s.boxes[i]) {
			dst = append(dst, s.ids[i])
		}
	}
	return dst
}

// appendBox is the plain loop of a program for a box query.
func (s *Slice) appendBox(dst []uint32, q *soa.AABB) []uint32 {
	for i := range s.boxes {
		b := &s.boxes[i]
		if b.Min[0] <= q.Max[0] && q.Min[0] <= b.Max[0] &&
			b.Min[1] <= q.Max[1] && q.Min[1] <= b.Max[1] &&
			b.Min[2] <= q.Max[2] && q.Min[2] <= b.Max[2] {
			dst = append(dst, s.ids[i])
		}
	}
	return dst
}

// AppendHits implements [index.Rays].
func (s *Slice) AppendHits(dst []index.Hit, r *index.Ray) []index.Hit {
	for i := range s.boxes {
		if t, ok := r.Enter(&s.boxes[i]); ok {
			s.found.Take(s.ids[i], t)
		}
	}
	return s.found.Append(dst)
}

// First implements [index.Rays].
func (s *Slice) First(r *index.Ray) (index.Hit, bool) {
	var best index.First
	for i := range s.boxes {
		if t, ok := r.Enter(&s.boxes[i]); ok {
			best.Take(s.ids[i], t)
		}
	}
	return best.Hit()
}

// AppendNearest implements [index.Nearest]: it keeps a sorted list of the best k.
func (s *Slice) AppendNearest(dst []index.Neighbor, p [3]float32, k int) []index.Neighbor {
	near := s.near[:0]
	for i := range s.boxes {
		n := index.Neighbor{ID: s.ids[i], Dist2: index.Dist2(&s.boxes[i], p)}
		if len(near) == k && (k == 0 || byDistance(n, near[k-1]) > 0) {
			continue
		}
		if len(near) == k {
			near = near[:k-1]
		}
		at, _ := slices.BinarySearchFunc(near, n, byDistance)
		near = slices.Insert(near, at, n)
	}
	s.near = near
	return append(dst, near...)
}

// AllPairs calls yield once for each two objects whose closed boxes share a point.
func (s *Slice) AllPairs(yield func(a, b uint32)) {
	for i := range s.boxes {
		a := s.boxes[i]
		for j := range s.boxes[:i] {
			if s.boxes[j].Overlaps(a) {
				yield(s.ids[j], s.ids[i])
			}
		}
	}
}
