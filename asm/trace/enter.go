package trace

import "github.com/zoctree/zoctree/soa"

// Motion is a ray in the space of a part. The exact origin is within Off of Center on each axis, the exact direction
// within DirOff of Dir.
type Motion struct {
	Center, Off [3]float64
	Dir, DirOff [3]float64
}

// Span is the time interval in which a motion is near the bounds of a part.
type Span struct{ From, To float64 }

// Entry is the result of a ray that is clipped to the bounds of a part: see [Motion.Enter].
type Entry int

// The results of [Motion.Enter].
const (
	Unknown Entry = iota // the caller has to compute the motion and the span
	Misses               // the ray never hits the bounds
	Enters               // the motion and the span are set
)

// Enter sets m to the image of an exact ray, whose Off and DirOff are zero, in the space of a part with these bounds,
// and the span from 0 to To to the part of it in which the ray is near the bounds. The numbers of the inverse are the
// rows of a matrix, its error, and a translation t: the preimage of a point p is matrix*(p - t). With c, d, off and
// dirOff of an axis, in a mirror image if d is negative, and low and high, the bounds there,
//
//	reach = off + (off + |c| + max(|low|, |high|)) * 2^-50
//	From  = max(0, (low - reach - c) / (d + dirOff) * (1 - 2^-50))
//	To    = min(To, (high + reach - c) / (d - dirOff) * (1 + 2^-50))
//
// The result is Unknown if d is at most 2*dirOff on an axis, beyond float64, and on tiers without a kernel.
func (m *Motion) Enter(from *Motion, inverse *[13]float64, b *soa.AABB, span *Span) Entry {
	return rayEnter(m, from, inverse, b, span, 1)
}

// Arrival is a point in the space of a part. The exact point is within Off of Center on each axis.
type Arrival struct {
	Center, Off [3]float64
	Gap         float64    // bound of the distance between the exact point and Point
	Dist        float64    // lower bound of the distance of the exact point from the bounds of the part
	Point       [3]float32 // Center, rounded
}

// Enter sets r to the image of an exact point in the space of a part with these bounds, by the numbers of the inverse
// as in [Motion.Enter]:
//
//	Gap  = |off + |center - point|| * (1 + 2^-40)
//	Dist = |max(low - center - off, center - high - off, 0)| * (1 - 2^-20)
//
// It reports false, and r is undefined, if a coordinate of the point or of the bounds exceeds 2^60, and on tiers
// without a kernel.
func (r *Arrival) Enter(point *[3]float64, inverse *[13]float64, b *soa.AABB) bool {
	return pointEnter(r, point, inverse, b, 1)
}
