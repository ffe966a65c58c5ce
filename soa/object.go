package soa

import (
	"fmt"
	"math"
	"unsafe"
)

// AABB is an axis-aligned bounding box: the closed set of points p with Min[a] <= p[a] <= Max[a] on
// each axis. A box may have no extent.
type AABB struct {
	Min, Max [3]float32
}

// Object is an entry of a tree: a box, a type mask that filters test, and a static flag.
//
// Set Mask to at least one bit if any query has a filter with a mask. An object with Mask 0 is of no
// type: a filter with Mask 0 finds it, and a filter with another Mask never does.
type Object struct {
	Box    AABB
	Mask   uint32
	Static bool
}

// The fill kernels gather records of eight words: six of the box, the mask, and the flag.
var (
	_ [0]struct{} = [unsafe.Sizeof(AABB{}) - 24]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(AABB{}.Max) - 12]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(Object{}) - 32]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Object{}.Mask) - 24]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Object{}.Static) - 28]struct{}{}
)

// Check returns an error unless the box is finite and not inverted. The error text contains the
// bounds.
func (b AABB) Check() error {
	for a := range 3 {
		// A NaN fails both comparisons.
		if !(b.Min[a] >= -math.MaxFloat32 && b.Max[a] <= math.MaxFloat32) {
			return fmt.Errorf("box %v to %v is not finite", b.Min, b.Max)
		}
		if !(b.Min[a] <= b.Max[a]) {
			return fmt.Errorf("box %v to %v is inverted or not finite on axis %c", b.Min, b.Max, 'x'+a)
		}
	}
	return nil
}

// Overlaps reports whether the closed boxes share a point. Neither may be inverted, except [Empty], which overlaps
// no finite box.
func (b AABB) Overlaps(o AABB) bool {
	return b.Min[0] <= o.Max[0] && o.Min[0] <= b.Max[0] &&
		b.Min[1] <= o.Max[1] && o.Min[1] <= b.Max[1] &&
		b.Min[2] <= o.Max[2] && o.Min[2] <= b.Max[2]
}

// Contains reports whether o is inside b.
func (b AABB) Contains(o AABB) bool {
	return b.Min[0] <= o.Min[0] && o.Max[0] <= b.Max[0] &&
		b.Min[1] <= o.Min[1] && o.Max[1] <= b.Max[1] &&
		b.Min[2] <= o.Min[2] && o.Max[2] <= b.Max[2]
}

// Union returns the smallest box that contains both.
func (b AABB) Union(o AABB) AABB {
	for a := range 3 {
		b.Min[a] = min(b.Min[a], o.Min[a])
		b.Max[a] = max(b.Max[a], o.Max[a])
	}
	return b
}

// Empty returns the inverted box, the neutral element of [AABB.Union].
func Empty() AABB {
	inf := float32(math.Inf(1))
	return AABB{Min: [3]float32{inf, inf, inf}, Max: [3]float32{-inf, -inf, -inf}}
}

// Center returns the point min/2 + max/2, evaluated in that order so that it cannot overflow. Keys
// of objects are computed from it.
func (b AABB) Center() [3]float32 {
	return [3]float32{
		float32(b.Min[0]*0.5) + float32(b.Max[0]*0.5),
		float32(b.Min[1]*0.5) + float32(b.Max[1]*0.5),
		float32(b.Min[2]*0.5) + float32(b.Max[2]*0.5),
	}
}
