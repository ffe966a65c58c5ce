package walk

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// nearScale is the unit of length, a power of two, of a walk towards a point. Without it squares
// of tiny coordinates would leave the normal numbers, where they lose digits and most CPUs are
// slow. The walk's squared distances are larger by its square. The zero value is 1.
type nearScale struct {
	scale float32 // 0 means 1
	back  float64 // 1 / scale²
}

const (
	// nearTiny is the size below which coordinates are scaled.
	nearTiny = 0x1p-40

	// nearExp is the exponent to which the largest coordinate is brought, and nearMost the largest
	// exponent of a scale. A distance is then below 2^62, a sum of squares below 2^126.
	nearExp  = 60
	nearMost = 127
)

// nearScaleOf returns the scale of a tree and a point: none unless all of their coordinates are
// below nearTiny.
func nearScaleOf(s *soa.Store, point *[3]float32) nearScale {
	if s.Extent[0] >= nearTiny { // the usual case, inlined
		return nearScale{}
	}
	return tinyScaleOf(s, point)
}

func tinyScaleOf(s *soa.Store, point *[3]float32) (u nearScale) {
	// The bits of absolute values compare like them, and faster: a maximum of floats checks for NaN.
	const sign = 1 << 31
	bits := uint32(0)
	for a := range 3 {
		bits = max(bits, math.Float32bits(s.Extent[a])&^sign, math.Float32bits(point[a])&^sign)
	}
	m := math.Float32frombits(bits)
	if m >= nearTiny || m == 0 {
		return u
	}
	k := min(nearExp-math.Ilogb(float64(m)), nearMost)
	return nearScale{float32(math.Ldexp(1, k)), math.Ldexp(1, -2*k)}
}

// of returns the Dist2 of a squared distance of the walk.
func (u *nearScale) of(d2 float32) float32 {
	if u.scale == 0 {
		return d2
	}
	return float32(float64(d2) * u.back)
}

// upTo returns the largest squared distance of the walk whose Dist2 is at most d2.
func (u *nearScale) upTo(d2 float32) float32 {
	if u.scale == 0 {
		return d2
	}
	return u.scaledUpTo(d2)
}

func (u *nearScale) scaledUpTo(d2 float32) float32 {
	if d2 > math.MaxFloat32 {
		return d2
	}
	// A number above the middle between d2 and the next float32 would be rounded up.
	half := (float64(d2) + float64(math.Float32frombits(math.Float32bits(d2)+1))) / 2
	far := float32(min(half/u.back, math.MaxFloat32))
	for far > 0 && u.of(far) > d2 {
		far = before(far)
	}
	return far
}
