package trace

import (
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// Motion is a ray in the space of a part. The exact origin is within Off of Center on each axis, the exact direction
// within DirOff of Dir.
type Motion struct {
	Center, Off [3]float64
	Dir, DirOff [3]float64
}

// Span is the time interval in which a motion is near the bounds of a part.
type Span struct{ From, To float64 }

// BoxRay is a motion within a span, prepared for a walk through a part: the cast of a box around the ray at the
// beginning of the span, along the direction in float32.
type BoxRay struct {
	Ray  Ray
	Unit float64 // factor from times of the box to those of the motion
	Back float64 // factor from times of the kernels to those of the box
	Most float64 // last time of the box
}

// Kernels write a ray by 16 bytes.
var _ [0]struct{} = [unsafe.Sizeof(Ray{}) - 4*16]struct{}{}

// Clipped is a motion in the space of a part and its span there, for kernels: the fourth number is a copy of the third.
type Clipped struct {
	Center, Off, Dir, DirOff [4]float64
	Span                     Span
}

// Entry is the result of a ray that is clipped to the bounds of a part: see [Clipped.Enter] and [Clipped.Box].
type Entry int

// The results of [Clipped.Enter], up to Crosses, and of [Clipped.Box].
const (
	Unknown Entry = iota // the caller has to compute all
	Misses               // the ray never hits the bounds
	Crosses              // the motion and the span are set: the caller has to compute the box
	Enters               // the motion, the span and the box are set
)

// Enter sets p to the image of an exact ray, whose Off and DirOff are zero, in the space of a part with these bounds,
// and its span to the time from 0 to until in which the ray is near the bounds. The numbers of the inverse are the
// rows of a matrix, its error, and a translation t: the preimage of a point p is matrix*(p - t). With c, d, off and
// dirOff of an axis, in a mirror image if d is negative, and low and high, the bounds there,
//
//	reach = off + (off + |c| + max(|low|, |high|)) * 2^-50
//	From  = max(0, (low - reach - c) / (d + dirOff) * (1 - 2^-50))
//	To    = min(until, (high + reach - c) / (d - dirOff) * (1 + 2^-50))
//
// The result is Unknown if d is at most 2*dirOff on an axis, beyond float64, and on tiers without a kernel.
func (p *Clipped) Enter(from *Motion, inverse *[13]float64, b *soa.AABB, until float64) Entry {
	return rayEnter(p, from, inverse, b, until, 1)
}

// Box sets m to the motion of p, and box to the cast of a box around it within its span. Unit is the power of two that
// scales the longest component of the direction into [1/2, 1). On each axis the box extends from the centre at From,
// c + From*d, by half, rounded outwards to float32, and ends after Most:
//
//	e    = off + To*dirOff + (|c| + To*|d|) * 2^-50 + |d|*(To-From) * 2^-24*(1 + 2^-20)
//	half = e * (1 + 2^-50)
//	Most = (To-From) / Unit * (1 + 2^-50)
//
// The ray is [MakeRay] of the box, of d*Unit in float32, and of Most. The result is Crosses if the box is beyond
// float32, or a number is so small that MakeRay has another rule for it.
func (p *Clipped) Box(m *Motion, box *BoxRay) Entry { return rayEnterBox(m, p, box, 1) }

// Arrival is a point in the space of a part. The exact point is within Off of Center on each axis.
type Arrival struct {
	Center, Off [3]float64
	Gap         float64    // bound of the distance between the exact point and Point
	Dist        float64    // lower bound of the distance of the exact point from the bounds of the part
	Point       [3]float32 // Center, rounded
}

// Enter sets r to the image of an exact point in the space of a part with these bounds, by the numbers of the inverse
// as in [Clipped.Enter]:
//
//	Gap  = |off + |center - point|| * (1 + 2^-40)
//	Dist = |max(low - center - off, center - high - off, 0)| * (1 - 2^-20)
//
// It reports false, and r is undefined, if a coordinate of the point or of the bounds exceeds 2^60, and on tiers
// without a kernel.
func (r *Arrival) Enter(point *[3]float64, inverse *[13]float64, b *soa.AABB) bool {
	return pointEnter(r, point, inverse, b, 1)
}
