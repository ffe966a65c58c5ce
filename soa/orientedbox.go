package soa

import (
	"fmt"
	"github.com/zoctree/zoctree/internal/mem"
	"math"
	"unsafe"
)

// OrientedBox is an oriented bounding box (OBB), a rotated box: the closed set of points
//
//	Center + a*Axes[0] + b*Axes[1] + c*Axes[2]    -1 <= a, b, c <= 1
//
// The axes are half the edges, orthogonal within the tolerance of [OrientedBox.Check]. An axis may
// be zero: the box is then flat, a segment, or a point.
type OrientedBox struct {
	Center [3]float32
	Axes   [3][3]float32
}

// The column's rows and their readers depend on this size.
var _ [0]struct{} = [unsafe.Sizeof(OrientedBox{}) - 48]struct{}{}

// skew is the largest cosine of the angle between two axes of an oriented box.
const skew = 0x1p-18

// Check returns an error unless the box is finite and its axes are orthogonal. The dot product of
// two axes may be at most 2^-18 times the product of their lengths, computed in float64. A rotation
// rounded to float32 stays within a fifth of this bound. The error text contains the numbers.
func (b OrientedBox) Check() error {
	sum := float32(0) // of differences that are NaN for infinity and NaN
	for k := range 3 {
		c, a := b.Center[k], &b.Axes[k]
		sum += (c - c) + (a[0] - a[0]) + (a[1] - a[1]) + (a[2] - a[2])
	}
	if sum != 0 {
		return fmt.Errorf("oriented box %v is not finite", b)
	}
	x, y, z := b.Axes[0], b.Axes[1], b.Axes[2]
	xx, yy, zz := dot(x, x), dot(y, y), dot(z, z)
	switch xy, yz, zx := dot(x, y), dot(y, z), dot(z, x); {
	case xy*xy > skew*skew*xx*yy:
		return b.skewed(0)
	case yz*yz > skew*skew*yy*zz:
		return b.skewed(1)
	case zx*zx > skew*skew*zz*xx:
		return b.skewed(2)
	}
	return nil
}

// skewed returns the error of axis i and the next one.
func (b OrientedBox) skewed(i int) error {
	return fmt.Errorf("oriented box %v: axes %v and %v are not at right angles", b, b.Axes[i], b.Axes[(i+1)%3])
}

// dot returns the dot product in float64, where products of float32 are exact.
func dot(a, b [3]float32) float64 {
	return float64(a[0])*float64(b[0]) + float64(a[1])*float64(b[1]) + float64(a[2])*float64(b[2])
}

// Box returns an axis-aligned bounding box of b. Its bounds are the centre minus and plus the sum
// of the axes' absolute components, rounded outward, so that the box contains every point of b in
// exact arithmetic. It is the smallest such box if float64 holds these sums exactly, and otherwise
// at most a step of float32 larger. Bounds beyond float32 are infinite; [AABB.Check], and so every
// tree, rejects them.
func (b OrientedBox) Box() (box AABB) {
	for k, c := range b.Center {
		r, lost := twoSum(size(b.Axes[0][k]), size(b.Axes[1][k]))
		r, more := twoSum(r, size(b.Axes[2][k]))
		if lost != 0 || more != 0 {
			r = math.Nextafter(r, math.Inf(1)) // each error is at most half of this step
		}
		box.Min[k], box.Max[k] = around(float64(c), r)
	}
	return box
}

func size(x float32) float64 { return math.Abs(float64(x)) }

// twoSum returns the rounded sum and its rounding error (D. Knuth).
func twoSum(a, b float64) (s, lost float64) {
	s = a + b
	v := s - a
	return s, (a - (s - v)) + (b - v)
}

// OrientedLanes are the oriented boxes of a packet. An infinite centre means that the object has
// none. No kernel tests all lanes at once, so the numbers of one object are adjacent.
type OrientedLanes [Lanes]OrientedBox

// noOriented is the value of a lane whose object has no oriented box.
var noOriented = OrientedBox{Center: [3]float32{float32(math.Inf(1))}}

// UseOriented allocates the column of oriented boxes, unless it is in use.
func (c *PacketColumns) UseOriented() {
	if len(c.OrientedBoxes) == len(c.Counts) {
		return
	}
	c.OrientedBoxes = mem.Fresh(c.OrientedBoxes, len(c.Counts))
	for i := range c.OrientedBoxes {
		c.clearOriented(uint32(i))
	}
}

func (c *PacketColumns) clearOriented(slot uint32) {
	for l := range c.OrientedBoxes[slot] {
		c.OrientedBoxes[slot][l] = noOriented
	}
}

// Oriented returns the oriented box of the object in a lane; ok is false if it has none.
func (c *PacketColumns) Oriented(slot uint32, lane int) (b OrientedBox, ok bool) {
	if len(c.OrientedBoxes) == 0 {
		return b, false
	}
	if b = c.OrientedBoxes[slot][lane]; b.Center[0] > math.MaxFloat32 {
		return OrientedBox{}, false
	}
	return b, true
}

// SetOriented writes the oriented box of a lane. The column must be in use.
func (c *PacketColumns) SetOriented(slot uint32, lane int, b *OrientedBox) {
	c.OrientedBoxes[slot][lane] = *b
}

// DropOriented removes the oriented box of a lane.
func (c *PacketColumns) DropOriented(slot uint32, lane int) {
	if len(c.OrientedBoxes) > 0 {
		c.OrientedBoxes[slot][lane] = noOriented
	}
}
