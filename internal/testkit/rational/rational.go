// Package rational provides rational numbers for exact definitions in tests. Its type has methods of [big.Rat], and
// does not cancel common factors: for sums and products of float64, whose denominators are powers of two, that is
// several times as fast.
package rational

import (
	"math"
	"math/big"
	"math/bits"
)

// Rat is the rational number num/den * 2^exp. Its zero value is 0.
type Rat struct {
	num big.Int
	den big.Int // positive; 0 stands for 1
	exp int
}

var one = big.NewInt(1)

// denominator returns den.
func (x *Rat) denominator() *big.Int {
	if x.den.Sign() == 0 {
		return one
	}
	return &x.den
}

// Set sets z to x and returns z.
func (z *Rat) Set(x *Rat) *Rat {
	if z != x {
		z.num.Set(&x.num)
		z.den.Set(&x.den)
		z.exp = x.exp
	}
	return z
}

// SetInt64 sets z to x and returns z.
func (z *Rat) SetInt64(x int64) *Rat {
	z.num.SetInt64(x)
	z.den.SetInt64(0)
	z.exp = 0
	return z
}

// SetFloat64 sets z to x and returns z, or returns nil if x is not finite.
func (z *Rat) SetFloat64(x float64) *Rat {
	if x-x != 0 {
		return nil
	}
	fraction, exp := math.Frexp(x)
	mantissa := int64(math.Ldexp(fraction, 53))
	if mantissa == 0 {
		return z.SetInt64(0)
	}
	zeros := bits.TrailingZeros64(uint64(mantissa))
	z.SetInt64(mantissa >> zeros)
	z.exp = exp - 53 + zeros
	return z
}

// Sign returns -1, 0 or 1.
func (x *Rat) Sign() int { return x.num.Sign() }

// Neg sets z to -x and returns z.
func (z *Rat) Neg(x *Rat) *Rat {
	z.Set(x)
	z.num.Neg(&z.num)
	return z
}

// Abs sets z to |x| and returns z.
func (z *Rat) Abs(x *Rat) *Rat {
	z.Set(x)
	z.num.Abs(&z.num)
	return z
}

// Mul sets z to x*y and returns z.
func (z *Rat) Mul(x, y *Rat) *Rat {
	z.num.Mul(&x.num, &y.num)
	if x.den.Sign()|y.den.Sign() != 0 {
		z.den.Mul(x.denominator(), y.denominator())
	} else {
		z.den.SetInt64(0)
	}
	z.exp = x.exp + y.exp
	return z
}

// Quo sets z to x/y and returns z. It panics if y is 0.
func (z *Rat) Quo(x, y *Rat) *Rat {
	if y.Sign() == 0 {
		panic("rational: division by zero")
	}
	var inverse Rat
	inverse.num.Set(y.denominator())
	inverse.den.Abs(&y.num)
	if y.Sign() < 0 {
		inverse.num.Neg(&inverse.num)
	}
	inverse.exp = -y.exp
	return z.Mul(x, &inverse)
}

// Inv sets z to 1/x and returns z. It panics if x is 0.
func (z *Rat) Inv(x *Rat) *Rat { return z.Quo(new(Rat).SetInt64(1), x) }

// Add sets z to x+y and returns z.
func (z *Rat) Add(x, y *Rat) *Rat {
	switch {
	case x.Sign() == 0:
		return z.Set(y)
	case y.Sign() == 0:
		return z.Set(x)
	}
	var a, b big.Int
	exp := min(x.exp, y.exp)
	a.Lsh(&x.num, uint(x.exp-exp))
	b.Lsh(&y.num, uint(y.exp-exp))
	if x.den.Sign()|y.den.Sign() != 0 {
		a.Mul(&a, y.denominator())
		b.Mul(&b, x.denominator())
		z.den.Mul(x.denominator(), y.denominator())
	} else {
		z.den.SetInt64(0)
	}
	z.num.Add(&a, &b)
	z.exp = exp
	return z
}

// Sub sets z to x-y and returns z.
func (z *Rat) Sub(x, y *Rat) *Rat { return z.Add(x, new(Rat).Neg(y)) }

// Cmp returns the sign of x-y.
func (x *Rat) Cmp(y *Rat) int { return new(Rat).Sub(x, y).Sign() }

// Rat returns x with common factors cancelled.
func (x *Rat) Rat() *big.Rat {
	var num, den big.Int
	num.Lsh(&x.num, uint(max(x.exp, 0)))
	den.Lsh(x.denominator(), uint(max(-x.exp, 0)))
	return new(big.Rat).SetFrac(&num, &den)
}

// Float64 returns the nearest float64, and whether it is x.
func (x *Rat) Float64() (f float64, exact bool) { return x.Rat().Float64() }

// Float32 returns the nearest float32, and whether it is x.
func (x *Rat) Float32() (f float32, exact bool) { return x.Rat().Float32() }

// FloatString returns x in decimal, with so many digits after the point.
func (x *Rat) FloatString(digits int) string { return x.Rat().FloatString(digits) }

// String returns x as a fraction.
func (x *Rat) String() string { return x.Rat().String() }
