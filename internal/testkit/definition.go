package testkit

import (
	"math"
	"math/big"

	"github.com/zoctree/zoctree/soa"
)

// DefinitionFrustum returns, by definition, the indices of the boxes that overlap a frustum of six
// inward planes, ascending. For each plane, as given, nx*px + ny*py + nz*pz + d >= 0 at the
// p-vertex in exact arithmetic. The result of a tree must contain all of them. Boxes and planes
// must be finite.
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
	px, py, pz := pVertex(plane, b)
	// A product of two float32 is exact in float64.
	x := float64(plane[0]) * float64(px)
	y := float64(plane[1]) * float64(py)
	z := float64(plane[2]) * float64(pz)
	d := float64(plane[3])
	// Each of the three sums has a rounding error of at most 2^-53 of a partial sum. No partial sum
	// exceeds the sum of the magnitudes by more than a few roundings.
	sum := x + y + z + d
	size := math.Abs(x) + math.Abs(y) + math.Abs(z) + math.Abs(d)
	if math.Abs(sum) > size*(1.0/(1<<50)) {
		return sum > 0
	}
	return size == 0 || exactSign(x, y, z, d) >= 0
}

// exactSign returns the sign of the sum of the terms.
func exactSign(terms ...float64) int {
	// The bits of the terms lie between 2^-298, the square of the smallest denormal, and 2^256, the
	// square of the largest float32, so their sums fit 640 bits.
	sum := new(big.Float).SetPrec(640)
	term := new(big.Float).SetPrec(640)
	for _, t := range terms {
		sum.Add(sum, term.SetFloat64(t))
	}
	return sum.Sign()
}
