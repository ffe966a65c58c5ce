package space

import (
	"math"
	"math/big"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// A plane, and a side of a box, that the image of the bounds of a part touches in exact arithmetic does not have the
// part outside. The spans of planes that are kept bound the terms of their test.
func TestMoveTouches(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	cut, inside := 0, 0
	for range testkit.Budget(t, 20_000, 500_000) {
		var rows [12]float64
		far := math.Ldexp(1, rng.IntN(30))
		for i := range rows {
			if rows[i] = rng.NormFloat64(); i%4 == 3 {
				rows[i] *= far
			}
		}
		var transform xform.Transform
		if fault, _ := transform.Set(&rows); fault != xform.None {
			continue
		}
		var b soa.AABB
		flat := rng.IntN(2) == 0
		for a := range 3 {
			b.Min[a] = float32(rng.NormFloat64())
			if b.Max[a] = b.Min[a]; !flat {
				b.Max[a] += rng.Float32()
			}
		}
		var e Extent
		e.Set(&b)
		var n [3]float64
		for a := range n {
			n[a] = float64(float32(rng.NormFloat64()))
		}
		from, to := walk.Volume{Kind: walk.KindPlanes, N: 1}, walk.Volume{}
		most := exactMost(&rows, &b, &n)
		from.Planes[0] = [4]float64{n[0], n[1], n[2], -roundedDown(most)}
		check := func(side exact.Relation) {
			switch side {
			case exact.Outside:
				t.Fatalf("%v under %v is outside %v", b, rows, from.Planes[0])
			case exact.Inside:
				inside++
				return
			}
			cut++
			for i, p := range to.Planes[:to.N] {
				sum := 0.0
				for a := range 3 {
					sum += math.Abs(p[a]) * e.Most[a]
				}
				if to.Spans[i] < sum*(1-0x1p-50) {
					t.Fatalf("plane %v of bounds %v has the span %g, want %g", p, b, to.Spans[i], sum)
				}
			}
		}
		check(Move(&to, &from, &transform, &e))
		from = walk.Volume{Kind: walk.KindBox}
		for a := range 3 {
			var up [3]float64
			up[a] = 1
			from.Min[a] = roundedDown(exactMost(&rows, &b, &up)) // the image touches this corner of the box, or the axis
			from.Max[a] = from.Min[a] + rng.Float64()
		}
		if flat {
			from.SetMiddle()
			check(Move(&to, &from, &transform, &e))
		}
	}
	if cut < 1000 {
		t.Errorf("%d cut, %d inside", cut, inside)
	}
}

// exactMost returns the largest value of a normal over the image of a box.
func exactMost(rows *[12]float64, b *soa.AABB, n *[3]float64) *big.Float {
	product := func(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(1000).Mul(x, y) }
	sum := new(big.Float).SetPrec(1000)
	for i := range n {
		sum.Add(sum, product(big.NewFloat(n[i]), big.NewFloat(rows[4*i+3])))
	}
	for j := range 3 {
		m := new(big.Float).SetPrec(1000)
		for i := range n {
			m.Add(m, product(big.NewFloat(n[i]), big.NewFloat(rows[4*i+j])))
		}
		x := b.Max[j]
		if m.Sign() < 0 {
			x = b.Min[j]
		}
		sum.Add(sum, product(m, big.NewFloat(float64(x))))
	}
	return sum
}

// roundedDown returns a float64 that is at most x.
func roundedDown(x *big.Float) float64 {
	y, accuracy := x.Float64()
	if accuracy == big.Above {
		return math.Nextafter(y, math.Inf(-1))
	}
	return y
}
