package morton

import (
	"cmp"
	"fmt"
	"math/bits"
)

// Cell is the set of keys that share their first b bits, b from 0 to 63; with b a multiple of 3 it
// is an octant, a cube of an octree. The zero Cell holds every key. Cells are comparable with ==.
// Two cells are disjoint, or one contains the other.
type Cell struct {
	first Key
	bits  uint8
}

// CellOf returns the cell of the first b bits of k. It panics unless b is 0 to
// 63.
func CellOf(k Key, b int) Cell {
	if b < 0 || b > Bits {
		panic(fmt.Sprintf("morton: cell of %d bits", b))
	}
	return Cell{k & MaxKey &^ tail(b), uint8(b)}
}

// At returns the octant of k at a level: 0 is the whole cube, 21 is k alone. It
// panics unless the level is 0 to 21.
func (k Key) At(level int) Cell { return CellOf(k, 3*level) }

// Common returns the smallest cell that holds both keys, given by their longest common prefix. If a
// and b are the ends of a sorted interval, the cell holds all keys between them.
func Common(a, b Key) Cell {
	return CellOf(a, bits.LeadingZeros64(uint64((a^b)&MaxKey))-1)
}

// tail returns the key bits that follow the first b.
func tail(b int) Key { return MaxKey >> b }

// Bits returns the length of the prefix.
func (c Cell) Bits() int { return int(c.bits) }

// Level returns the number of whole triples in the prefix: the level of an
// octant, or of the smallest octant that holds c.
func (c Cell) Level() int { return int(c.bits) / 3 }

// IsOctant reports whether the cell is a cube.
func (c Cell) IsOctant() bool { return c.bits%3 == 0 }

// First returns the smallest key of the cell.
func (c Cell) First() Key { return c.first }

// Last returns the largest key of the cell.
func (c Cell) Last() Key { return c.first | tail(c.Bits()) }

// Range returns the keys of the cell.
func (c Cell) Range() Range { return Range{c.First(), c.Last()} }

// Box returns the grid cells of the cell.
func (c Cell) Box() Box { return Box{c.First(), c.Last()} }

// Contains reports whether the cell holds the key.
func (c Cell) Contains(k Key) bool { return (c.first^k)&MaxKey <= tail(c.Bits()) }

// Holds reports whether c contains d: whether c is d or an ancestor.
func (c Cell) Holds(d Cell) bool { return c.bits <= d.bits && c.Contains(d.first) }

// Common returns the smallest cell that holds both.
func (c Cell) Common(d Cell) Cell {
	p := Common(c.first, d.first)
	return CellOf(p.first, min(p.Bits(), c.Bits(), d.Bits()))
}

// Parent returns the smallest octant that is larger than c; ok is false for the
// whole cube.
func (c Cell) Parent() (p Cell, ok bool) {
	if c.bits == 0 {
		return c, false
	}
	return CellOf(c.first, (c.Bits()-1)/3*3), true
}

// Child returns child number octant, bits zyx, of an octant. It panics unless c is an octant above
// level 21 and 0 <= octant <= 7.
func (c Cell) Child(octant int) Cell {
	if !c.IsOctant() || c.bits == Bits || uint(octant) > 7 {
		panic(fmt.Sprintf("morton: child %d of a cell of %d bits", octant, c.bits))
	}
	return Cell{c.first | Key(octant)<<(Bits-3-c.Bits()), c.bits + 3}
}

// Octant returns the number of c among the children of its parent, the inverse of [Cell.Child]. If
// c is not an octant, Octant returns the number of the smallest octant that holds it. The number of
// the whole cube is 0.
func (c Cell) Octant() int {
	if c.bits < 3 {
		return 0
	}
	return int(c.first >> (Bits - 3*c.Level()) & 7)
}

// Compare orders cells along the Z-curve, a cell before all cells inside it: by
// first key, then by size, the larger first. It returns -1, 0 or 1.
func (c Cell) Compare(d Cell) int {
	return cmp.Or(cmp.Compare(c.first, d.first), cmp.Compare(c.bits, d.bits))
}

// String returns the octant numbers down to the cell, and the left-over bits:
// "/" is the whole cube, "/07" octant 7 of octant 0, "/07+10" the quarter of
// that whose next bits are 1 and 0.
func (c Cell) String() string {
	s := []byte{'/'}
	for l := 1; l <= c.Level(); l++ {
		s = append(s, '0'+byte(c.first>>(Bits-3*l)&7))
	}
	for b := 3 * c.Level(); b < c.Bits(); b++ {
		if b%3 == 0 {
			s = append(s, '+')
		}
		s = append(s, '0'+byte(c.first>>(Bits-1-b)&1))
	}
	return string(s)
}
