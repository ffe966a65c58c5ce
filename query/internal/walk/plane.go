package walk

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// ScaleNormal multiplies a plane by the power of two that brings the largest component of its normal
// into [1/8, 1/4).
func ScaleNormal(p *[4]float64) {
	m := max(math.Abs(p[0]), math.Abs(p[1]), math.Abs(p[2]))
	if m == 0 {
		return
	}
	_, e := math.Frexp(m)
	if unit := math.Ldexp(1, -2-e); unit >= 0x1p-1022 && unit <= 0x1p1023 {
		for i := range p {
			p[i] *= unit // rounds as Ldexp does
		}
	} else {
		for i := range p {
			p[i] = math.Ldexp(p[i], -2-e)
		}
	}
}

// Rebase moves a plane to an origin, times the power of two that brings the largest component of
// its normal into [1/8, 1/4). Its d becomes a float32 that is not below the exact one.
func Rebase(p *[4]float64, origin *[3]float64) {
	ScaleNormal(p)
	d, size := p[3], math.Abs(p[3])
	for a := range 3 {
		t := float64(p[a] * origin[a])
		d += t
		size += math.Abs(t)
	}
	if d += float64(0x1p-50 * size); !(d < math.MaxFloat32) { // NaN: the sum of opposite infinities
		d = math.MaxFloat32
	}
	p[3] = float64(soa.Above(max(d, -math.MaxFloat32), 0))
}
