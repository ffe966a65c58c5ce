package linear

import (
	"math"
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/linear/internal/octree"
)

// Bounds returns the smallest known box that contains all objects and the images of all parts.
// Images that exceed float32 make it infinite. It applies deferred changes: see [Scene.View].
func (s *Scene) Bounds() AABB {
	s.made()
	return s.partNode.sync().bounds
}

// Radius returns an upper bound of the distance from the origin to any object or image of a part.
// It applies deferred changes: see [Scene.View].
func (s *Scene) Radius() float64 {
	s.made()
	return s.partNode.sync().radius
}

// renew updates the state of a scene.
func (s *Scene) renew(st *state) {
	own, instances := s.entries[ownEntry].partNode.sync(), s.entries[instancesEntry].partNode.sync()
	st.objects, st.instances, st.in, st.transforms = own.objects, instances.objects, s.in, s.transforms
	st.bounds, st.radius = own.bounds.Union(instances.bounds), max(own.radius, instances.radius)
	st.total, st.shape, st.outgrown = own.total, s.shape, st.outgrown[:0]
	for i, ok := s.held.Next(0); ok; i, ok = s.held.Next(i + 1) {
		e := &s.entries[i]
		inner := e.partNode.sync()
		st.shape = max(st.shape, inner.shape)
		st.total = sumOf(st.total, productOf(uint64(len(e.ids)), inner.total))
		turning := e.turns > 0 && !e.bounds.holdsRadius(inner)
		others := e.turns < len(e.ids) && !e.bounds.holdsBounds(inner)
		if !turning && !others {
			continue
		}
		for _, id := range e.ids {
			row := &s.rows[id]
			if turns := row.turns(); turns && !turning || !turns && !others {
				continue
			}
			box := imageOf(&s.transforms[id], &inner.bounds)
			st.bounds = st.bounds.Union(box)
			st.radius = max(st.radius, cornerOf(&box))
			st.outgrown = append(st.outgrown, id)
		}
	}
	slices.Sort(st.outgrown)
}

// cornerOf returns an upper bound of the distance to the farthest corner of a box, 0 for an empty
// one.
func cornerOf(b *AABB) float64 {
	square := 0.0
	for a := range 3 {
		x := float64(max(-b.Min[a], b.Max[a], 0))
		square += float64(x * x)
	}
	return octree.Radius(square)
}

// sumOf returns a + b, at most 2^64 - 1.
func sumOf(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	return sum | -carry
}

// productOf returns a * b, at most 2^64 - 1.
func productOf(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	if high > 0 {
		return math.MaxUint64
	}
	return low
}
