package asm

import (
	"math"
	"unsafe"
)

// Planes is a frustum prepared for the kernels: six planes nx, ny, nz, d whose
// inside is nx*x + ny*y + nz*z + d >= 0, and for each plane and axis the byte
// offset, in a Node or Packet, of the column that holds the p-vertex: the maximum where
// the normal points up the axis, else the minimum. The same offset ^ 64 is the
// n-vertex.
//
// With Two, the d of a plane in Coef is that for boxes in the box Near, and Wide
// has the one for all others, which is no smaller: see the package comment.
// Without, Wide is the d in Coef.
//
// The planes must be finite and scaled so that no product with a finite
// coordinate overflows: |nx|, |ny|, |nz| < 1/4. [MakePlanes] does both.
type Planes struct {
	Coef [6][4]float32
	Off  [6][4]uint32
	Wide [6]float32
	Near Box
	Two  bool
}

// Kernels step over planes by 16 bytes.
var (
	_ [0]struct{} = [unsafe.Sizeof(Planes{}.Coef) - 6*16]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(Planes{}.Off) - 6*16]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(Planes{}.Wide) - 6*4]struct{}{}
)

// ScalePlane multiplies a plane by the power of two that brings the largest
// component of its normal into [1/8, 1/4), so that sums over finite
// coordinates stay finite. The set of points is unchanged, but for digits
// below 2^-149. A plane without normal is returned as it is; a d that leaves
// the range of float32 becomes its largest number.
func ScalePlane(p [4]float64) [4]float32 {
	m := max(math.Abs(p[0]), math.Abs(p[1]), math.Abs(p[2]))
	if m != 0 {
		_, e := math.Frexp(m) // m = f * 2^e, f in [1/2, 1)
		for i := range p {
			p[i] = math.Ldexp(p[i], -2-e)
		}
	}
	return [4]float32{
		float32(p[0]), float32(p[1]), float32(p[2]),
		float32(min(max(p[3], -math.MaxFloat32), math.MaxFloat32)),
	}
}

// MakePlanes widens six scaled planes by the rounding error that their test
// can make, so that no box that meets the frustum is lost: by the error on
// coordinates up to near (the largest |x|, |y|, |z|) for the boxes that keep to
// it on every axis, by that on coordinates up to extent for all others. Boxes
// far away or huge so cost the others no precision. near must not exceed extent,
// which is the bound of all boxes; where it is extent there is one bound. With
// u = 2^-24 and X, Y, Z the bound of a box,
//
//	S  = |nx|*X + |ny|*Y + |nz|*Z + |d|
//	d' = d + 6u*S + 2^-148*(X + Y + Z + 1), rounded up to float32
//
// The sums are in float64, left to right. The first term bounds the four
// roundings of the test (each at most u of a partial sum, itself at most
// S(1+4u)), the second what scaling and products lose below the denormals.
//
// Where no coordinate reaches 2^-64 the products would be denormal, which costs a
// hundred times as much: planes are scaled once more before, to a largest component
// of the normal in [2^61, 2^62).
func MakePlanes(scaled *[6][4]float32, near, extent [3]float32) (p Planes) {
	for i := range scaled {
		p.Coef[i], p.Off[i], p.Wide[i] = preparePlane(&scaled[i], &near, &extent)
	}
	p.Near, p.Two = nearBox(&near, &extent)
	return p
}

// preparePlane returns a plane widened for near, the offsets of its columns, and
// its d widened for extent.
func preparePlane(c *[4]float32, near, extent *[3]float32) (coef [4]float32, off [4]uint32, wide float32) {
	for a := range 3 {
		col := uint32(2*a + 1)
		if c[a] < 0 {
			col--
		}
		off[a] = col * 64
	}
	if max(extent[0], extent[1], extent[2]) < tinyExtent {
		lifted := lift(c)
		c = &lifted
	}
	return [4]float32{c[0], c[1], c[2], widened(c, near)}, off, widened(c, extent)
}

// tinyExtent is the extent below which planes are lifted.
const tinyExtent = 0x1p-64

// lift multiplies a plane by the power of two that brings the largest component of
// its normal into [2^61, 2^62). A plane without normal is returned as it is.
func lift(c *[4]float32) (p [4]float32) {
	m := max(abs32(c[0]), abs32(c[1]), abs32(c[2]))
	if m == 0 {
		return *c
	}
	_, e := math.Frexp(float64(m))
	for i := range p {
		p[i] = float32(min(max(math.Ldexp(float64(c[i]), 62-e), -math.MaxFloat32), math.MaxFloat32))
	}
	return p
}

// widened returns the d' of MakePlanes for one bound.
func widened(c *[4]float32, bound *[3]float32) float32 {
	x, y, z := float64(bound[0]), float64(bound[1]), float64(bound[2])
	tiny := 0x1p-148 * (x + y + z + 1)
	s := float64(math.Abs(float64(c[0]))*x) + float64(math.Abs(float64(c[1]))*y)
	s = s + float64(math.Abs(float64(c[2]))*z)
	s = s + math.Abs(float64(c[3]))
	return roundUp(float64(c[3]) + (float64(6*0x1p-24*s) + tiny))
}

// roundUp returns the smallest float32 that is at least x, at most the largest
// finite one.
func roundUp(x float64) float32 {
	if x >= math.MaxFloat32 {
		return math.MaxFloat32
	}
	f := float32(x)
	if float64(f) < x {
		f = math.Nextafter32(f, math.MaxFloat32)
	}
	return f
}
