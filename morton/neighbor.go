package morton

import "fmt"

// Face is a side of a cell: 2*axis, plus 1 for the upper side.
type Face uint8

// The faces.
const (
	LowX Face = iota
	HighX
	LowY
	HighY
	LowZ
	HighZ
)

// Faces is the number of faces.
const Faces = 6

// Neighbor returns the cell of the same size on the other side of a face; ok is false if that cell
// is outside the cube. It panics if f is not a face.
func (c Cell) Neighbor(f Face) (n Cell, ok bool) {
	if f >= Faces {
		panic(fmt.Sprintf("morton: face %d", f))
	}
	// The bits of the axis in the prefix form a number whose digits are three places apart. Filling
	// the places between with ones propagates the carry through them:
	//
	//	axis bits   --1--0--1        filled   111110111
	//	plus one                              111111000
	//	masked                                --1--1--0
	axis := axisBits[f/2] &^ tail(c.Bits())
	digits := c.first & axis
	if f&1 == 0 {
		if digits == 0 {
			return c, false
		}
		digits = (digits - lowest(axis)) & axis
	} else {
		if digits == axis {
			return c, false
		}
		digits = ((digits | ^axis) + 1) & axis
	}
	return Cell{c.first&^axis | digits, c.bits}, true
}

// lowest returns the lowest set bit.
func lowest(k Key) Key { return k & -k }
