package xform

import (
	"math"
	"math/big"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// The quick box is the box of the spans, bit by bit, or is refused; it is refused rarely for rotations, and for
// numbers without rounding.
func TestQuickBox(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	n := testkit.Budget(t, 200_000, 10_000_000)
	quick, refused := 0, 0
	for round := range n {
		var rows [12]float64
		coarse, tiny := round%4 == 0, round%32 == 2 // the least numbers of float32, which are rounded to zeros
		for i := range rows {
			rows[i] = rng.NormFloat64()
			if i%4 == 3 {
				rows[i] *= math.Ldexp(1, rng.IntN(40)-20)
			}
			if coarse {
				rows[i] = math.Round(rows[i] * 8)
			}
			if tiny && i%4 == 3 {
				rows[i] = 0
			}
		}
		var p Transform
		if fault, _ := p.Set(&rows); fault != None || p.AtMost(Aligned) {
			continue
		}
		var b soa.AABB
		scale := math.Ldexp(1, rng.IntN(60)-30)
		if tiny {
			scale = 0x1p-148
		}
		for a := range 3 {
			x, y := rng.NormFloat64(), rng.Float64()*math.Ldexp(1, -rng.IntN(30))
			if coarse {
				x, y = math.Round(x*4), math.Round(y*4)
			}
			b.Min[a], b.Max[a] = float32(x*scale), float32(x*scale+y*scale)
			if rng.IntN(200) == 0 {
				b.Max[a] = math.MaxFloat32
			}
		}
		if round%4 == 1 { // a sum next to a float32
			for i := range 3 {
				least, _ := p.span(&b, i)
				if math.Abs(float64(least)) > math.MaxFloat32 {
					continue
				}
				p.t[i] = 0
				lo := interval{}
				for j, m := range &p.m[i] {
					lo.add(min(float64(m*float64(b.Min[j])), float64(m*float64(b.Max[j]))))
				}
				p.t[i] = float64(least) - lo.sum
			}
		}
		var got, want soa.AABB
		for i := range 3 {
			want.Min[i], want.Max[i] = p.span(&b, i)
		}
		switch ok := p.quickBox(&b, &got); {
		case !ok:
			if refused++; round%4 > 1 && b.Max != [3]float32{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32} {
				quick--
			}
		case bitsOf(&got) != bitsOf(&want):
			t.Fatalf("%v under %v: %v, want %v", b, rows, got, want)
		default:
			quick++
		}
		if got = p.Box(&b); bitsOf(&got) != bitsOf(&want) {
			t.Fatalf("%v under %v: %v, want %v", b, rows, got, want)
		}
	}
	if quick < n/3 || refused < n/16 {
		t.Errorf("%d quick, %d refused", quick, refused)
	}
}

func bitsOf(b *soa.AABB) (bits [6]uint32) {
	for a := range 3 {
		bits[2*a], bits[2*a+1] = math.Float32bits(b.Min[a]), math.Float32bits(b.Max[a])
	}
	return bits
}

// The slip bounds the row sums of |I - inv*m|, and is small for a rotation with a scale.
func TestSlip(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for round := range testkit.Budget(t, 300, 50_000) {
		scale := math.Ldexp(1+rng.Float64(), rng.IntN(40)-20)
		rows, _ := TRS([3]float64{}, [4]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, [3]float64{scale, scale, scale})
		if round%2 != 0 {
			rows[rng.IntN(3)] += scale * rng.Float64() // sheared
		}
		var p Transform
		if fault, _ := p.Set(&rows); fault != None {
			continue
		}
		for i := range 3 {
			sum := big.NewRat(0, 1)
			for j := range 3 {
				is := big.NewRat(0, 1)
				if i == j {
					is.SetInt64(1)
				}
				for k := range 3 {
					x, y := new(big.Rat).SetFloat64(p.inv[i][k]), new(big.Rat).SetFloat64(p.m[k][j])
					is.Sub(is, x.Mul(x, y))
				}
				sum.Add(sum, is.Abs(is))
			}
			if exact, _ := sum.Float64(); exact > p.slip || round%2 == 0 && p.slip > 0x1p-44 {
				t.Fatalf("%v: row %d slips by %v, the bound is %v", rows, i, exact, p.slip)
			}
		}
	}
}
