package xform_test

import (
	"math"
	rational "math/big"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/xform"
)

// drawn draws a transform: a translation, an aligned one, a rotation, or any with a condition of up to 2^16.
func drawn(rng *rand.Rand) (p xform.Transform) {
	for {
		rows := [12]float64{0: 1, 5: 1, 10: 1}
		switch kind := rng.IntN(5); kind {
		case 0:
			return p
		case 1:
		case 2:
			rows = [12]float64{1: -rng.ExpFloat64(), 6: 3, 8: math.Ldexp(rng.Float64(), rng.IntN(20)-10)}
		default:
			q := [4]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
			rows, _ = xform.TRS([3]float64{}, q, [3]float64{1, 1, 1})
			for i := range 3 {
				for j := range 3 {
					if kind == 4 { // sheared
						rows[4*i+j] = rng.NormFloat64() * math.Ldexp(1, rng.IntN(16))
					}
				}
			}
		}
		far := math.Ldexp(1, rng.IntN(24))
		for i := range 3 {
			rows[4*i+3] = rng.NormFloat64() * far
		}
		if fault, _ := p.Set(&rows); fault == xform.None {
			return p
		}
	}
}

// imageBetween returns the exact image of a point of the space of p in the space of q.
func imageBetween(p, q *xform.Transform, point [3]float64) (x [3]*rational.Rat) {
	exact := func(f float64) *rational.Rat { return new(rational.Rat).SetFloat64(f) }
	product := func(a, b *rational.Rat) *rational.Rat { return new(rational.Rat).Mul(a, b) }
	rows, of := p.Rows(), q.Rows()
	var v [3]*rational.Rat
	var m [3][3]*rational.Rat
	for i := range 3 {
		v[i] = new(rational.Rat).Sub(exact(rows[4*i+3]), exact(of[4*i+3]))
		for j := range 3 {
			v[i].Add(v[i], product(exact(rows[4*i+j]), exact(point[j])))
			m[i][j] = exact(of[4*i+j])
		}
	}
	det := func(m *[3][3]*rational.Rat) *rational.Rat {
		sum := new(rational.Rat)
		for i := range 3 {
			j, k := (i+1)%3, (i+2)%3
			minor := new(rational.Rat).Sub(product(m[1][j], m[2][k]), product(m[1][k], m[2][j]))
			sum.Add(sum, product(m[0][i], minor))
		}
		return sum
	}
	all := det(&m)
	for j := range 3 { // G. Cramer
		with := m
		for i := range 3 {
			with[i][j] = v[i]
		}
		x[j] = new(rational.Rat).Quo(det(&with), all)
	}
	return x
}

// The exact image of each point is within the bound, and some are near to it.
func TestBetween(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	used := 0.0
	for range testkit.Budget(t, 300, 20_000) {
		p, q := drawn(rng), drawn(rng)
		var b xform.Between
		size := math.Ldexp(1, rng.IntN(20))
		for k := range 3 {
			b.From[k], b.Half[k] = float64(float32(rng.NormFloat64()*size)), float64(rng.Float32())
			if rng.IntN(4) == 0 {
				b.Half[k] = 0
			}
		}
		b.Set(&p, &q)
		for range 4 {
			var point, way [3]float64
			for k := range 3 {
				point[k] = float64(float32(b.From[k] + b.Half[k]*float64(rng.IntN(3)-1)))
				if way[k] = point[k] - b.From[k]; math.Abs(way[k]) > b.Half[k] {
					point[k], way[k] = b.From[k], 0
				}
			}
			exact := imageBetween(&p, &q, point)
			for i := range 3 {
				at := b.To[i]
				for k := range 3 {
					at += b.Rows[i][k] * way[k]
				}
				gap, _ := new(rational.Rat).Sub(exact[i], new(rational.Rat).SetFloat64(at)).Float64()
				if !(math.Abs(gap) <= b.Off[i]) {
					t.Fatalf("%v between %v and %v: off by %v on axis %d, the bound is %v", point, p.Rows(), q.Rows(), gap, i, b.Off[i])
				}
				if b.Off[i] > 0 {
					used = max(used, math.Abs(gap)/b.Off[i])
				}
			}
		}
	}
	t.Logf("at most %.3g of the bound is used", used)
	if used < 0x1p-12 {
		t.Errorf("%v of the bound is used", used)
	}
}
