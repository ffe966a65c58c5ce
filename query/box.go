package query

import (
	"iter"
	"math"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// Box is a closed axis-aligned box, for box queries. Make one with [NewBox]. The zero value is the
// origin.
//
// An object is reported when its box shares a point with it:
//
//	min <= query.max && max >= query.min    on each axis
//
// The answer is exact, and boxes that touch are reported.
type Box walk.Box

// NewBox returns the axis-aligned box from min to max, inclusive, as a query. A number that is NaN or infinite, or a
// minimum above its maximum, is an error.
func NewBox(min, max [3]float32) (b Box, err error) {
	for a := range 3 {
		if !(min[a] >= -math.MaxFloat32 && min[a] <= max[a] && max[a] <= math.MaxFloat32) {
			return Box{}, noBox(min, max)
		}
	}
	(*walk.Box)(&b).Set(&min, &max)
	return b, nil
}

// noBox returns the error of a box that is inverted or not finite.
func noBox(min, max [3]float32) error {
	return fault.Errorf("query: %w", soa.AABB{Min: min, Max: max}.Check())
}

// Append appends the IDs of the objects that intersect the box to dst and returns it, in the
// order, at the cost and with the allocations of [Frustum.Append].
func (b Box) Append(dst []uint32, v linear.View, flt Filter) []uint32 {
	store := v.Store()
	f := &walk.Everything
	if flt.restricts() {
		f = flt.in(v, new(walk.Filter))
	}
	return (*walk.Box)(&b).Begin(store).Append(dst, f)
}

// Count returns the number of objects that intersect the box, without reading IDs.
func (b Box) Count(v linear.View, flt Filter) int {
	store := v.Store()
	f := &walk.Everything
	if flt.restricts() {
		f = flt.in(v, new(walk.Filter))
	}
	return (*walk.Box)(&b).Begin(store).Count(f)
}

// Any reports whether an object intersects the box. It stops at the first one found.
func (b Box) Any(v linear.View, flt Filter) bool {
	store := v.Store()
	f := &walk.Everything
	if flt.restricts() {
		f = flt.in(v, new(walk.Filter))
	}
	return (*walk.Box)(&b).Begin(store).Any(f)
}

// All returns an iterator over the IDs of the objects that intersect the box, in the order of
// [Box.Append]. The walk runs when the iteration starts. Changing the tree during the iteration
// makes it panic.
func (b Box) All(v linear.View, flt Filter) iter.Seq[uint32] {
	return func(yield func(uint32) bool) { each((*walk.Box)(&b).Begin(v.Store()), v, flt, yield) }
}

// Ranges calls yield with the answer as ranges of packet slots, in the order of [Box.Append],
// until yield returns false, as [Frustum.Ranges] does.
func (b Box) Ranges(v linear.View, flt Filter, yield func(Range) bool) {
	parts((*walk.Box)(&b).Begin(v.Store()), v, flt, yield)
}
