package lane

import "math"

// These functions get and set exponents by the bits of a float64. They replace math.Frexp and
// math.Ldexp if nothing is denormal, in an instruction or two. Each float32 is a normal float64.

// Exponent returns e with 2^e <= x < 2^(e+1), for a normal x above 0.
func Exponent(x float64) int { return int(math.Float64bits(x)>>52) - 1023 }

// Power returns 2^e, for e from -1022 to 1023.
func Power(e int) float64 { return math.Float64frombits(uint64(e+1023) << 52) }

// RoundUp returns the smallest float32 that is at least x, at most the largest finite one.
func RoundUp(x float64) float32 {
	if x >= math.MaxFloat32 {
		return math.MaxFloat32
	}
	f := float32(x)
	// Half of all numbers are rounded down, so the step up has no branch. It moves negative numbers
	// towards zero.
	step, b := Bit(float64(f) < x), math.Float32bits(f)
	minus := -(b >> 31)
	return math.Float32frombits(b + (step ^ minus) - minus)
}

// Outward rounds x to float32 in the direction of sign, no further than the largest finite number.
func Outward(x, sign float64) float32 {
	if sign < 0 {
		return -RoundUp(-x)
	}
	return RoundUp(x)
}

func Abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// Largest returns the largest absolute value of three numbers that are not NaN.
func Largest(x, y, z float32) float32 {
	return math.Float32frombits(max(math.Float32bits(x)&^(1<<31), math.Float32bits(y)&^(1<<31), math.Float32bits(z)&^(1<<31)))
}
