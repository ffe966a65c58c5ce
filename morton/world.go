package morton

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/zoctree/zoctree/asm/build"
)

// Limits of a world. A cell side is 2^e with MinExp <= e <= MaxExp: then the side and its inverse
// are exact float32 factors, and the largest cube, of side 2^129, contains every float32. A cell
// number is at most 2^24 in magnitude, so that float32 represents it exactly.
const (
	MinExp    = -127
	MaxExp    = 108
	maxNumber = 1 << 24
)

// World is a cube in space, divided into 2^21 grid cells on an axis. Its cell side is 2^e; its
// lowest corner is at the cell numbers Origin, counted from the point 0. It contains the points
// with
//
//	Origin*2^e <= p < (Origin + 2^21)*2^e        on each axis
//
// The coordinate of p is floor(p/2^e) - Origin. Float32 arithmetic computes it exactly, so it does
// not depend on the sequence of operations that made the world. Points outside get the key of the
// nearest grid cell at the border.
//
// A World is a small comparable value. The zero World has cells of side 1 and its lowest corner at
// 0.
type World struct {
	origin [3]int32
	exp    int32
}

// NewWorld returns the world with cells of side 2^exp and the given origin. It returns an error if
// exp is not in [MinExp, MaxExp], or if the number of a cell would exceed 2^24 in magnitude.
func NewWorld(exp int, origin [3]int32) (World, error) {
	w := World{origin, int32(exp)}
	if exp < MinExp || exp > MaxExp || !w.valid() {
		return World{}, fmt.Errorf("morton: no world has cells of side 2^%d and the origin %v", exp, origin)
	}
	return w, nil
}

func (w World) valid() bool {
	for _, o := range w.origin {
		if o < -maxNumber || o > maxNumber-1<<Levels {
			return false
		}
	}
	return w.exp >= MinExp && w.exp <= MaxExp
}

// Fit returns the smallest world that contains the closed box, among the worlds whose origin is a
// multiple of half the side. Both min and max are inside, and no point of the box is clamped. A box
// without extent has no scale: it gets side 1, or far from 0 the smallest side whose cell numbers
// stay within 2^24.
//
// The alignment allows at least 20 doublings in any directions ([World.Grow]). Fit returns an error
// if the box has a NaN or an infinity, or if min > max.
func Fit(min, max [3]float32) (World, error) {
	extent, far := 0.0, 0.0
	for a := range 3 {
		lo, hi := float64(min[a]), float64(max[a])
		if !(lo >= -math.MaxFloat32 && lo <= hi && hi <= math.MaxFloat32) {
			return World{}, fmt.Errorf("morton: no world fits the box %v to %v", min, max)
		}
		if hi-lo > extent {
			extent = hi - lo
		}
		if math.Abs(lo) > far {
			far = math.Abs(lo)
		}
	}
	if min == max {
		return fitFrom(-Levels, min, max), nil
	}
	// With less than this exponent the side is less than the extent, or the number of a cell exceeds 2^24.
	_, e := math.Frexp(extent)
	exp := e - 1 - Levels
	if _, f := math.Frexp(far); far > 0 && f-25 > exp {
		exp = f - 25
	}
	if exp < MinExp {
		exp = MinExp
	}
	return fitFrom(exp, min, max), nil
}

// fitFrom is [Fit] with at least that exponent.
func fitFrom(exp int, min, max [3]float32) World {
	for ; ; exp++ {
		// A float64 represents c/2^e exactly for every float32 c.
		const half = 1 << (Levels - 1)
		w, inv, inside := World{exp: int32(exp)}, math.Ldexp(1, -exp), true
		for a := range 3 {
			origin := math.Floor(float64(min[a])*inv/half) * half
			if origin < -maxNumber || origin > maxNumber-2*half || float64(max[a])*inv >= origin+2*half {
				inside = false
				break
			}
			w.origin[a] = int32(origin)
		}
		if inside {
			return w // at the latest for the cube from -2^128 to 2^128
		}
	}
}

// Exp returns the exponent e of the cell side 2^e.
func (w World) Exp() int { return int(w.exp) }

// Origin returns the numbers of the lowest grid cell on each axis.
func (w World) Origin() [3]int32 { return w.origin }

// CellSide returns the side of a grid cell, 2^e.
func (w World) CellSide() float32 { return float32(math.Ldexp(1, int(w.exp))) }

// Side returns the side of the cube, 2^(e+21). It can exceed float32.
func (w World) Side() float64 { return math.Ldexp(1, int(w.exp)+Levels) }

// Bounds returns the box of the whole cube, as [World.CellBox] does.
func (w World) Bounds() (min, max [3]float32) { return w.CellBox(Cell{}) }

// Grid returns the world in the form of the encode kernels of package asm/build.
func (w World) Grid() build.Grid {
	return build.Grid{
		Inv:    math.Float32frombits(uint32(127-w.exp) << 23), // 2^-e
		Origin: [3]float32{float32(w.origin[0]), float32(w.origin[1]), float32(w.origin[2])},
	}
}

// Key returns the Morton key of a point, clamped to the cube. Coordinates are monotone on each
// axis: p <= q implies that the coordinate of p is at most the coordinate of q. A NaN counts as the
// lowest coordinate.
func (w World) Key(p [3]float32) Key {
	g := w.Grid()
	return Key(g.Key(p[0], p[1], p[2]))
}

// KeyOfBox returns the Morton key of the centre of a box, min*0.5 + max*0.5 with each operation
// rounded to float32, as the batch kernels do. Halves of denormals round too, so only a centre of
// that size can be outside the box.
func (w World) KeyOfBox(min, max [3]float32) Key {
	return w.Key([3]float32{build.Centre(min[0], max[0]), build.Centre(min[1], max[1]), build.Centre(min[2], max[2])})
}

// EncodeBoxes sets keys[i] to KeyOfBox of box i, whose six floats minx miny minz maxx maxy maxz are
// at boxes[i*stride:]. It panics if boxes is too short for len(keys) boxes or stride is below 6. It
// does not allocate.
func (w World) EncodeBoxes(keys []Key, boxes []float32, stride int) {
	g := w.Grid()
	build.EncodeBoxes(unsafe.Slice((*uint64)(unsafe.SliceData(keys)), len(keys)), &g, boxes, stride)
}

// Inside reports whether the cube contains the point, so that Key is exact for it.
func (w World) Inside(p [3]float32) bool {
	g := w.Grid()
	for a, c := range p {
		if f := g.Offset(c, a); !(f >= 0 && f <= Max) {
			return false
		}
	}
	return true
}

// BoxOf returns the grid cells that the closed box min..max overlaps, clamped to the cube. It holds
// the key of every point of the box, including the clamped keys of points outside the cube, so it
// is never empty. Infinities are allowed. BoxOf returns an error for a NaN or min > max.
func (w World) BoxOf(min, max [3]float32) (Box, error) {
	for a := range 3 {
		if !(min[a] <= max[a]) {
			return Box{}, fmt.Errorf("morton: the box %v to %v is inverted or no number", min, max)
		}
	}
	return Box{w.Key(min), w.Key(max)}, nil
}

// AppendCover appends at most k key ranges that cover the closed box min..max: they hold the key of
// every point of it. It is [Box.AppendCover] of [World.BoxOf], with the same costs and panics. On
// an error it returns dst unchanged.
func (w World) AppendCover(dst []Range, min, max [3]float32, k int) ([]Range, error) {
	b, err := w.BoxOf(min, max)
	if err != nil {
		return dst, err
	}
	return b.AppendCover(dst, k), nil
}

// CellBox returns the box in space of a cell. It is exact: min is the lower and max the upper bound
// of the points whose exact key is in the cell; max itself belongs to the next cell. A bound beyond
// float32 is MaxFloat32 or -MaxFloat32, which still bounds every float32 in the cell. Points
// outside the cube have keys in cells at its border without being in their boxes.
func (w World) CellBox(c Cell) (min, max [3]float32) {
	lo, hi := c.Box().Corners()
	for a := range 3 {
		min[a] = w.border(int32(lo[a]) + w.origin[a])
		max[a] = w.border(int32(hi[a]) + w.origin[a] + 1)
	}
	return min, max
}

// border returns the lower bound of a cell number, clamped to float32.
func (w World) border(number int32) float32 {
	x := math.Ldexp(float64(number), int(w.exp))
	return float32(max(-math.MaxFloat32, min(x, math.MaxFloat32)))
}

// String returns the bounds and the cell side.
func (w World) String() string {
	min, max := w.Bounds()
	return fmt.Sprintf("%v to %v, cells of 2^%d", min, max, w.exp)
}
