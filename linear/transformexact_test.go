package linear_test

import (
	rational "math/big"

	"github.com/zoctree/zoctree/linear"
)

// Transforms in exact arithmetic.

func rat(x float64) *rational.Rat { return new(rational.Rat).SetFloat64(x) }

// dot returns the exact sum of the products.
func dot(a, b []*rational.Rat) *rational.Rat {
	sum := new(rational.Rat)
	for i := range a {
		sum.Add(sum, new(rational.Rat).Mul(a[i], b[i]))
	}
	return sum
}

// exactPose is a transform in exact arithmetic.
type exactTransform struct {
	m [3][]*rational.Rat
	t [3]*rational.Rat
}

func exactly(p linear.Transform) (e exactTransform) {
	rows := p.Rows()
	for i := range 3 {
		for j := range 3 {
			e.m[i] = append(e.m[i], rat(rows[4*i+j]))
		}
		e.t[i] = rat(rows[4*i+3])
	}
	return e
}

func (e *exactTransform) image(v [3]float64) (out [3]*rational.Rat) {
	x := []*rational.Rat{rat(v[0]), rat(v[1]), rat(v[2])}
	for i := range 3 {
		out[i] = dot(e.m[i], x)
		out[i].Add(out[i], e.t[i])
	}
	return out
}

// local solves M*x + t = v by Cramer's rule.
func (e *exactTransform) local(v [3]float64) (out [3]*rational.Rat) {
	return e.localOf([3]*rational.Rat{rat(v[0]), rat(v[1]), rat(v[2])})
}

func (e *exactTransform) localOf(v [3]*rational.Rat) (out [3]*rational.Rat) {
	d := det(e.m)
	for j := range 3 {
		var m [3][]*rational.Rat
		for i := range 3 {
			m[i] = append(m[i], e.m[i]...)
			m[i][j] = new(rational.Rat).Sub(v[i], e.t[i])
		}
		out[j] = new(rational.Rat).Quo(det(m), d)
	}
	return out
}

func det(m [3][]*rational.Rat) *rational.Rat {
	sum := new(rational.Rat)
	for j := range 3 {
		a, b := (j+1)%3, (j+2)%3
		minor := new(rational.Rat).Sub(new(rational.Rat).Mul(m[1][a], m[2][b]), new(rational.Rat).Mul(m[1][b], m[2][a]))
		sum.Add(sum, minor.Mul(minor, m[0][j]))
	}
	return sum
}

// definite reports whether s * (gram matrix of m - x^2 I) has no negative eigenvalue, which
// holds if no principal minor is negative.
func (e *exactTransform) definite(x float64, s int64) bool {
	var g [3][]*rational.Rat
	square := new(rational.Rat).Mul(rat(x), rat(x))
	sign := new(rational.Rat).SetInt64(s)
	for i := range 3 {
		for j := range 3 {
			sum := new(rational.Rat)
			for k := range 3 {
				sum.Add(sum, new(rational.Rat).Mul(e.m[k][i], e.m[k][j]))
			}
			if i == j {
				sum.Sub(sum, square)
			}
			g[i] = append(g[i], sum.Mul(sum, sign))
		}
	}
	for i := range 3 {
		j := (i + 1) % 3
		if g[i][i].Sign() < 0 {
			return false
		}
		two := new(rational.Rat).Sub(new(rational.Rat).Mul(g[i][i], g[j][j]), new(rational.Rat).Mul(g[i][j], g[j][i]))
		if two.Sign() < 0 {
			return false
		}
	}
	return det(g).Sign() >= 0
}
