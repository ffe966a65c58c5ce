package cull

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/zoctree/zoctree/asm/internal/lane"
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

// SetMoved is [Convex.Set] of planes in float64 that need no scaling, for boxes within one bound X, Y, Z. spans are
// upper bounds of |nx|*X + |ny|*Y + |nz|*Z, and sum is one of X + Y + Z + 1. It reports false, and leaves c
// unspecified, if a plane has to be scaled, because the products of its test may exceed float32 or be too small. It
// does so for no planes too, and for more than [MaxPlanes].
//
// The rounding bound is that of [MakePlanes] with S = span + |d|, where d is not rounded before.
func (c *Convex) SetMoved(planes [][4]float64, spans []float64, sum float64) bool {
	if uint(len(planes)-1) >= MaxPlanes || !(sum >= moderateSum) {
		return false
	}
	spans = spans[:len(planes)]
	coef, off := c.Coef[:len(planes)], c.Off[:len(planes)]
	tiny := float64(sum * 0x1p-148)
	for i := range planes {
		p, to, at := &planes[i], &coef[i], &off[i]
		const sign = 1 << 63
		largest := max(math.Float64bits(p[0])&^sign, math.Float64bits(p[1])&^sign, math.Float64bits(p[2])&^sign)
		s := spans[i] + math.Abs(p[3])
		if largest-moderateLow > moderateHigh-moderateLow || !(s <= moderateSize) {
			return false
		}
		x, y, z := float32(p[0]), float32(p[1]), float32(p[2])
		to[0], to[1], to[2] = x, y, z
		to[3] = lane.RoundUp(p[3] + (float64(6*0x1p-24*s) + tiny))
		at[0], at[1], at[2], at[3] = vertex(0, x), vertex(1, y), vertex(2, z), 0
	}
	c.N, c.Two = len(planes), false
	return true
}

// Planes need no scaling if the largest magnitude of their normals is in [2^-40, 2^60], the terms of the test are up to
// 2^100, and the coordinates are not all tiny.
const (
	moderateLow  = uint64(1023-40) << 52
	moderateHigh = uint64(1023+60) << 52
	moderateSize = 0x1p100
	moderateSum  = 1 + 0x1p-40
)

var everything [1][4]float32
