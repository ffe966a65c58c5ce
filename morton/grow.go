package morton

import (
	"fmt"
	"math"
)

// The cube doubles by becoming one octant of a cube of twice the side, and halves by the inverse.
// The number of grid cells on an axis is constant, so their side doubles or halves too, and keys
// shift by one triple:
//
//	key in the old cube      aaa bbb ... yyy zzz
//	grown into octant o      ooo aaa bbb ... yyy        zzz is lost
//	shrunk to octant aaa     bbb ... yyy zzz ???        ??? is finer than the key
//
// Both operations keep the order of keys, and of cells. For every point p inside the cube:
//
//   - w.Grow(o).Key(p) is exactly w.Key(p).Grow(o), since floor(floor(c/s)/2) = floor(c/2s) when
//     the origin is even;
//   - w.Shrink(o).Key(p), if p is in octant o, is in the cell w.Key(p).At(21).Shrink(), of level
//     20: encode the point again to get the last triple.
//
// Neither holds for clamped points: their keys must be computed again.

// Grow returns the world of twice the side in which w is the octant zyx: bit a of octant is 1 if w
// becomes the upper half on axis a, so that the cube grows downwards. ok is false, and the world
// unchanged, if the origin is odd on an axis or the cells have the largest side. In this case [Fit]
// a new world and encode all points again. A world from Fit grows at least 20 times, up to that
// side. Grow panics unless octant is 0 to 7.
func (w World) Grow(octant int) (grown World, ok bool) {
	checkOctant(octant)
	grown.exp = w.exp + 1
	for a, o := range w.origin {
		if o&1 != 0 {
			return w, false
		}
		grown.origin[a] = o/2 - int32(octant>>a&1)<<(Levels-1)
	}
	if !grown.valid() {
		return w, false
	}
	return grown, true
}

// Shrink returns the world that is the octant zyx of w, with half the side. ok is false, and the
// world unchanged, if its cells would be smaller than 2^MinExp or their numbers would exceed 2^24.
// Shrink panics unless octant is 0 to 7.
func (w World) Shrink(octant int) (shrunk World, ok bool) {
	checkOctant(octant)
	shrunk.exp = w.exp - 1
	for a, o := range w.origin {
		shrunk.origin[a] = 2*o + int32(octant>>a&1)<<Levels
	}
	if !shrunk.valid() {
		return w, false
	}
	return shrunk, true
}

// Towards returns the octant for [World.Grow] with which the cube grows towards a point: on an axis
// where p is below the middle of the cube, w becomes the upper half.
func (w World) Towards(p [3]float32) (octant int) {
	for a, c := range p {
		middle := math.Ldexp(float64(w.origin[a]+1<<(Levels-1)), int(w.exp))
		if float64(c) < middle {
			octant |= 1 << a
		}
	}
	return octant
}

// Grow returns the key of the same point in the world that [World.Grow] returns, for a point inside
// the cube. It panics unless octant is 0 to 7.
func (k Key) Grow(octant int) Key {
	checkOctant(octant)
	return k&MaxKey>>3 | Key(octant)<<(Bits-3)
}

// Grow returns the cell of the grown world that covers the same box. Its prefix is three bits
// longer, up to 63.
func (c Cell) Grow(octant int) Cell {
	return CellOf(c.first.Grow(octant), min(c.Bits()+3, Bits))
}

// Shrink returns the cell of the shrunk world that covers the same box, if the world shrinks to the
// octant of level 1 that holds c. It panics for the whole cube and its halves and quarters.
func (c Cell) Shrink() Cell {
	if c.bits < 3 {
		panic(fmt.Sprintf("morton: a cell of %d bits lies in no octant", c.bits))
	}
	return Cell{c.first << 3 & MaxKey, c.bits - 3}
}

func checkOctant(octant int) {
	if uint(octant) > 7 {
		panic(fmt.Sprintf("morton: octant %d", octant))
	}
}
