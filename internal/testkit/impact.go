package testkit

import (
	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/soa"
)

// ReferenceImpact is the reference for continuous collision detection: it returns the first time in [0,
// 1] at which two moving boxes touch. Each coordinate moves linearly from the first box to the
// second; ok is false if the boxes do not touch. On each axis and for both orders the gap f = min -
// max in float64 falls to 0 or rises above it at f0/(f0-f1). This time is moved by a relative 2^-50
// to the side of touching, and the result is rounded to float32.
func ReferenceImpact(a, b [2]soa.AABB) (time float32, ok bool) {
	begin, end := 0.0, 1.0
	for k := range 3 {
		for _, f := range [2][2]float64{
			{float64(a[0].Min[k]) - float64(b[0].Max[k]), float64(a[1].Min[k]) - float64(b[1].Max[k])},
			{float64(b[0].Min[k]) - float64(a[0].Max[k]), float64(b[1].Min[k]) - float64(a[1].Max[k])},
		} {
			if f[0] > 0 && f[1] > 0 {
				return 0, false
			}
			cross := f[0] / (f[0] - f[1])
			if f[0] > 0 {
				begin = max(begin, cross*(1-0x1p-50))
			} else if f[1] > 0 {
				end = min(end, cross*(1+0x1p-50))
			}
		}
	}
	return float32(begin), begin <= end
}

// DefinitionImpact is [ReferenceImpact] in exact arithmetic, for gaps that are smaller by grow times
// their change. time is nil if the boxes never touch.
func DefinitionImpact(a, b [2]soa.AABB, grow float64) (time *rational.Rat) {
	begin, end := rat(0), rat(1)
	gap := func(lo, hi float32) *rational.Rat { return new(rational.Rat).Sub(rat(float64(lo)), rat(float64(hi))) }
	for k := range 3 {
		for _, f := range [2][2]*rational.Rat{
			{gap(a[0].Min[k], b[0].Max[k]), gap(a[1].Min[k], b[1].Max[k])},
			{gap(b[0].Min[k], a[0].Max[k]), gap(b[1].Min[k], a[1].Max[k])},
		} {
			change := new(rational.Rat).Sub(f[1], f[0])
			less := new(rational.Rat).Mul(rat(grow), new(rational.Rat).Abs(change))
			first, last := f[0].Sub(f[0], less), f[1].Sub(f[1], less)
			if first.Sign() > 0 && last.Sign() > 0 {
				return nil
			}
			if first.Sign() <= 0 && last.Sign() <= 0 {
				continue
			}
			cross := new(rational.Rat).Quo(first, change)
			cross.Neg(cross)
			if first.Sign() > 0 && cross.Cmp(begin) > 0 {
				begin = cross
			} else if last.Sign() > 0 && cross.Cmp(end) < 0 {
				end = cross
			}
		}
	}
	if begin.Cmp(end) > 0 {
		return nil
	}
	return begin
}
