package cull

import (
	"math"
	"unsafe"

	"github.com/zoctree/zoctree/asm/internal/lane"
)

// Planes is a view frustum prepared for the kernels: six planes nx, ny, nz, d with the inside nx*x
// + ny*y + nz*z + d >= 0. Off has for each plane and axis the byte offset, in a Node or Packet, of
// the column of the p-vertex: the maximum if the normal points up the axis, else the minimum. The
// offset ^ 64 is the column of the n-vertex.
//
// If Two is set, the d in Coef applies to boxes inside Near, and Wide has the d of all other boxes,
// which is no smaller: see the package comment. Otherwise Wide is the d in Coef.
//
// The planes must be finite and scaled so that no product with a finite coordinate overflows: |nx|,
// |ny|, |nz| < 1/4. [MakePlanes] does both.
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

// ScalePlane multiplies a plane by the power of two that brings the largest component of its normal
// into [1/8, 1/4), so that sums over finite coordinates stay finite. The set of points is
// unchanged, except for digits below 2^-149. A plane without normal is returned unchanged. A d
// outside the range of float32 becomes its largest number.
func ScalePlane(p [4]float64) (c [4]float32) {
	ScalePlaneTo(&c, &p)
	return c
}

// ScalePlaneTo sets c to the plane that [ScalePlane] returns.
func ScalePlaneTo(c *[4]float32, p *[4]float64) {
	x, y, z, d := p[0], p[1], p[2], p[3]
	m := max(math.Float64bits(x)&^(1<<63), math.Float64bits(y)&^(1<<63), math.Float64bits(z)&^(1<<63))
	// The power of two, 2^(-3-e) for m in [2^e, 2^(e+1)), is a normal number unless m is at the ends of
	// float64.
	if e := int(m>>52) - 1023; uint(e+1022) < 2042 {
		s := lane.Power(-3 - e)
		x, y, z, d = x*s, y*s, z*s, d*s
	} else if m != 0 {
		_, e := math.Frexp(math.Float64frombits(m))
		x, y, z, d = math.Ldexp(x, -2-e), math.Ldexp(y, -2-e), math.Ldexp(z, -2-e), math.Ldexp(d, -2-e)
	}
	if d > math.MaxFloat32 {
		d = math.MaxFloat32
	} else if d < -math.MaxFloat32 {
		d = -math.MaxFloat32
	}
	c[0], c[1], c[2], c[3] = float32(x), float32(y), float32(z), float32(d)
}

// MakePlanes prepares a frustum: it widens six scaled planes by the rounding error of their test,
// so that the test is conservative (no false negatives). Boxes whose |x|, |y|, |z| do not exceed
// near get the error of coordinates up to near; all others get the error of coordinates up to
// extent. So distant or huge boxes do not cost the others precision. near must not exceed extent,
// which bounds all boxes. If they are equal there is one bound.
//
// # Rounding bound
//
// With u = 2^-24 and X, Y, Z the bound of a box,
//
//	S  = |nx|*X + |ny|*Y + |nz|*Z + |d|
//	d' = d + 6u*S + 2^-148*(X + Y + Z + 1), rounded up to float32
//
// The sums are in float64, left to right. The first term bounds the four roundings of the test
// (each at most u of a partial sum, itself at most S(1+4u)). The second bounds the loss of scaling
// and products below the denormals.
//
// If no coordinate reaches 2^-64 the products would be denormal, which costs a hundred times as
// much. Planes are then scaled once more before, to a largest component of the normal in [2^61,
// 2^62). [ScalePlane] has rounded each of the four numbers by up to 2^-150 before that, and the
// second scale multiplies this error. The second term is then 2^-149 times the second scale, if
// that is larger than 2^-148.
func MakePlanes(scaled *[6][4]float32, near, extent [3]float32) (p Planes) {
	p.Set(scaled, &near, &extent)
	return p
}

// Set sets p to the planes that [MakePlanes] returns.
func (p *Planes) Set(scaled *[6][4]float32, near, extent *[3]float32) {
	p.Two = nearBox(&p.Near, near, extent)
	widen(p.Coef[:], p.Off[:], p.Wide[:], scaled[:], near, extent, 1)
}

// nearBox sets b to the box of all points within the near bound, and reports whether the extent
// exceeds it.
func nearBox(b *Box, near, extent *[3]float32) bool {
	b[0], b[1], b[2], b[3], b[4], b[5] = -near[0], near[0], -near[1], near[1], -near[2], near[2]
	return extent[0] > near[0] || extent[1] > near[1] || extent[2] > near[2]
}

// widen writes the coefficients of scaled planes widened for near, the offsets of their columns, and
// their d widened for extent. With the sign -1 they are narrowed by as much, and the offsets are of the
// columns of the n-vertex.
func widen(coef [][4]float32, off [][4]uint32, wide []float32, scaled [][4]float32, near, extent *[3]float32, sign float64) {
	coef, off, wide = coef[:len(scaled)], off[:len(scaled)], wide[:len(scaled)]
	var one, all bound
	one.set(near)
	all.set(extent)
	flip, small := lane.Bit(sign < 0)*64, max(extent[0], extent[1], extent[2]) < tinyExtent
	for i := range scaled {
		c, to, at := &scaled[i], &coef[i], &off[i]
		to[0], to[1], to[2], to[3] = c[0], c[1], c[2], c[3]
		at[0], at[1], at[2], at[3] = vertex(0, c[0])^flip, vertex(1, c[1])^flip, vertex(2, c[2])^flip, 0
		tiny := 0x1p-148
		if small {
			tiny = max(tiny, 0x1p-149*lift(to))
		}
		d := float64(to[3])
		far := lane.Outward(d+float64(sign*all.slack(to, tiny)), sign)
		if wide[i] = far; one != all {
			far = lane.Outward(d+float64(sign*one.slack(to, tiny)), sign)
		}
		to[3] = far
	}
}

// bound has the largest coordinates of boxes, and their sum with 1.
type bound struct{ x, y, z, sum float64 }

func (b *bound) set(most *[3]float32) {
	b.x, b.y, b.z = float64(most[0]), float64(most[1]), float64(most[2])
	b.sum = b.x + b.y + b.z + 1
}

// slack returns d' - d of MakePlanes before it is rounded. tiny is the factor of the second term.
func (b *bound) slack(c *[4]float32, tiny float64) float64 {
	s := float64(float64(lane.Abs(c[0]))*b.x) + float64(float64(lane.Abs(c[1]))*b.y)
	s = s + float64(float64(lane.Abs(c[2]))*b.z)
	s = s + float64(lane.Abs(c[3]))
	return float64(6*0x1p-24*s) + float64(tiny*b.sum)
}

// vertex returns the offset of the column of the p-vertex on axis a: the minimum if the normal is
// below 0 (-0 is not), else the maximum.
func vertex(a uint32, normal float32) uint32 {
	return (2*a + 1 - lane.Bit(math.Float32bits(normal) > 1<<31)) * 64
}

// tinyExtent is the extent below which planes are scaled by lift.
const tinyExtent = 0x1p-64

// lift multiplies a plane by the power of two that brings the largest component of its normal into
// [2^61, 2^62), and returns that power. A plane without normal is unchanged.
func lift(c *[4]float32) float64 {
	m := lane.Largest(c[0], c[1], c[2])
	if m == 0 {
		return 1
	}
	s := lane.Power(61 - lane.Exponent(float64(m)))
	for i, x := range c {
		c[i] = float32(min(max(float64(x)*s, -math.MaxFloat32), math.MaxFloat32))
	}
	return s
}
