package soa_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// Above is the smallest float32 that is not below the exact difference, Below
// the largest that is not above, and neither is -0.
func TestAboveBelow(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	exact := func(x, origin float64) *big.Float {
		d := new(big.Float).SetPrec(2200).SetFloat64(x)
		return d.Sub(d, new(big.Float).SetFloat64(origin))
	}
	check := func(x, origin float64) {
		t.Helper()
		d := exact(x, origin)
		up, down := soa.Above(x, origin), soa.Below(x, origin)
		inf := float32(math.Inf(1))
		ok := new(big.Float).SetFloat64(float64(up)).Cmp(d) >= 0 &&
			new(big.Float).SetFloat64(float64(down)).Cmp(d) <= 0
		if next := math.Nextafter32(up, -inf); new(big.Float).SetFloat64(float64(next)).Cmp(d) >= 0 {
			ok = false
		}
		if next := math.Nextafter32(down, inf); new(big.Float).SetFloat64(float64(next)).Cmp(d) <= 0 {
			ok = false
		}
		for _, x := range []float32{up, down} {
			ok = ok && math.Float32bits(x) != 1<<31 // -0
		}
		if !ok {
			t.Fatalf("%x - %x: above %x, below %x", x, origin, up, down)
		}
	}
	specials := []float64{
		0, math.Copysign(0, -1), 1, -1, 0x1p-60, -0x1p-60, 1 + 0x1p-52, 0x1p-149, -0x1p-149, 0x1.8p-150, -0x1.8p-150, 0x1p-150, -0x1p-150, 0x1p-151, -0x1p-151, 0x1p-1074, -0x1p-1074,
		math.MaxFloat32, -math.MaxFloat32, 0x1.fffffefp127, 1e39, -1e39, 1e300, 1 << 53, 1e-300,
	}
	for _, x := range specials {
		for _, origin := range specials {
			check(x, origin)
		}
	}
	for range 100_000 {
		x := math.Ldexp(rng.Float64()-0.5, rng.IntN(300)-160)
		origin := math.Ldexp(rng.Float64()-0.5, rng.IntN(300)-160)
		if rng.IntN(2) == 0 {
			origin = x + math.Ldexp(x, -rng.IntN(60))
		}
		check(x, origin)
	}
}
