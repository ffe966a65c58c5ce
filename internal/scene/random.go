package scene

import (
	"math"
	"math/rand/v2"

	"github.com/zoctree/zoctree/soa"
)

// random is a random number generator with the same results on every platform. NormFloat64 and
// ExpFloat64 of the embedded generator differ by platform: they call math.Exp, which is assembly on
// some.
type random struct{ *rand.Rand }

// newRandom returns one of 2^64 independent streams of a seed.
func newRandom(seed, stream uint64) random {
	return random{rand.New(rand.NewPCG(seed, stream))}
}

// between returns a number uniform in [lo, hi).
func (r random) between(lo, hi float64) float64 {
	return lo + float64(r.Float64()*(hi-lo))
}

// in returns a point uniform in the cube [0, side)^3.
func (r random) in(side float64) [3]float64 {
	return [3]float64{r.between(0, side), r.between(0, side), r.between(0, side)}
}

// normal returns a nearly Gaussian number of mean 0 and variance 1: the sum of twelve uniform
// numbers of 21 bits, at most 6 in magnitude.
func (r random) normal() float64 {
	const low = 1<<21 - 1
	sum := uint64(0)
	for range 4 {
		u := r.Uint64()
		sum += u&low + u>>21&low + u>>42&low
	}
	return float64(sum)/(1<<21) - 6
}

// power returns a number in [lo, hi) whose density is proportional to its inverse square.
func (r random) power(lo, hi float64) float64 {
	return lo / (1 - float64(r.Float64()*(1-lo/hi)))
}

// direction returns a unit vector, uniform on the sphere.
func (r random) direction() [3]float64 {
	for {
		v := [3]float64{r.between(-1, 1), r.between(-1, 1), r.between(-1, 1)}
		if s := dot(v, v); s > 0.01 && s <= 1 {
			return scale(v, 1/math.Sqrt(s))
		}
	}
}

// heading returns a horizontal unit vector, uniform on the circle.
func (r random) heading() [3]float64 {
	for {
		v := [3]float64{r.between(-1, 1), r.between(-1, 1), 0}
		if s := dot(v, v); s > 0.01 && s <= 1 {
			return scale(v, 1/math.Sqrt(s))
		}
	}
}

// shuffle permutes the objects randomly.
func (r random) shuffle(objects []soa.Object) {
	r.Shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
}

// cbrt returns the cube root of x >= 0 to a few units in the last place. math.Cbrt differs by
// platform.
func cbrt(x float64) float64 {
	if x == 0 {
		return 0
	}
	_, exp := math.Frexp(x)
	y := math.Ldexp(1, (exp+2)/3)
	for range 8 {
		y = (2*y + x/float64(y*y)) / 3
	}
	return y
}

func dot(a, b [3]float64) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
}

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}

func scale(a [3]float64, f float64) [3]float64 {
	return [3]float64{a[0] * f, a[1] * f, a[2] * f}
}

// along returns a + b*f.
func along(a, b [3]float64, f float64) [3]float64 {
	return [3]float64{
		a[0] + float64(b[0]*f),
		a[1] + float64(b[1]*f),
		a[2] + float64(b[2]*f),
	}
}

func unit(a [3]float64) [3]float64 { return scale(a, 1/math.Sqrt(dot(a, a))) }

func float32s(a [3]float64) [3]float32 {
	return [3]float32{float32(a[0]), float32(a[1]), float32(a[2])}
}
