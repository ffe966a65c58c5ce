package query

import (
	"iter"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// Point is a stabbing query (point query): it finds the objects whose axis-aligned boxes contain a point. Make one with
// [NewPoint]. The zero value is the origin.
//
// An object is reported when min <= point <= max on each axis. The test is exact and borders are
// included: the answer is as for a [Box] of no extent.
type Point walk.Point

// NewPoint returns the stabbing query of a point. NaN or infinity is an error.
func NewPoint(p [3]float32) (q Point, err error) {
	if !allFinite(&p) {
		return Point{}, infinite("point", p)
	}
	(*walk.Point)(&q).Set(&p, &p)
	return q, nil
}

// asBox returns the box query with the same answer.
func (p *Point) asBox() *Box { return (*Box)((*walk.Point)(p).Box()) }

// Append appends the IDs of the objects that contain the point to dst and
// returns it, in the order, at the cost and with the allocations of
// [Frustum.Append].
func (p Point) Append(dst []uint32, v linear.View, flt Filter) []uint32 {
	return p.asBox().Append(dst, v, flt)
}

// Count returns the number of objects that contain the point, without reading
// IDs.
func (p Point) Count(v linear.View, flt Filter) int { return p.asBox().Count(v, flt) }

// Any reports whether an object contains the point. It stops at the first one found.
func (p Point) Any(v linear.View, flt Filter) bool { return p.asBox().Any(v, flt) }

// All returns an iterator over the IDs of the objects that contain the point, in the order of
// [Point.Append]. The walk runs when the iteration starts. Changing the tree during the iteration
// makes it panic.
func (p Point) All(v linear.View, flt Filter) iter.Seq[uint32] { return p.asBox().All(v, flt) }

// Ranges calls yield with the answer as ranges of packet slots, in the order of [Point.Append],
// until yield returns false, as [Frustum.Ranges] does.
func (p Point) Ranges(v linear.View, flt Filter, yield func(Range) bool) {
	p.asBox().Ranges(v, flt, yield)
}
