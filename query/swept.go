package query

import (
	"iter"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// SweptBox is a box cast, a shape cast of a box that moves along a vector, without rotation, during the time 0 to
// 1. Make one with [NewSweptBox]. The zero value hits nothing.
//
// It hits the closed boxes that it overlaps or touches at some time. The Dist of a [Hit] is the
// first such time, in [0, 1]. Pos is the middle of the intersection of the two boxes at the time
// Dist, in float32; on the axis of entry, it is the face of the object. Where Dist times the
// motion exceeds float32, Pos is the face of the object on that side. Normal is the normal of the face
// entered, the first of x, y, z if several are entered at once.
//
// If the boxes touch at the start, without a common inner point, Normal is that of the face touched, and points away
// from the object. Where an edge or a corner touches, it belongs to the first axis of x, y, z on which the boxes touch
// and the motion does not bring them closer, else to the first on which they touch. So Normal is against the motion if
// and only if the moving box enters the object. If the boxes overlap at the start, Normal is zero.
// [SweptBox.Entering] leaves out the objects that are only touched.
//
// # Rounding
//
// The test is as for [Ray] with the faces of the moving box in location of the origin, so no sum of
// sizes is rounded. On an axis on which the motion d > 0 the times of entry and exit are
//
//	(min - Max) * (1/d)       (max - Min) * (1/d * (1 + 5*2^-23))
//
// with min, max of the object and Min, Max of the moving box at time 0. The bounds of [Ray] hold,
// for a maxDist of 1 and the faces of the moving box as origins: there are no false negatives, and
// a false positive would be hit if times of exit were longer by as much as stated there.
type SweptBox walk.Sweep

// NewSweptBox returns the motion of a box along a vector, which may be zero: a box at rest hits
// the boxes that it overlaps. NaN, infinity or an inverted box is an error. The box may move
// beyond the largest float32, without false negatives on the way.
func NewSweptBox(box linear.AABB, motion [3]float32) (b SweptBox, err error) {
	if err := box.Check(); err != nil {
		return SweptBox{}, fault.Errorf("query: swept %w", err)
	}
	if !allFinite(&motion) {
		return SweptBox{}, infinite("motion", motion)
	}
	(*walk.Sweep)(&b).SetBox(&box.Min, &box.Max, &motion)
	return b, nil
}

// Entering returns the box cast without the objects that are touched and not entered, such as the floor under a box
// at rest on it, or a wall along which a box slides. On an axis with the motion d, an object is left out if
//
//	d <= 0 and its min is not below the Max of the moving box at the start, or
//	d >= 0 and its max is not above the Min
//
// since then the two never have a common inner point. The comparison is exact. The hits of an object that is
// entered are the same as without Entering, also if the moving box touches or overlaps it at the start. A contact
// at the time 1, or with an edge in passing, is still a hit.
//
// The result is a function of the box cast, and costs a copy. Its queries test each hit, and do not find the first one
// by kernels alone.
func (b SweptBox) Entering() SweptBox {
	(*walk.Sweep)(&b).SetEntering(true)
	return b
}

// First returns the first hit of the moving box: the earliest, and of equally early ones the one with
// the smallest ID. ok is false when there is none. Cost: as [Ray.First]. It does not allocate.
func (b *SweptBox) First(v linear.View, flt Filter) (h Hit, ok bool) {
	ok = firstHit(&h, (*walk.Sweep)(b), v, &flt)
	return h, ok
}

// FirstID returns the ID and the Dist of the hit of [SweptBox.First], without its position and
// normal, which takes less time. ok is false when there is no hit. It does not allocate.
func (b *SweptBox) FirstID(v linear.View, flt Filter) (id uint32, dist float32, ok bool) {
	return firstID((*walk.Sweep)(b), v, &flt)
}

// FirstFunc returns the first hit with the exact shapes of objects, as computed by test, on the
// terms of [Ray.FirstFunc]. tEnter is the time at which the moving box enters the object's box or,
// with Filter.Exact, its bound; t is the time at which it hits the shape. A hit later than 1 does
// not count.
func (b *SweptBox) FirstFunc(v linear.View, flt Filter, test func(id uint32, tEnter float32) (t float32, hit bool)) (id uint32, dist float32, ok bool) {
	return firstFunc((*walk.Sweep)(b), v, &flt, test)
}

// AppendIDs appends the IDs of all hits to dst and returns it: the hits of [SweptBox.Append], in the
// order, at the cost and with the allocations of [Ray.AppendIDs].
func (b *SweptBox) AppendIDs(dst []uint32, v linear.View, flt Filter) []uint32 {
	return appendIDs(dst, (*walk.Sweep)(b), v, &flt)
}

// Count returns the number of hits, without reading IDs. It does not allocate.
func (b *SweptBox) Count(v linear.View, flt Filter) int { return countHits((*walk.Sweep)(b), v, &flt) }

// Append appends all hits to dst, sorted by time, then ID, and returns it. It allocates only when
// dst lacks room.
func (b *SweptBox) Append(dst []Hit, v linear.View, flt Filter) []Hit {
	return allHits(dst, (*walk.Sweep)(b), v, &flt)
}

// Any reports whether there is a hit. It stops at the first hit found.
func (b *SweptBox) Any(v linear.View, flt Filter) bool { return anyHit((*walk.Sweep)(b), v, &flt) }

// All returns an iterator over the hits in the order of [SweptBox.Append]. The walk runs when the
// iteration starts. Changing the tree during the iteration makes it panic.
func (b *SweptBox) All(v linear.View, flt Filter) iter.Seq[Hit] {
	return func(yield func(Hit) bool) { eachHit((*walk.Sweep)(b), v, &flt, yield) }
}
