package query

import (
	"fmt"
	"iter"
	"math"

	"github.com/zoctree/zoctree/linear"
)

// Ray is the points origin + t*dir for t from 0 to maxDist. Make one with
// [NewRay]. The zero value meets nothing.
//
// It meets the closed boxes that share a point with it: a ray that runs along a
// face or through a corner meets the box. The hit's Dist is the first such t: a
// distance if dir has length 1, a share of a segment if dir is the segment and
// maxDist 1. Per axis, n is the face of the box that the ray meets first and f
// the opposite one; in float32, left to right, with d the component of dir
// times the power of two that brings the longest into [1, 2):
//
//	enter = (n - origin) * (1/d)
//	leave = (f - origin) * (1/d * (1 + 5*2^-23))
//	hit:    max(0, enter x, y, z) <= min(maxDist, leave x, y, z)
//
// where maxDist, in the same unit of time, is raised by a relative 5*2^-23. On
// an axis with d = 0, of either sign, the origin must lie in the closed slab. A d
// below 2^-126 by size counts as no motion of an origin that covers the whole way on
// that axis. [asm.MakeRay] states what is done at the ends of float32.
//
// Exactness: the raised factors exceed all rounding errors, so no box that the
// ray meets in exact arithmetic is lost. With u = 2^-24 and L the longest component
// of dir, by size, what is reported beyond that is met by a ray whose times of exit,
// and maxDist, are longer by
//
//	18u of the time + 2^-146/L
//
// and, on an axis on which the origin is below 2^-100 by size, whose origin is back
// by up to 2^-124 when it leaves. Dist is within
//
//	4u*t + 2^-150 + 2^-149/L
//
// of the exact time of entry t, or of maxDist or the largest float32 if t exceeds
// them: so it has few digits, or none, where the distance is denormal, or where dir
// is so long that Dist is. The relative terms alone hold elsewhere.
//
// Dist is at most maxDist, and hits are in the order of Dist, as it is reported, and
// ID. Every ray ends at the time 2^127 of the scaled direction, when it has covered
// 2^127 or more on its longest axis; only coordinates beyond 2^126 are as far apart.
// The answer is the same on every CPU.
//
// A hit's Pos is origin + Dist*dir in float32, moved into the box, on the axis
// of entry the face itself. Where Dist*dir exceeds float32 it is infinite, and Pos
// the face of the box on that side. Its Normal is that of the face entered, the first
// of x, y, z if the ray enters through an edge or a corner. If the origin lies
// in the closed box, Dist is 0 and Normal zero.
//
// With Filter.Exact the box only picks the object, if it has a bound; a
// sphere is met as by a [SweptSphere] of radius 0, with the tolerance told there:
// Dist is the time at which the ray enters the sphere, but not less than that for
// the box, Pos the point of the sphere, Normal the direction from its centre. If the
// origin lies in the sphere, Dist is 0 and Normal zero. An oriented box is met so, too; its
// Normal is that of the face entered, the first in the order of its axes if there are
// several. Of an object with both, both are met, at the later of the times.
//
// A Ray is a value without pointers; any number of goroutines may use it.
type Ray struct{ sweep sweep }

// NewRay returns a ray. dir may have any length but zero; maxDist counts in its
// lengths and may be [Unlimited]. NaN, an infinite origin or direction, a
// direction of zero, or a negative maxDist is an error that names the numbers.
func NewRay(origin, dir [3]float32, maxDist float32) (r Ray, err error) {
	if !allFinite(&origin) {
		return Ray{}, infinite("ray origin", origin)
	}
	if !allFinite(&dir) {
		return Ray{}, infinite("ray direction", dir)
	}
	if dir[0] == 0 && dir[1] == 0 && dir[2] == 0 {
		return Ray{}, fmt.Errorf("query: ray direction %v is zero", dir)
	}
	if !(maxDist >= 0) {
		return Ray{}, fmt.Errorf("query: ray length %v is negative or NaN", maxDist)
	}
	if maxDist == Unlimited {
		maxDist = float32(math.Inf(1)) // with a short direction, more than the largest number
	}
	s := &r.sweep
	s.set(&origin, &origin, &dir, maxDist)
	s.setBall(&origin, 0, min(float64(maxDist)/s.back, 0x1p127))
	return r, nil
}

// First returns the first hit: the smallest Dist, of equal ones that of the
// smallest ID. ok is false when there is none. It visits nodes front to back
// and leaves out what begins beyond the best hit so far; where that leaves nothing
// out it takes about as long as a scan of all packets, and less where all hits
// are equally near. It does not allocate.
func (r Ray) First(v linear.View, flt Filter) (h Hit, ok bool) {
	return r.sweep.nearest(v, flt)
}

// FirstID returns the ID and the Dist of what [Ray.First] hits, without its place and
// normal, which takes less time. ok is false when there is no
// hit. It does not allocate.
func (r Ray) FirstID(v linear.View, flt Filter) (id uint32, dist float32, ok bool) {
	return r.sweep.first(v, flt)
}

// FirstFunc returns the first hit by the judgement of the caller, who knows the shapes
// in the boxes: of all objects for which judge returns a Dist that counts, the one of
// the least, of equal ones that of the smallest ID.
//
// judge is given an ID and the Dist at which the ray gets to its box, or with
// Filter.Exact to its sphere. What it returns counts if it is neither less than that
// nor more than the best Dist so far; anything else, NaN or -1 say, means that there
// is no hit. Each Dist that counts shortens the way that is left to look at.
// judge is called at most once for an object, never for one whose box begins beyond the
// best hit so far, and in an order that is a function of the tree and the query alone,
// roughly from the nearest on. It may ask other questions; if it changes the tree,
// FirstFunc panics when it returns. A panic of judge passes through.
//
// Cost: as [Ray.First] without the shapes' own, packet by packet. It does not
// allocate.
func (r Ray) FirstFunc(v linear.View, flt Filter, judge func(id uint32, enter float32) float32) (id uint32, dist float32, ok bool) {
	return r.sweep.firstFunc(v, flt, judge)
}

// AppendIDs appends the IDs of all hits to dst and returns it: those of [Ray.Append],
// not sorted, but in the order of the walk, which is a function of the tree and the
// query alone. Cost: proportional to the nodes and packets along the way. It allocates
// only when dst lacks room.
func (r Ray) AppendIDs(dst []uint32, v linear.View, flt Filter) []uint32 {
	return r.sweep.appendIDs(dst, v, flt)
}

// Count returns the number of hits, without reading IDs. It does not allocate.
func (r Ray) Count(v linear.View, flt Filter) int { return r.sweep.count(v, flt) }

// Append appends all hits to dst, by Dist, then ID, and returns it. Cost:
// proportional to the nodes and packets along the ray, and h log h for h hits.
// It allocates only when dst lacks room.
func (r Ray) Append(dst []Hit, v linear.View, flt Filter) []Hit {
	return r.sweep.append(dst, v, flt)
}

// Any reports whether the ray meets anything: a shadow ray. It stops when it has
// found one.
func (r Ray) Any(v linear.View, flt Filter) bool { return r.sweep.any(v, flt) }

// All returns an iterator over the hits in the order of [Ray.Append]. The walk
// is made when the iteration starts: to take a few of many hits, set maxDist.
// Changing the tree during the iteration makes it panic.
func (r Ray) All(v linear.View, flt Filter) iter.Seq[Hit] {
	return func(yield func(Hit) bool) { r.sweep.each(v, flt, yield) }
}
