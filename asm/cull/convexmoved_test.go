package cull_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// Planes through a corner of a box, with numbers that float32 cannot hold, hit each box that touches them in exact
// arithmetic, and no box that is farther away than the rounding.
func TestConvexSetMoved(t *testing.T) {
	seed, rounds := testkit.Seed(t), testkit.Budget(t, 1000, 300_000)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(seed)
		touching, hit, missed, refused := 0, 0, 0, 0
		for range rounds {
			size := math.Ldexp(1, rng.IntN(80)-35)
			var packet soa.Packet
			boxes := make([]soa.AABB, soa.Lanes)
			var most [3]float64
			for l := range boxes {
				b := &boxes[l]
				for a := range 3 {
					x := rng.NormFloat64() * size
					b.Min[a] = float32(x)
					b.Max[a] = max(b.Min[a], float32(x+rng.Float64()*size*math.Ldexp(1, -rng.IntN(40))))
					most[a] = max(most[a], math.Abs(float64(b.Min[a])), math.Abs(float64(b.Max[a])))
				}
				kernel.SetPacketBox(&packet, l, kernel.ColumnsOf(*b))
			}
			p, normal := [4]float64{}, math.Ldexp(1, rng.IntN(98)-39)
			span := 0.0
			for a := range 3 {
				p[a] = (rng.Float64()*2 - 1) * normal * math.Ldexp(1, -rng.IntN(3)*rng.IntN(30))
				span += math.Abs(p[a]) * most[a]
			}
			p[3] = above(-exactMost(&p, &boxes[0]), 1)
			span *= 1 + 0x1p-50
			v := cull.Volume{Shape: cull.ShapeConvex}
			if !v.Convex.SetMoved([][4]float64{p}, []float64{span}, most[0]+most[1]+most[2]+1) {
				refused++
				continue
			}
			lanes := uint32(0)
			for _, r := range v.Scan(nil, []soa.Packet{packet}, 0, 1) {
				lanes = r.N & 0xffff
			}
			for l := range boxes {
				got := lanes>>l&1 != 0
				at := exactMost(&p, &boxes[l]) + p[3] // of the sign of the exact sum, but for the lane that p touches
				far := (span+math.Abs(p[3]))*14*0x1p-24 + (most[0]+most[1]+most[2]+1)*0x1p-146
				switch {
				case !got && (l == 0 || at >= 0):
					t.Fatalf("seed %d: plane %x, box %v is lost", seed, p, boxes[l])
				case got && at < -far:
					t.Fatalf("seed %d: plane %x, box %v is hit, at %g of %g", seed, p, boxes[l], at, far)
				case got && l == 0:
					touching++
				case got:
					hit++
				default:
					missed++
				}
			}
		}
		if touching < rounds/2 || hit < rounds || missed < rounds || refused > rounds/4 {
			t.Errorf("%d touch, %d hit, %d missed, %d refused", touching, hit, missed, refused)
		}
	})
}

// exactMost returns the largest value of the normal over a box, rounded once.
func exactMost(p *[4]float64, b *soa.AABB) float64 {
	sum := new(big.Float).SetPrec(2000)
	for a := range 3 {
		x := b.Max[a]
		if p[a] < 0 {
			x = b.Min[a]
		}
		sum.Add(sum, new(big.Float).SetPrec(2000).Mul(big.NewFloat(p[a]), big.NewFloat(float64(x))))
	}
	value, _ := sum.Float64()
	return value
}

// above returns the n-th float64 above x.
func above(x float64, n int) float64 {
	for range n {
		x = math.Nextafter(x, math.Inf(1))
	}
	return x
}

// Planes that need a scale are refused, and numbers that are not finite.
func TestConvexSetMovedRefuses(t *testing.T) {
	good := [4]float64{1, 0, 0, 1}
	for _, c := range []struct {
		name  string
		plane [4]float64
		span  float64
		sum   float64
		want  bool
	}{
		{"moderate", good, 1, 2, true},
		{"long", [4]float64{0x1p60, 0, 0, 1}, 1, 2, true},
		{"too long", [4]float64{0, -0x1.8p60, 0, 1}, 1, 2, false},
		{"short", [4]float64{0, 0, -0x1p-40, 1}, 1, 2, true},
		{"too short", [4]float64{0x1.8p-41, 0, 0, 1}, 1, 2, false},
		{"no normal", [4]float64{0, 0, 0, 1}, 0, 2, false},
		{"NaN", [4]float64{math.NaN(), 1, 0, 1}, 1, 2, false},
		{"infinite", [4]float64{1, math.Inf(-1), 0, 1}, 1, 2, false},
		{"infinite distance", [4]float64{1, 0, 0, math.Inf(1)}, 1, 2, false},
		{"NaN distance", [4]float64{1, 0, 0, math.NaN()}, 1, 2, false},
		{"far", good, 0x1p101, 2, false},
		{"far plane", [4]float64{1, 0, 0, -0x1p101}, 1, 2, false},
		{"tiny boxes", good, 1, 1, false},
		{"NaN boxes", good, 1, math.NaN(), false},
	} {
		if got := new(cull.Convex).SetMoved([][4]float64{good, c.plane}, []float64{1, c.span}, c.sum); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
	many := make([][4]float64, cull.MaxPlanes+1)
	for i := range many {
		many[i] = good
	}
	for _, n := range []int{0, 1, cull.MaxPlanes, cull.MaxPlanes + 1} {
		if got := new(cull.Convex).SetMoved(many[:n], make([]float64, n), 2); got != (n == 1 || n == cull.MaxPlanes) {
			t.Errorf("%d planes: %t", n, got)
		}
	}
}
