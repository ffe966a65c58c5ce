package query

import (
	"iter"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// OrientedBox is a closed oriented box (OBB), for queries by a rotated box. Make one with
// [NewOrientedBox]. The zero value is the origin.
//
// An object is reported when its box shares a point with the oriented box, by the separating axis
// theorem. Fifteen axes can separate them: x, y and z, the normals of the faces of the oriented
// box, and the normals of x, y or z and one of its edges. There are no false negatives in exact
// arithmetic. The answer is a function of the oriented box and the boxes alone, the same on every
// CPU. Half axes of no length, of a flat box, a segment or a point, have directions at right
// angles to the others.
//
// Cost: the walk is as for a [Convex] of twelve planes, from the faces and from the box around
// the oriented box. The objects on its border are then tested one by one.
//
// # Rounding
//
// Before the test, the box of an object is clipped to the box around the oriented one. In float64,
// along an axis l, with c and h the centre and the half axes of the oriented box and b the corner
// of the box around it that is furthest from the origin,
//
//	m   = |c| + |h0| + |h1| + |h2| + |b|    on x, y and z
//	off = 2^-49 * (|lx|*mx + |ly|*my + |lz|*mz) + 2^-1000
//
// the two are separate if the object's box is beyond l·c ± (|l·h0| + |l·h1| + |l·h2| + off). The
// addition exceeds all rounding errors. A false positive is separate from the oriented box, on
// each of the exact axes, by 2 off or less.
type OrientedBox walk.Oriented

// NewOrientedBox returns the oriented box with that centre and those half axes. It is an error,
// which names the numbers, if they are not finite, if the axes are not at right angles as far as
// [soa.OrientedBox.Check] requires, or if the box reaches beyond the largest float32.
func NewOrientedBox(box linear.OrientedBox) (b OrientedBox, err error) {
	if err := box.Check(); err != nil {
		return OrientedBox{}, fault.Errorf("query: %w", err)
	}
	if err := box.Box().Check(); err != nil {
		return OrientedBox{}, fault.Errorf("query: oriented box %v: %w", box, err)
	}
	(*walk.Oriented)(&b).Set(&box)
	return b, nil
}

// Append appends the IDs of the objects that intersect the box to dst and returns it, in the
// order, at the cost and with the allocations of [Frustum.Append].
func (b OrientedBox) Append(dst []uint32, v linear.View, flt Filter) []uint32 {
	var keep walk.Filter
	s := v.Store()
	flt.prepare(&keep)
	flt.resolve(v, &keep)
	return (*walk.Oriented)(&b).Begin(s).Append(dst, &keep)
}

// Count returns the number of objects that intersect the box, without reading IDs.
func (b OrientedBox) Count(v linear.View, flt Filter) int {
	var keep walk.Filter
	s := v.Store()
	flt.prepare(&keep)
	flt.resolve(v, &keep)
	return (*walk.Oriented)(&b).Begin(s).Count(&keep)
}

// Any reports whether an object intersects the box. It stops at the first one found.
func (b OrientedBox) Any(v linear.View, flt Filter) bool {
	var keep walk.Filter
	s := v.Store()
	flt.prepare(&keep)
	flt.resolve(v, &keep)
	return (*walk.Oriented)(&b).Begin(s).Any(&keep)
}

// All returns an iterator over the IDs of the objects that intersect the box, in the order of
// [OrientedBox.Append]. The walk runs when the iteration starts. Changing the tree during the
// iteration makes it panic.
func (b OrientedBox) All(v linear.View, flt Filter) iter.Seq[uint32] {
	return func(yield func(uint32) bool) { each((*walk.Oriented)(&b).Begin(v.Store()), v, flt, yield) }
}

// Ranges calls yield with the answer as ranges of packet slots, in the order of
// [OrientedBox.Append], until yield returns false, as [Frustum.Ranges] does.
func (b OrientedBox) Ranges(v linear.View, flt Filter, yield func(Range) bool) {
	parts((*walk.Oriented)(&b).Begin(v.Store()), v, flt, yield)
}
