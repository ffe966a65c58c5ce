package query

import (
	"fmt"
	"math"
	"slices"

	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// Neighbor is a result of a nearest-neighbour search: an object and the squared distance of its
// box from the query point, 0 when the point lies in the closed box.
//
// Compare neighbours by Dist2, not by its square root, which several squares share; or use the
// radii of [Neighbor.Dist] and [Neighbor.Low], which are rounded conservatively.
//
// # Rounding
//
// The distance is evaluated in float32, each operation rounded by itself, with the same result on
// every CPU:
//
//	d     = max(max(min - p, p - max), 0)      on each axis
//	Dist2 = (dx*dx + dy*dy) + dz*dz
//
// Where all coordinates of the tree and the point are below 2^-40 in size, squares would be
// denormal. There d is multiplied by the power of two that brings the largest coordinate into
// [2^60, 2^61), at most by 2^127, and Dist2 is the sum divided by the square of that power,
// rounded once. With D the exact distance and u = 2^-24,
//
//	D*D*(1 - 5u) - 2^-148 <= Dist2 <= D*D*(1 + 6u) + 2^-148
//
// unless that exceeds float32, as it does from about D = 2^64 on: then Dist2 is +Inf.
type Neighbor struct {
	ID    uint32
	Dist2 float32
}

// Dist returns the smallest float32 whose square is at least Dist2. A [Sphere] of this radius
// about the point contains the object, and all others whose Dist2 is not larger. So the sphere
// through the k-th neighbour contains all k, and all objects tied with the last. Dist is +Inf if
// Dist2 is.
func (n Neighbor) Dist() float32 {
	// The product of two float32 is exact in float64.
	d := float32(math.Sqrt(float64(n.Dist2)))
	if float64(d)*float64(d) < float64(n.Dist2) {
		d = math.Nextafter32(d, float32(math.Inf(1)))
	}
	return d
}

// Low returns a lower bound of the exact distance of the box, and so of the object in the box: the
// root of Dist2*(1 - 8u) - 2^-147, rounded down, at least 0. It does not fall as Dist2 grows. If
// Dist2 is +Inf, the bound is computed from the largest float32.
func (n Neighbor) Low() float32 {
	d2 := min(float64(n.Dist2), math.MaxFloat32)
	// The root in float64 and the conversion round by less than one part in 2^23.
	low := math.Sqrt(max(float64(d2*(1-8*0x1p-24))-0x1p-147, 0))
	d := float32(low)
	if float64(d) > low {
		d = math.Nextafter32(d, 0)
	}
	return d
}

// AppendNearest appends the k nearest neighbours of the point to dst, nearest first, and returns
// it. It appends fewer when fewer pass the filter within maxDist, and none when k is 0.
//
// Objects at the same distance are ordered by ID. The distance is Dist2. In tiny scenes it is
// Dist2 before its last rounding: where all coordinates are below 2^-40, both the point's and
// those that the tree has had since its last tick. Objects whose Dist2 is +Inf are last.
//
// A point that is not finite, a maxDist that is negative or NaN, a negative k, or a filter that is
// out of range is an error that names the numbers; dst is then returned unchanged.
//
// Cost: about a node for each level of the tree and the packets that the sphere through the k-th
// object intersects; O(log k) for each of their objects when k exceeds 128 or there is a filter;
// never more than about a scan of all packets, and the sort of the answer. It allocates only when
// dst lacks room for the answer. Any number of goroutines may query one view.
//
// # Rounding
//
// maxDist is inclusive and may be [Unlimited]. An object is within it when
//
//	Dist2 <= maxDist*maxDist*(1 + 6u) + 2^-148, rounded up to float32
//
// This agrees with a [Sphere] of that radius, except for a limit beyond float32, which is +Inf,
// and for distances that are denormal when squared. Every object within maxDist in exact
// arithmetic passes, and no object passes that is further away than maxDist*(1 + 2^-21) + 2^-73.
func AppendNearest(dst []Neighbor, v linear.View, point [3]float32, k int, maxDist float32, flt Filter) ([]Neighbor, error) {
	s := v.Store()
	bound, err := reachOf(&point, k, maxDist, &flt)
	if err != nil {
		return dst, err
	}
	f := &walk.Everything
	if flt.restricts() {
		f = flt.in(v, new(walk.Filter))
	}
	m := phase.Enter(phase.Nearest)
	q := walk.TakeNearest()
	dst = appendNeighbors(dst, q, s, &point, k, bound, f)
	q.Release()
	m.Leave()
	return dst, nil
}

// appendNeighbors appends the answer of a search with q.
func appendNeighbors(dst []Neighbor, q *walk.Nearest, s *soa.Store, point *[3]float32, k int, bound float32, f *walk.Filter) []Neighbor {
	if k == 1 {
		if n, ok := q.First(s, point, bound, f); ok {
			dst = append(dst, Neighbor(n))
		}
		return dst
	}
	q.Search(s, point, k, bound, f)
	dst = slices.Grow(dst, len(q.Found()))
	for _, key := range q.Found() {
		dst = append(dst, Neighbor(q.Neighbor(key)))
	}
	return dst
}

// reachOf checks the arguments of a query and returns the bound of Dist2.
func reachOf(point *[3]float32, k int, maxDist float32, flt *Filter) (float32, error) {
	if flt.Motion > StaticOnly || !allFinite(point) || k < 0 || !(maxDist >= 0) {
		return 0, refusalOf(point, k, flt, maxDist)
	}
	return trace.NearBound(maxDist), nil
}

// refusalOf returns the error of the first argument that is out of range; one of them is.
func refusalOf(point *[3]float32, k int, flt *Filter, maxDist float32) error {
	if err := flt.Check(); err != nil {
		return err
	}
	if err := finite("point", point); err != nil {
		return err
	}
	if k < 0 {
		return fmt.Errorf("query: the %d nearest objects, want 0 or more", k)
	}
	return fmt.Errorf("query: distance %v is negative or NaN", maxDist)
}
