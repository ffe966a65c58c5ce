package query

import (
	"fmt"
	"iter"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// MaxPlanes is the largest number of planes of a [Convex].
const MaxPlanes = cull.MaxPlanes

// Convex is a convex volume of up to [MaxPlanes] planes: a portal, a room, the shadow volume of a
// light. Make one with [ConvexPlanes]. The zero value has no planes and contains everything.
//
// The test is as for [Frustum]: the p-vertex test, with each plane widened by the rounding bound,
// relative and absolute, that is stated there. So there are no false negatives, and some objects
// near edges and corners are reported that do not intersect the volume. The answer for six planes
// is the same as for a frustum with these planes.
//
// Cost: as for a frustum, in proportion to the planes tested. A packet is rejected at the first
// plane that has all its objects behind it, so put the plane that excludes most first.
type Convex walk.Convex

// ConvexPlanes returns the volume inside planes {nx, ny, nz, d}, whose inside is
// nx*x + ny*y + nz*z + d >= 0. Normals need not have length 1. A plane without normal contains
// everything if d >= 0, else nothing. No planes contain everything. NaN, infinity or more than
// [MaxPlanes] planes are an error. It allocates once; the planes are copied.
func ConvexPlanes(planes [][4]float32) (Convex, error) {
	if len(planes) > MaxPlanes {
		return Convex{}, fmt.Errorf("query: a convex volume of %d planes, at most %d are possible", len(planes), MaxPlanes)
	}
	scaled := make([][4]float32, len(planes))
	for i, p := range planes {
		if err := finitePlane(i, &p); err != nil {
			return Convex{}, err
		}
		scaled[i] = cull.ScalePlane([4]float64{float64(p[0]), float64(p[1]), float64(p[2]), float64(p[3])})
	}
	return Convex(walk.MakeConvex(scaled)), nil
}

// Append appends the IDs of the objects in the volume to dst and returns it, in
// the order and with the allocations of [Frustum.Append].
func (c Convex) Append(dst []uint32, v linear.View, flt Filter) []uint32 {
	var keep walk.Filter
	s := v.Store()
	flt.prepare(&keep)
	flt.resolve(v, &keep)
	return (*walk.Convex)(&c).Begin(s).Append(dst, &keep)
}

// Count returns the number of objects in the volume, without reading IDs.
func (c Convex) Count(v linear.View, flt Filter) int {
	var keep walk.Filter
	s := v.Store()
	flt.prepare(&keep)
	flt.resolve(v, &keep)
	return (*walk.Convex)(&c).Begin(s).Count(&keep)
}

// Any reports whether an object is in the volume. It stops at the first one found.
func (c Convex) Any(v linear.View, flt Filter) bool {
	var keep walk.Filter
	s := v.Store()
	flt.prepare(&keep)
	flt.resolve(v, &keep)
	return (*walk.Convex)(&c).Begin(s).Any(&keep)
}

// All returns an iterator over the IDs of the objects in the volume, in the order of
// [Convex.Append]. The walk runs when the iteration starts. Changing the tree during the iteration
// makes it panic.
func (c Convex) All(v linear.View, flt Filter) iter.Seq[uint32] {
	return func(yield func(uint32) bool) { each((*walk.Convex)(&c).Begin(v.Store()), v, flt, yield) }
}

// Ranges calls yield with the answer as ranges of packet slots, in the order of [Convex.Append],
// until yield returns false, as [Frustum.Ranges] does.
func (c Convex) Ranges(v linear.View, flt Filter, yield func(Range) bool) {
	parts((*walk.Convex)(&c).Begin(v.Store()), v, flt, yield)
}
