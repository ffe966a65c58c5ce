package query

import (
	"fmt"
	"iter"
	"math"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// Ray is a ray cast: the points origin + t*dir for t from 0 to maxDist. Make one with [NewRay].
// The zero value hits nothing. A Ray is a value without pointers; any number of goroutines may use
// it.
//
// A ray hits every closed box that shares a point with it, also if it only runs along a face or
// through a corner. The Dist of a [Hit] is the first such t: a distance if dir has length 1, a
// fraction of a segment if dir is the segment and maxDist is 1. Dist is at most maxDist, and hits
// are in the order of Dist, as it is reported, and ID. The answer is the same on every CPU.
//
// Pos is origin + Dist*dir in float32, moved into the box; on the axis of entry it is the face
// itself. Where Dist*dir exceeds float32 it is infinite, and Pos is the face of the box on that
// side. Normal is the normal of the face entered, the first of x, y, z if the ray enters through an edge
// or a corner. If the origin lies in the closed box, Dist is 0 and Normal zero.
//
// With Filter.Exact the box only selects candidates, for objects that have a bounding sphere or an
// oriented box:
//
//   - A sphere is tested as by a [SweptSphere] of radius 0, with the tolerance stated there. Dist
//     is the time at which the ray enters the sphere, but not less than that for the box. Pos is
//     the point of the sphere, and Normal the direction from its centre. If the origin lies in the
//     sphere, Dist is 0 and Normal zero.
//   - An oriented box is tested likewise. Its Normal belongs to the face entered, the first in the
//     order of its axes if there are several.
//   - If an object has both bounds, both must be hit, and the later hit counts.
//
// # Rounding
//
// Per axis, n is the face of the box that the ray hits first and f the opposite one. In float32,
// left to right, with d the component of dir times the power of two that brings the longest into
// [1, 2):
//
//	enter = (n - origin) * (1/d)
//	leave = (f - origin) * (1/d * (1 + 5*2^-23))
//	hit:    max(0, enter x, y, z) <= min(maxDist, leave x, y, z)
//
// where maxDist, in the same unit of time, is raised by a relative 5*2^-23. On an axis with d = 0,
// of either sign, the origin must lie in the closed slab. A d below 2^-126 in size counts as no
// motion, of an origin that covers the whole path on that axis. [trace.MakeRay] states the rules at
// the ends of float32.
//
// The raised factors exceed all rounding errors, so there are no false negatives in exact
// arithmetic. With u = 2^-24 and L the longest component of dir, by size, a false positive would
// be hit in exact arithmetic if times of exit, and maxDist, were longer by
//
//	18u of the time + 2^-146/L
//
// and, on an axis on which the origin is below 2^-100 in size, if the origin were moved back by up
// to 2^-124 for the exit. Dist is within
//
//	4u*t + 2^-150 + 2^-149/L
//
// of the exact time of entry t, or of maxDist or the largest float32 if t exceeds them. So Dist
// has few digits, or none, where the distance is denormal, or where dir is so long that Dist is.
// Elsewhere the relative terms alone hold.
//
// Every ray ends at the time 2^127 of the scaled direction, when it has covered 2^127 or more on
// its longest axis; only coordinates beyond 2^126 are as far apart.
type Ray walk.Sweep

// NewRay returns a ray. dir may have any length but zero; maxDist is in units of that length and
// may be [Unlimited]. NaN, an infinite origin or direction, a direction of zero, or a negative
// maxDist is an error that names the numbers.
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
		maxDist = float32(math.Inf(1)) // a short direction can make this larger than the largest float32
	}
	(*walk.Sweep)(&r).SetPoint(&origin, &dir, maxDist)
	return r, nil
}

// First returns the first hit of the ray: the smallest Dist, and for equal ones the smallest ID.
// ok is false when there is none. It does not allocate.
//
// Cost: it visits nodes front to back and skips those that begin beyond the best hit so far. Where
// that skips nothing it takes about as long as a scan of all packets, and less where all hits are
// equally near.
func (r *Ray) First(v linear.View, flt Filter) (h Hit, ok bool) {
	ok = firstHit(&h, (*walk.Sweep)(r), v, &flt)
	return h, ok
}

// FirstID returns the ID and the Dist of the hit of [Ray.First], without its position and normal,
// which takes less time. ok is false when there is no hit. It does not allocate.
func (r *Ray) FirstID(v linear.View, flt Filter) (id uint32, dist float32, ok bool) {
	return firstID((*walk.Sweep)(r), v, &flt)
}

// FirstFunc returns the first hit with the exact shapes of objects, such as triangle meshes, as
// computed by test: the hit with the smallest Dist, and for equal ones the smallest ID.
//
// test receives an ID and tEnter, the Dist at which the ray enters the object's box or, with
// Filter.Exact, its bound. It returns the Dist t at which the ray hits the object's shape, or hit
// == false if there is none. A t before tEnter, as rounding may give it, is taken for tEnter. The
// hit counts unless t is NaN or beyond the best hit so far, at first beyond the ray's maxDist. Each
// hit shortens the rest of the ray.
//
// test is called at most once for an object, and never for one whose box begins beyond the best
// hit so far. The order of calls is a function of the tree and the query alone, roughly from the
// nearest on. test may run other queries. If it changes the tree, FirstFunc panics when test
// returns. A panic of test passes through.
//
// Cost: as [Ray.First], packet by packet, and the calls of test. It does not allocate.
func (r *Ray) FirstFunc(v linear.View, flt Filter, test func(id uint32, tEnter float32) (t float32, hit bool)) (id uint32, dist float32, ok bool) {
	return firstFunc((*walk.Sweep)(r), v, &flt, test)
}

// AppendIDs appends the IDs of all hits to dst and returns it: the hits of [Ray.Append], in the order
// of the walk, which is a function of the tree and the query alone. Cost: proportional to the
// nodes and packets along the ray. It allocates only when dst lacks room.
func (r *Ray) AppendIDs(dst []uint32, v linear.View, flt Filter) []uint32 {
	return appendIDs(dst, (*walk.Sweep)(r), v, &flt)
}

// Count returns the number of hits, without reading IDs. It does not allocate.
func (r *Ray) Count(v linear.View, flt Filter) int { return countHits((*walk.Sweep)(r), v, &flt) }

// Append appends all hits to dst, sorted by Dist, then ID, and returns it. Cost: proportional to
// the nodes and packets along the ray, and h log h for h hits. It allocates only when dst lacks
// room.
func (r *Ray) Append(dst []Hit, v linear.View, flt Filter) []Hit {
	return allHits(dst, (*walk.Sweep)(r), v, &flt)
}

// Any reports whether the ray hits an object, as for a shadow ray. It stops at the first hit
// found.
func (r *Ray) Any(v linear.View, flt Filter) bool { return anyHit((*walk.Sweep)(r), v, &flt) }

// All returns an iterator over the hits in the order of [Ray.Append]. The walk runs when the
// iteration starts: to take a few of many hits, set maxDist. Changing the tree during the
// iteration makes it panic.
func (r *Ray) All(v linear.View, flt Filter) iter.Seq[Hit] {
	return func(yield func(Hit) bool) { eachHit((*walk.Sweep)(r), v, &flt, yield) }
}
