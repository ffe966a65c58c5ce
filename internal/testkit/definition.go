package testkit

import (
	"math"
	"math/big"

	"github.com/zoctree/zoctree/soa"
)

// DefinitionFrustum returns the indices of the boxes that a frustum of those
// six inward planes holds by definition, ascending: for each plane, as given,
// nx*px + ny*py + nz*pz + d >= 0 at the p-vertex in exact arithmetic. None of
// them may be missing from the answer of a tree. Boxes and planes must be
// finite.
func DefinitionFrustum[B Boxed](boxes []B, planes [6][4]float32) (hits []int) {
next:
	for i := range boxes {
		b := boxOf(&boxes[i])
		for p := range planes {
			if !touches(&planes[p], b) {
				continue next
			}
		}
		hits = append(hits, i)
	}
	return hits
}

// touches reports whether the p-vertex of b is on the plane or in front of it.
func touches(plane *[4]float32, b *soa.AABB) bool {
	// A product of two float32 is exact in float64.
	terms := [4]float64{3: float64(plane[3])}
	for a := range 3 {
		n, p := plane[a], b.Max[a]
		if n < 0 {
			p = b.Min[a]
		}
		terms[a] = float64(n) * float64(p)
	}
	// Each of the three sums rounds off at most 2^-53 of a partial sum, none
	// of which exceeds the sum of the sizes by more than a few roundings.
	sum := terms[0] + terms[1] + terms[2] + terms[3]
	size := math.Abs(terms[0]) + math.Abs(terms[1]) + math.Abs(terms[2]) + math.Abs(terms[3])
	if math.Abs(sum) > size*(1.0/(1<<50)) {
		return sum > 0
	}
	return exactSign(&terms) >= 0
}

// exactSign returns the sign of the sum of the terms.
func exactSign(terms *[4]float64) int {
	// The bits of the terms lie between 2^-298, the square of the smallest
	// denormal, and 2^256, the square of the largest float32, so their sums fit
	// 640 bits.
	sum := new(big.Float).SetPrec(640)
	term := new(big.Float).SetPrec(640)
	for _, t := range terms {
		sum.Add(sum, term.SetFloat64(t))
	}
	return sum.Sign()
}
