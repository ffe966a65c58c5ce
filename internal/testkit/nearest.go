package testkit

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/zoctree/zoctree/soa"
)

// Near is the index of a box and its squared distance from a point.
type Near struct {
	Index int
	Dist2 float32
}

// ReferenceNearest is the reference for k-nearest-neighbour search: it returns the k boxes nearest to
// the point, nearest first, equals by index; all boxes if there are fewer. It evaluates the
// documented float32 formula for all boxes, and sorts the least. Only boxes with a squared distance of at most
// bound2 count.
func ReferenceNearest[B Boxed](boxes []B, point [3]float32, k int, bound2 float32) []Near {
	return ReferenceNearestIn(Extent(boxes), boxes, point, k, bound2)
}

// ReferenceNearestIn is [ReferenceNearest] for a tree whose extent may be larger than the extent of the
// boxes.
func ReferenceNearestIn[B Boxed](extent [3]float32, boxes []B, point [3]float32, k int, bound2 float32) []Near {
	k = min(max(k, 0), len(boxes))
	if k == 0 {
		return nil
	}
	var near []Near
	scale := NearScale(extent, point)
	sorted := 0 // near begins with the nearest k so far, if it is not 0
	for i := range boxes {
		n := Near{i, ScaledDist2(boxOf(&boxes[i]), point, float32(scale))}
		if sorted > 0 && nearer(n, near[sorted-1]) > 0 {
			continue
		}
		if near = append(near, n); len(near) == 2*k+64 {
			slices.SortFunc(near, nearer)
			near, sorted = near[:k], k
		}
	}
	slices.SortFunc(near, nearer)
	near = near[:k]
	for i := range near {
		n := &near[i]
		if n.Dist2 = float32(float64(n.Dist2) / (scale * scale)); !(n.Dist2 <= bound2) {
			return near[:i]
		}
	}
	return near
}

// nearer orders results by distance, equals by index.
func nearer(a, b Near) int {
	return cmp.Or(cmp.Compare(a.Dist2, b.Dist2), cmp.Compare(a.Index, b.Index))
}

// ReferenceDist2 returns the squared distance of the point from the box: on each axis max(max(min - p, p
// - max), 0), then (dx*dx + dy*dy) + dz*dz, each operation rounded to float32.
func ReferenceDist2(b *soa.AABB, p [3]float32) float32 { return ScaledDist2(b, p, 1) }

// ScaledDist2 is [ReferenceDist2] with distances multiplied by a power of two.
func ScaledDist2(b *soa.AABB, p [3]float32, scale float32) float32 {
	var square [3]float32
	for a := range 3 {
		d := max(max(b.Min[a]-p[a], p[a]-b.Max[a]), 0) * scale
		square[a] = d * d
	}
	xy := square[0] + square[1]
	return xy + square[2]
}

// ReferenceNearestBox is the reference for the search from a box: it returns all boxes, nearest first, equals by
// index, with their squared distances from it as documented at collide.Neighbor. The extent is that of the tree.
func ReferenceNearestBox[B Boxed](extent [3]float32, boxes []B, from *soa.AABB) []Near {
	var far [3]float32
	for a := range far {
		far[a] = max(-from.Min[a], from.Max[a])
	}
	scale := NearScale(extent, far)
	near := make([]Near, len(boxes))
	for i := range boxes {
		b := boxOf(&boxes[i])
		var square [3]float32
		for a := range 3 {
			d := max(max(b.Min[a]-from.Max[a], from.Min[a]-b.Max[a]), 0) * float32(scale)
			square[a] = d * d
		}
		xy := square[0] + square[1]
		near[i] = Near{i, xy + square[2]}
	}
	slices.SortFunc(near, nearer)
	for i := range near {
		near[i].Dist2 = float32(float64(near[i].Dist2) / (scale * scale))
	}
	return near
}

// NearScale returns the power of two by which distances are multiplied before they are squared. It
// is 1 unless all coordinates of the boxes, up to extent, and of the point are below 2^-40. Else it
// scales the largest into [2^60, 2^61), but is at most 2^127.
func NearScale(extent, p [3]float32) float64 {
	m := 0.0
	for a := range 3 {
		m = max(m, float64(extent[a]), float64(abs(p[a])))
	}
	if m == 0 || m >= 0x1p-40 {
		return 1
	}
	scale := 0x1p127
	for m*scale >= 0x1p61 {
		scale /= 2
	}
	return scale
}

// ExactDist2 returns the exact squared distance of the point from the box.
func ExactDist2(b *soa.AABB, p [3]float32) *big.Float {
	// The bits of a square lie between 2^-298 and 2^258.
	sum := new(big.Float).SetPrec(640)
	for a := range 3 {
		if d := axisGap(b.Min[a], b.Max[a], p[a]); d.Sign() > 0 {
			sum.Add(sum, d.Mul(d, d))
		}
	}
	return sum
}

// axisGap returns the exact distance of p from the interval, or a number that is not positive if p
// is inside.
func axisGap(lo, hi, p float32) *big.Float {
	number := func(f float32) *big.Float { return new(big.Float).SetPrec(640).SetFloat64(float64(f)) }
	switch c := number(p); {
	case p < lo:
		return c.Sub(number(lo), c)
	default:
		return c.Sub(c, number(hi))
	}
}

// ReferenceBound2 returns the squared distance up to which a box counts as within r: r*r*(1 + 6*2^-24) +
// 2^-148 in float64, rounded up to float32, which is +Inf beyond the largest one.
func ReferenceBound2(r float32) float32 {
	const (
		relative = 6.0 / (1 << 24)             // 6 * 2^-24
		absolute = 1.0 / (1 << 74) / (1 << 74) // 2^-148
	)
	x := float64(r) * float64(r)
	x = float64(x*(1+relative)) + absolute
	f := float32(x)
	if float64(f) < x {
		f = math.Nextafter32(f, float32(math.Inf(1)))
	}
	return f
}
