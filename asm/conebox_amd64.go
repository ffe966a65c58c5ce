//go:build amd64 && !purego

package asm

import (
	"math"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

// boxNumbers are what the kernel broadcasts, named in conebox_amd64.s.
//
//lint:ignore U1000 assembly reads it
var boxNumbers = [...]float64{
	-0x1p-20, // of the largest coordinate: faces that are seen at less are not
	1e6,      // slope of a line that is level
	0x1p-49,  // of what a line is made of: its error
	0x1p-21,  // of lines and planes: what the drawing of them rounds
	0x1p-120,
	1e30, // planes beyond are none
	1,
	-1,
	math.Float64frombits(1<<63 - 1), // all but signs
	math.Float64frombits(1 << 63),
}

// boxOrder brings the coordinates of a box into lanes.
//
//lint:ignore U1000 assembly reads it
var boxOrder = [8]uint32{0, 3, 1, 4, 2, 5, 6, 7}

// boxLeast is a sign in the lanes of the smaller ones.
//
//lint:ignore U1000 assembly reads it
var boxLeast = [8]uint64{1 << 63, 0, 1 << 63, 0, 1 << 63}

// silhouette is the edges between the faces of a box that are seen and the others, for the kernel: of each the lane of the
// coordinate of its face that is seen, and that of the other one.
type silhouette struct {
	Front, Other [8]uint8
	Outside      uint8 // the edges that lie on the larger side of both faces, or the smaller side of one alone
	Edges        uint8
	_            [6]uint8
}

// silhouettes are those of each set of lanes whose faces are seen.
//
// Inwards from an edge along the face that is seen is to the smaller side if the other face is the larger one.
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

//go:noinline
func boxCone(to *Cone, b *soa.AABB, e *BoxEye, _ int) (spread float64, state BoxConeState) {
	if cpu.Active == cpu.AVX512 {
		s, n := boxConeAVX512(to, b, e)
		return s, BoxConeState(n)
	}
	return 0, ConeUnknown
}

//go:noescape
func boxConeAVX512(to *Cone, b *soa.AABB, e *BoxEye) (spread float64, state int)
