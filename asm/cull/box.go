package cull

import "unsafe"

// Box is a closed axis-aligned box in the layout of the kernels: minx maxx miny maxy minz maxz,
// like the columns of a Packet. It must be finite.
//
// A box b intersects it if on each axis b.min <= max and b.max >= min, and is inside if b.min >=
// min and b.max <= max. Both tests are exact.
type Box [6]float32

// Kernels read six words.
var _ [0]struct{} = [unsafe.Sizeof(Box{}) - 6*4]struct{}{}

// MakeBox returns the closed axis-aligned box from min to max.
func MakeBox(min, max [3]float32) (b Box) {
	b.Set(&min, &max)
	return b
}

// Set sets b to the box that [MakeBox] returns.
func (b *Box) Set(min, max *[3]float32) {
	b[0], b[1], b[2], b[3], b[4], b[5] = min[0], max[0], min[1], max[1], min[2], max[2]
}
