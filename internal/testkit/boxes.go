package testkit

import (
	"math"
	"math/rand/v2"

	"github.com/zoctree/zoctree/soa"
)

// BoxKind is a distribution of random boxes.
type BoxKind int

// Kinds of random boxes.
const (
	// BoxesSmall have edges of up to 4 in a cube of side 100.
	BoxesSmall BoxKind = iota
	// BoxesGrid have integer coordinates of -8 to 8, so that faces touch exactly and boxes
	// coincide.
	BoxesGrid
	// BoxesSpecial have coordinates at special values of float32: zeros of both signs, the ends of
	// the denormal and of the normal range, neighbours of 1.
	BoxesSpecial
	// BoxesWide have any finite float32 as coordinates, with uniform exponents.
	BoxesWide
)

// BoxKinds returns every kind.
func BoxKinds() []BoxKind { return []BoxKind{BoxesSmall, BoxesGrid, BoxesSpecial, BoxesWide} }

// String returns a name for subtests.
func (k BoxKind) String() string {
	return [...]string{"small", "grid", "special", "wide"}[k]
}

var specials = [...]float32{
	0, math.SmallestNonzeroFloat32, 0x1p-127, 0x1.fffffcp-127, 0x1p-126, 0x1p-64,
	0x1.fffffep-1, 1, 0x1.000002p0, 3, 1 << 24, 1e30, 0x1p127, math.MaxFloat32,
}

// RandomBoxes returns n finite boxes, none inverted. One in eight has no extent on at least one
// axis.
func RandomBoxes(rng *rand.Rand, n int, kind BoxKind) []soa.AABB {
	boxes := make([]soa.AABB, n)
	for i := range boxes {
		b := &boxes[i]
		for a := range 3 {
			lo := kind.coordinate(rng)
			hi := kind.coordinate(rng)
			if kind == BoxesSmall {
				hi = lo + float32(rng.Float32()*4)
			}
			if rng.IntN(24) == 0 {
				hi = lo
			}
			b.Min[a], b.Max[a] = min(lo, hi), max(lo, hi)
		}
	}
	return boxes
}

// RandomPlane returns a finite plane with four coordinates of the kind, scaled for small boxes so
// that it is likely to cut them.
func RandomPlane(rng *rand.Rand, kind BoxKind) (plane [4]float32) {
	for i := range plane {
		plane[i] = kind.coordinate(rng)
	}
	if kind == BoxesSmall {
		for i := range 3 {
			plane[i] = float32(plane[i]/50) - 1
		}
		plane[3] -= 50
	}
	return plane
}

func (k BoxKind) coordinate(rng *rand.Rand) float32 {
	var f float32
	switch k {
	case BoxesSmall:
		return float32(rng.Float32() * 100)
	case BoxesGrid:
		return float32(rng.IntN(17) - 8)
	case BoxesSpecial:
		f = specials[rng.IntN(len(specials))]
	case BoxesWide:
		f = math.Float32frombits(rng.Uint32N(0x7F800000))
	}
	if rng.IntN(2) == 0 {
		f = -f
	}
	return f
}

// Cube returns the cube of a half-edge centred on a point.
func Cube(x, y, z, half float32) soa.AABB {
	return soa.AABB{Min: [3]float32{x - half, y - half, z - half}, Max: [3]float32{x + half, y + half, z + half}}
}
