package query

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
)

// Neighbor is an object and the square of its distance from the point of a
// query. The distance is that of the object's box, 0 when the point lies in the
// closed box, evaluated in float32, each operation rounded by itself:
//
//	d     = max(max(min - p, p - max), 0)      on each axis
//	Dist2 = (dx*dx + dy*dy) + dz*dz
//
// Where all coordinates of the tree and the point are below 2^-40 in size, d is
// multiplied by the power of two that brings the largest of them into [2^60, 2^61),
// at most by 2^127, and Dist2 is the sum divided by the square of that: rounded
// once, where the squares would be denormal. It is the same on every CPU. With D
// the exact distance and u = 2^-24,
//
//	D*D*(1 - 5u) - 2^-148 <= Dist2 <= D*D*(1 + 6u) + 2^-148
//
// unless that is beyond float32, as it is from about D = 2^64 on: then Dist2 is
// +Inf.
//
// Neighbours are compared by Dist2, never by its root, of which several squares
// share one: compare in this domain, too, or use the radii of [Neighbor.Dist]
// and [Neighbor.Low], which are rounded to the safe side.
type Neighbor struct {
	ID    uint32
	Dist2 float32
}

// Dist returns the smallest float32 whose square is at least Dist2. A [Sphere]
// of this radius about the point holds the object, and all others whose Dist2 is
// not larger, so that the sphere through the k-th neighbour holds all k and what
// is tied with the last. It is +Inf if Dist2 is.
func (n Neighbor) Dist() float32 {
	// The product of two float32 is exact in float64.
	d := float32(math.Sqrt(float64(n.Dist2)))
	if float64(d)*float64(d) < float64(n.Dist2) {
		d = math.Nextafter32(d, float32(math.Inf(1)))
	}
	return d
}

// Low returns a lower bound of the exact distance of the box, and so of
// whatever the box holds: the root of Dist2*(1 - 8u) - 2^-147, rounded down, at
// least 0. It grows with Dist2. If Dist2 is +Inf, the largest float32 stands in.
func (n Neighbor) Low() float32 {
	d2 := min(float64(n.Dist2), math.MaxFloat32)
	// The root in float64 and the conversion round by less than one part in
	// 2^23.
	low := math.Sqrt(max(float64(d2*(1-8*0x1p-24))-0x1p-147, 0))
	d := float32(low)
	if float64(d) > low {
		d = math.Nextafter32(d, 0)
	}
	return d
}

// AppendNearest appends the k objects nearest to the point to dst, nearest first,
// and returns it: fewer when no more pass the filter within maxDist, none when k is
// 0. Objects at the same distance are ordered by ID; the distance is Dist2, in tiny
// scenes before it is rounded to that: where all coordinates are below 2^-40, those of the
// point and those that the tree has had since its last tick. Objects whose Dist2 is +Inf
// come last.
//
// maxDist is closed and may be [Unlimited]. An object is within it when
//
//	Dist2 <= maxDist*maxDist*(1 + 6u) + 2^-148, rounded up to float32
//
// as it is within a [Sphere] of that radius, but for a limit beyond float32, which is
// +Inf, and for distances that are denormal when squared. No object that is as near as
// maxDist in exact arithmetic is lost, and none is kept that is further away than
// maxDist*(1 + 2^-21) + 2^-73.
//
// A point that is not finite, a maxDist that is negative or NaN, a negative k, or a
// filter that is out of range is an error that names the numbers; dst is then returned
// as it was.
//
// Cost: about a node for each level of the tree and the packets that the sphere
// through the k-th object meets; O(log k) for each of their objects when k
// exceeds 16 or there is a filter; never more than about a scan of all packets,
// and the sort of the answer. It allocates only when dst lacks room for the
// answer. Any number of goroutines may query one view.
func AppendNearest(dst []Neighbor, v linear.View, point [3]float32, k int, maxDist float32, flt Filter) ([]Neighbor, error) {
	s := v.Store()
	bound, err := reachOf(&point, k, maxDist, &flt)
	if err != nil {
		return dst, err
	}
	m := phase.Enter(phase.Nearest)
	q := takeNearest()
	q.search(s, &point, k, bound, &flt)
	dst = q.append(dst)
	q.release()
	m.Leave()
	return dst, nil
}

// reachOf checks the arguments of a query and returns the bound of Dist2.
func reachOf(point *[3]float32, k int, maxDist float32, flt *Filter) (float32, error) {
	if err := flt.Check(); err != nil {
		return 0, err
	}
	if err := finite("point", point); err != nil {
		return 0, err
	}
	if k < 0 {
		return 0, fmt.Errorf("query: the %d nearest objects, want 0 or more", k)
	}
	if !(maxDist >= 0) {
		return 0, fmt.Errorf("query: distance %v is negative or NaN", maxDist)
	}
	return asm.NearBound(maxDist), nil
}
