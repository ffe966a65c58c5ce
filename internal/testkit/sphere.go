package testkit

import (
	"math"
	"math/big"
)

// ReferenceSphere is the reference for sphere queries: it returns the indices of the boxes that a tree
// must return for a ball, ascending. On each axis d = max(min - c, c - max, 0) times the scale of
// [SphereLimit]. A box is hit if (dx*dx + dy*dy) + dz*dz is not above the limit, each operation
// rounded to float32.
func ReferenceSphere[B Boxed](boxes []B, center [3]float32, radius float32) (hits []int) {
	limit, scale := SphereLimit(radius)
	for i := range boxes {
		b := boxOf(&boxes[i])
		var square [3]float32
		for a := range 3 {
			d := max(b.Min[a]-center[a], center[a]-b.Max[a], 0)
			d *= scale
			square[a] = d * d
		}
		xy := square[0] + square[1]
		if xy+square[2] <= limit {
			hits = append(hits, i)
		}
	}
	return hits
}

// SphereLimit returns the squared radius for the float32 test, and the scale of its distances: the
// power of two that scales the radius into [2^60, 2^61), but at most 2^127.
func SphereLimit(radius float32) (limit, scale float32) {
	power := 0x1p127
	for r := float64(radius); r*power >= 0x1p61; {
		power /= 2
	}
	// The square of a float32 is exact in float64, and so is a power of two.
	r2 := float64(radius) * float64(radius) * power * power
	raised := float64(r2*(1+6.0/(1<<24))) + 0x1p-148*power*power
	limit = float32(raised)
	if float64(limit) < raised {
		limit = math.Nextafter32(limit, float32(math.Inf(1)))
	}
	return limit, float32(power)
}

// DefinitionSphere returns, by definition, the indices of the boxes that share a point with the
// closed ball in exact arithmetic, ascending.
func DefinitionSphere[B Boxed](boxes []B, center [3]float32, radius float32) (hits []int) {
	for i := range boxes {
		b := boxOf(&boxes[i])
		var sum float64
		var from, to [3]float32 // the distance on an axis is to - from
		for a := range 3 {
			switch {
			case center[a] < b.Min[a]:
				from[a], to[a] = center[a], b.Min[a]
			case center[a] > b.Max[a]:
				from[a], to[a] = b.Max[a], center[a]
			}
			d := float64(to[a]) - float64(from[a])
			sum += float64(d * d)
		}
		// The few roundings are relative errors, because no term is negative.
		r2 := float64(radius) * float64(radius)
		if math.Abs(sum-r2) > (sum+r2)*0x1p-48 {
			if sum < r2 {
				hits = append(hits, i)
			}
		} else if exactlyWithin(&from, &to, radius) {
			hits = append(hits, i)
		}
	}
	return hits
}

// exactlyWithin reports whether the distance of two points is at most the radius. Coordinates are
// multiples of 2^-149 below 2^128: 700 bits hold any sum of squares of differences.
func exactlyWithin(from, to *[3]float32, radius float32) bool {
	exact := func(f float32) *big.Float { return new(big.Float).SetPrec(700).SetFloat64(float64(f)) }
	sum := exact(0)
	for a := range 3 {
		d := exact(to[a])
		d.Sub(d, exact(from[a]))
		sum.Add(sum, d.Mul(d, d))
	}
	r := exact(radius)
	return sum.Cmp(r.Mul(r, r)) <= 0
}
