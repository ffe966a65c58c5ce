package scene

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// far returns points of a survey in UTM coordinates, about x 5e5 and y 5.4e6, where float32 has
// steps of 1/32 and 1/2. All are on a 0.5 m grid, and 3 % coincide with others.
func far(n int, seed uint64) []soa.Object {
	r := newRandom(seed, 7)
	objects := make([]soa.Object, n)
	side := max(1, math.Floor(math.Sqrt(float64(n))*2)) // grid steps
	for i := range objects {
		x := 5e5 + math.Floor(r.between(0, side))/2
		y := 5.4e6 + math.Floor(r.between(0, side))/2
		z := 250 + math.Floor(r.between(0, 4))/2
		objects[i].Box = around([3]float64{x, y, z}, [3]float64{})
	}
	return label(objects, everyThird)
}

// degenerate returns boxes with coordinates of every magnitude from the smallest denormal to 1e30
// and both zeros. Half the boxes have an edge of length 0.
func degenerate(n int, seed uint64) []soa.Object {
	r := newRandom(seed, 8)
	objects := make([]soa.Object, n)
	for i := range objects {
		b := &objects[i].Box
		for a := range 3 {
			lo, hi := r.awkward(), r.awkward()
			if r.IntN(5) == 0 {
				hi = lo
			}
			b.Min[a], b.Max[a] = min(lo, hi), max(lo, hi)
		}
	}
	return label(objects, everyThird)
}

// awkward returns a zero of either sign, a denormal, or a number whose exponent is uniform, of
// magnitude at most 1e30.
func (r random) awkward() (f float32) {
	switch r.IntN(8) {
	case 0:
	case 1:
		f = math.Float32frombits(r.Uint32N(1 << 23))
	case 2:
		f = float32(r.between(0, 100))
	default:
		f = math.Float32frombits(1<<23 + r.Uint32N(math.Float32bits(1e30)-1<<23))
	}
	if r.IntN(2) == 0 {
		return float32(math.Copysign(float64(f), -1))
	}
	return f
}
