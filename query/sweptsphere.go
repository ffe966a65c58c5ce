package query

import (
	"fmt"
	"iter"
	"math"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// SweptSphere is a sphere cast: a ball that moves along a vector during the time 0 to 1. Make one
// with [NewSweptSphere]. The zero value hits nothing.
//
// It hits the closed boxes to which its centre comes as near as the radius. The test is exact at edges and corners,
// where a box around the ball would hit too early. The Dist of a [Hit] is the first such time, in [0, 1]. Pos is
// the point of the box nearest to the centre at that time, and Normal the direction from there to the centre, also
// if they touch at the start; it is zero if they overlap then, and if the ball has no radius. The answer is the
// same on every CPU. [SweptSphere.Entering] leaves out the objects that are only touched.
//
// With Filter.Exact the bounding sphere of an object that has one stands for its box, and so does
// the oriented box. If an object has both bounds, both must be hit: Dist is the later of the
// times, and Pos and Normal belong to the bound that is hit then.
//
// # Rounding
//
// The test of [SweptBox] for the box around the ball selects the candidates. For each candidate
// the squared distance of the moving centre from the box, a convex function of up to seven
// parabolas, is followed in float64 until it falls to the square of
//
//	radius * (1 + 2^-40) + 3*2^-45 * M
//
// where M is the largest coordinate of the box, the centre and the motion, by size. The addition
// exceeds all rounding errors: there are no false negatives in exact arithmetic, and a false
// positive is hit by a ball larger by twice as much. The tolerance is in proportion to the box and
// the motion, however small the ball: a box, or a motion, of a length of 1e38 is hit from up to
// 1e25 away.
//
// Dist is the time rounded to float32, but not less than the time at which the box around the ball
// hits the object, and not above 1. Where the ball only grazes the object, or only the tolerance
// makes it a hit, Dist may be that time of the box, when the ball itself has passed the object.
//
// With Filter.Exact, R being the sum of the radii, a sphere is hit when the centre comes as near
// to its centre as
//
//	R * (1 + 2^-40) + 3*2^-45 * M
//
// where M is the largest coordinate of the two centres, by size, or, if that is larger, up to
// their distance on the longest axis of the motion plus R. It does not depend on the box or the
// length of the motion.
//
// For an oriented box the test is as for a box, in the frame of the oriented one. A rectangular
// box stands for it, which contains it. It is larger by up to 2^-16 of the half axes, where these
// are not quite at right angles or are rounded. M is the largest number in its frame: half axes,
// coordinates of the centre relative to the box's, or the motion until it has passed the
// box.
type SweptSphere walk.Sweep

// NewSweptSphere returns the motion of a ball along a vector, which may be zero. It is an error,
// which names the numbers, if a number is NaN or infinite, if the radius is negative, or if the
// ball at the start reaches beyond the largest float32 on an axis, however little: the box around
// it would be cut off there. The ball may move beyond.
func NewSweptSphere(center [3]float32, radius float32, motion [3]float32) (s SweptSphere, err error) {
	if !allFinite(&center) {
		return SweptSphere{}, infinite("sphere centre", center)
	}
	if !allFinite(&motion) {
		return SweptSphere{}, infinite("motion", motion)
	}
	if !(radius >= 0) {
		return SweptSphere{}, fmt.Errorf("query: sphere radius %v is negative or NaN", radius)
	}
	var lo, hi [3]float32
	for a := range 3 {
		c, r := float64(center[a]), float64(radius)
		if exceeds(math.Abs(c), r) {
			return SweptSphere{}, fmt.Errorf("query: sphere at %v of radius %v exceeds float32", center, radius)
		}
		lo[a], hi[a] = below(c-r), -below(-c-r)
	}
	(*walk.Sweep)(&s).SetSphere(&lo, &hi, &center, radius, &motion)
	return s, nil
}

// exceeds reports whether the sum of two numbers is above the largest float32. The sum in float64
// may be rounded down to it; its rounding error is exact (O. Møller, Quasi Double-Precision in
// Floating Point Addition, 1965).
func exceeds(x, y float64) bool {
	sum := x + y
	part := sum - x
	lost := (x - (sum - part)) + (y - part)
	return sum > math.MaxFloat32 || sum == math.MaxFloat32 && lost > 0
}

// below returns a float32 that is not above x, nor more than two steps below.
func below(x float64) float32 {
	f := float32(x)
	if float64(f) >= x { // x itself may have been rounded up
		f = math.Nextafter32(f, -math.MaxFloat32)
	}
	return f
}

// Entering returns the sphere cast without the objects that are touched and not entered, such as the floor under a
// ball that rests on it, or rolls along it. An object is left out unless at some time the centre comes nearer to
// its box than
//
//	radius * (1 - 2^-40) - 3*2^-45 * M
//
// with M as at [SweptSphere], or the centre comes deeper into the box than the negative of that, if it is not above
// 0. The distance is computed in float64. So no object is left out that the ball enters by more than twice the
// tolerance, and every object is that it only touches in exact arithmetic. With Filter.Exact the same holds for the
// bounds of objects; of two bounds both must be entered. The hits that stay are the same as without Entering.
//
// The result is a function of the sphere cast, and costs a copy. Its queries test each hit once more.
func (s SweptSphere) Entering() SweptSphere {
	(*walk.Sweep)(&s).SetEntering(true)
	return s
}

// First returns the first hit of the moving ball: the earliest, and of equally early ones the one with
// the smallest ID. ok is false when there is none. It does not allocate.
func (s *SweptSphere) First(v linear.View, flt Filter) (h Hit, ok bool) {
	ok = firstHit(&h, (*walk.Sweep)(s), v, &flt)
	return h, ok
}

// FirstID returns the ID and the Dist of the hit of [SweptSphere.First], without its position and
// normal, which takes less time. ok is false when there is no hit. It does not allocate.
func (s *SweptSphere) FirstID(v linear.View, flt Filter) (id uint32, dist float32, ok bool) {
	return firstID((*walk.Sweep)(s), v, &flt)
}

// FirstFunc returns the first hit with the exact shapes of objects, as computed by test, on the
// terms of [Ray.FirstFunc]. tEnter is the time at which the ball enters the object's box or, with
// Filter.Exact, its bound; t is the time at which it hits the shape. A hit later than 1 does not
// count.
func (s *SweptSphere) FirstFunc(v linear.View, flt Filter, test func(id uint32, tEnter float32) (t float32, hit bool)) (id uint32, dist float32, ok bool) {
	return firstFunc((*walk.Sweep)(s), v, &flt, test)
}

// AppendIDs appends the IDs of all hits to dst and returns it: the hits of [SweptSphere.Append], in the
// order, at the cost and with the allocations of [Ray.AppendIDs].
func (s *SweptSphere) AppendIDs(dst []uint32, v linear.View, flt Filter) []uint32 {
	return appendIDs(dst, (*walk.Sweep)(s), v, &flt)
}

// Count returns the number of hits, without reading IDs. It does not allocate.
func (s *SweptSphere) Count(v linear.View, flt Filter) int {
	return countHits((*walk.Sweep)(s), v, &flt)
}

// Append appends all hits to dst, sorted by time, then ID, and returns it. It allocates only when
// dst lacks room.
func (s *SweptSphere) Append(dst []Hit, v linear.View, flt Filter) []Hit {
	return allHits(dst, (*walk.Sweep)(s), v, &flt)
}

// Any reports whether there is a hit. It stops at the first hit found.
func (s *SweptSphere) Any(v linear.View, flt Filter) bool { return anyHit((*walk.Sweep)(s), v, &flt) }

// All returns an iterator over the hits in the order of [SweptSphere.Append]. The walk runs when
// the iteration starts. Changing the tree during the iteration makes it panic.
func (s *SweptSphere) All(v linear.View, flt Filter) iter.Seq[Hit] {
	return func(yield func(Hit) bool) { eachHit((*walk.Sweep)(s), v, &flt, yield) }
}
