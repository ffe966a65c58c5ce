package query

import (
	"fmt"
	"iter"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// Sphere is a closed ball, for sphere queries (radius search). Make one with [NewSphere]. The zero value is the
// origin.
//
// An object is reported when the distance of its box from the centre is at most the radius. The
// answer is the same on every CPU. There are no false negatives in exact arithmetic, and every
// reported box is within radius*(1 + 2^-21) + 2^-73 of the centre.
//
// # Rounding
//
// With c the centre and d, on each axis, its distance from the interval of the box, the test is
//
//	d = (c - min(max(c, box.min), box.max)) * scale
//	(dx*dx + dy*dy) + dz*dz <= limit
//
// in float32. The scale is a power of two that brings the radius into [2^60, 2^61), and the limit
// is the square of the scaled radius, raised by the rounding bound that [cull.MakeSphere] states.
type Sphere walk.Sphere

// NewSphere returns the ball with that centre and radius, which may reach beyond the largest
// float32. A number that is NaN or infinite, or a negative radius, is an error.
func NewSphere(center [3]float32, radius float32) (s Sphere, err error) {
	if !isFinite(center[0]) || !isFinite(center[1]) || !isFinite(center[2]) || !isFinite(radius) || radius < 0 {
		return Sphere{}, fmt.Errorf("query: sphere about %v of radius %v: want finite numbers, and a radius of 0 or more", center, radius)
	}
	(*walk.Sphere)(&s).Set(&center, radius)
	return s, nil
}

// Append appends the IDs of the objects that intersect the sphere to dst and returns it, in the
// order, at the cost and with the allocations of [Frustum.Append].
func (b Sphere) Append(dst []uint32, v linear.View, flt Filter) []uint32 {
	store := v.Store()
	f := &walk.Everything
	if flt.restricts() {
		f = flt.in(v, new(walk.Filter))
	}
	return (*walk.Sphere)(&b).Begin(store).Append(dst, f)
}

// Count returns the number of objects that intersect the sphere, without reading IDs.
func (b Sphere) Count(v linear.View, flt Filter) int {
	store := v.Store()
	f := &walk.Everything
	if flt.restricts() {
		f = flt.in(v, new(walk.Filter))
	}
	return (*walk.Sphere)(&b).Begin(store).Count(f)
}

// Any reports whether an object intersects the sphere. It stops at the first one found.
func (b Sphere) Any(v linear.View, flt Filter) bool {
	store := v.Store()
	f := &walk.Everything
	if flt.restricts() {
		f = flt.in(v, new(walk.Filter))
	}
	return (*walk.Sphere)(&b).Begin(store).Any(f)
}

// All returns an iterator over the IDs of the objects that intersect the sphere, in the order of
// [Sphere.Append]. The walk runs when the iteration starts. Changing the tree during the iteration
// makes it panic.
func (b Sphere) All(v linear.View, flt Filter) iter.Seq[uint32] {
	return func(yield func(uint32) bool) { each((*walk.Sphere)(&b).Begin(v.Store()), v, flt, yield) }
}

// Ranges calls yield with the answer as ranges of packet slots, in the order of [Sphere.Append],
// until yield returns false, as [Frustum.Ranges] does.
func (b Sphere) Ranges(v linear.View, flt Filter, yield func(Range) bool) {
	parts((*walk.Sphere)(&b).Begin(v.Store()), v, flt, yield)
}
