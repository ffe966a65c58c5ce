package cull

import (
	"fmt"
	"unsafe"
)

// MaxPlanes is the maximum number of planes of a [Convex].
const MaxPlanes = 32

// Convex is a convex volume: the intersection of up to 32 half-spaces, prepared for the kernels.
// The first N elements of Coef, Off and Wide are as in [Planes], and so is the test. The others are
// unspecified.
type Convex struct {
	N    int // at least 1
	Coef [MaxPlanes][4]float32
	Off  [MaxPlanes][4]uint32
	Wide [MaxPlanes]float32
	Near Box
	Two  bool
}

// Kernels step over planes by 16 bytes.
var (
	_ [0]struct{} = [unsafe.Sizeof(Convex{}.Coef) - MaxPlanes*16]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(Convex{}.Off) - MaxPlanes*16]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(Convex{}.Wide) - MaxPlanes*4]struct{}{}
)

// Set sets c to the intersection of the inner sides of the planes, which must be scaled as
// [ScalePlane] does. They are widened for near and extent as [MakePlanes] does. Without planes the
// volume contains everything. Set panics if there are more than [MaxPlanes].
func (c *Convex) Set(scaled [][4]float32, near, extent [3]float32) { c.set(scaled, &near, &extent, 1) }

// SetWithin is [Convex.Set] of the opposite test, for lanes that are known to hold objects: the kernels
// for packets hit the lanes whose box is inside all planes in exact arithmetic, except for boxes that a
// corner brings closer to a plane than twice the widening. Do not pass it to kernels for nodes.
func (c *Convex) SetWithin(scaled [][4]float32, near, extent [3]float32) {
	c.set(scaled, &near, &extent, -1)
}

func (c *Convex) set(scaled [][4]float32, near, extent *[3]float32, sign float64) {
	if len(scaled) > MaxPlanes {
		panic(fmt.Sprintf("cull: a convex volume of %d planes", len(scaled)))
	}
	if len(scaled) == 0 {
		scaled = everything[:] // a plane without normal still rejects empty lanes
	}
	c.N = len(scaled)
	c.Two = nearBox(&c.Near, near, extent)
	widen(c.Coef[:], c.Off[:], c.Wide[:], scaled, near, extent, sign)
}

var everything [1][4]float32
