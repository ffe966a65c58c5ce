package cull_test

import (
	"math/rand/v2"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/testkit"
)

// always and never are planes without normal.
var (
	always = [4]float32{3: 1}
	never  = [4]float32{3: -1}
)

// randomFrustum returns one to six planes that matter, the others always pass.
func randomFrustum(rng *rand.Rand, kind testkit.BoxKind) (raw [6][4]float32) {
	for i := range raw {
		raw[i] = always
		if i == 0 || rng.IntN(3) == 0 {
			raw[i] = testkit.RandomPlane(rng, kind)
		}
	}
	return raw
}

func scaled(raw [6][4]float32) (p [6][4]float32) {
	for i, c := range raw {
		p[i] = cull.ScalePlane([4]float64{float64(c[0]), float64(c[1]), float64(c[2]), float64(c[3])})
	}
	return p
}

// prepared are the planes as queries use them.
func prepared(raw [6][4]float32, extent [3]float32) cull.Planes {
	s := scaled(raw)
	return cull.MakePlanes(&s, extent, extent)
}

// bare are the planes as they stand, neither scaled nor widened.
func bare(raw [6][4]float32) cull.Planes {
	p := cull.MakePlanes(&raw, [3]float32{}, [3]float32{})
	p.Coef = raw
	return p
}
