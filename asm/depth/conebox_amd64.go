//go:build amd64 && !purego

package depth

import "math"

// boxNumbers is the constants that the kernel broadcasts, named in conebox_amd64.s.
//
//lint:ignore U1000 assembly reads it
var boxNumbers = [...]float64{
	-0x1p-20, // times the largest coordinate: a face must be visible by more than this
	1e6,      // slope of a horizontal line
	0x1p-49,  // relative error of the coefficients of a line
	0x1p-21,  // rounding of lines and planes by the rasterizer
	0x1p-120,
	1e30, // planes beyond are rejected
	1,
	-1,
	math.Float64frombits(1<<63 - 1), // all bits except the sign
	math.Float64frombits(1 << 63),
}

// boxOrder permutes the coordinates of a box into lanes.
//
//lint:ignore U1000 assembly reads it
var boxOrder = [8]uint32{0, 3, 1, 4, 2, 5, 6, 7}

// boxLeast has the sign bit set in the lanes of the minima.
//
//lint:ignore U1000 assembly reads it
var boxLeast = [8]uint64{1 << 63, 0, 1 << 63, 0, 1 << 63}

// silhouette is the edges between visible and invisible faces of a box. Each edge has the lane of
// the coordinate of its visible face, and the lane of the other face.
type silhouette struct {
	Front, Other [8]uint8
	Outside      uint8 // bits of the edges between a minimum face and a maximum face
	Edges        uint8
	_            [6]uint8
}

// silhouettes maps a set of lanes, whose faces are visible, to its silhouette.
//
// From an edge along the visible face, the inside is towards the minimum if the other face is a
// maximum.
//
//lint:ignore U1000 assembly reads it
var silhouettes = func() (all [64]silhouette) {
	for seen := range all {
		s := &all[seen]
		n := 0
		for front := range 6 {
			for other := range 6 {
				if seen>>front&1 == 0 || seen>>other&1 != 0 || front/2 == other/2 || n == 8 {
					continue
				}
				s.Front[n], s.Other[n] = uint8(front), uint8(other)
				if front%2 != other%2 {
					s.Outside |= 1 << n
				}
				s.Edges |= 1 << n
				n++
			}
		}
	}
	return all
}()
