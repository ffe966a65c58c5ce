package radix

import (
	"math/rand/v2"
	"slices"
)

type kind struct {
	name string
	make func(r *rand.Rand, n int) []uint64
}

// kinds are the shapes of input that tests and benchmarks run on; nothing in
// them depends on the machine.
var kinds = []kind{
	{"uniform", uniform},
	{"clustered", clustered},
	{"nearly", nearly},
	{"sorted", func(r *rand.Rand, n int) []uint64 {
		keys := uniform(r, n)
		slices.Sort(keys)
		return keys
	}},
	{"reversed", func(r *rand.Rand, n int) []uint64 {
		keys := uniform(r, n)
		slices.Sort(keys)
		slices.Reverse(keys)
		return keys
	}},
	{"identical", fill(func(r *rand.Rand, i, n int) uint64 { return 0x123456789abcdef0 })},
	{"two", fill(func(r *rand.Rand, i, n int) uint64 { return uint64(i&1)<<62 | 5 })},
	{"two-low", fill(func(r *rand.Rand, i, n int) uint64 { return 7<<40 | uint64(^i&1) })},
	{"equal-top", fill(func(r *rand.Rand, i, n int) uint64 { return 7<<40 | r.Uint64()&lowMask })},
	{"equal-low", fill(func(r *rand.Rand, i, n int) uint64 { return r.Uint64() >> 1 &^ lowMask })},
	{"one-run", fill(func(r *rand.Rand, i, n int) uint64 {
		if i&1 == 0 {
			return 3<<50 | r.Uint64()&lowMask
		}
		return r.Uint64() >> 1
	})},
	{"outlier", fill(func(r *rand.Rand, i, n int) uint64 {
		if i == n/3 {
			return 1 << 62
		}
		return r.Uint64() & 0xffff
	})},
	{"few", fill(func(r *rand.Rand, i, n int) uint64 { return r.Uint64N(37) * 0x0123456789abcd })},
	{"middle-bits", fill(func(r *rand.Rand, i, n int) uint64 { return r.Uint64() & 0xfff << 24 })},
	{"one-bit", fill(func(r *rand.Rand, i, n int) uint64 { return 1 << r.UintN(63) })},
	{"extremes", fill(func(r *rand.Rand, i, n int) uint64 {
		return []uint64{0, 1, lowMask, lowMask + 1, 1<<63 - 1, 1<<63 - 2, 1 << 62, 1<<62 - 1}[r.UintN(8)]
	})},
}

// named returns the kind of that name.
func named(name string) kind {
	return kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })]
}

// seeded returns the source of every input of length n.
func seeded(n int) *rand.Rand { return rand.New(rand.NewPCG(0x5eed, uint64(n))) }

func fill(key func(r *rand.Rand, i, n int) uint64) func(r *rand.Rand, n int) []uint64 {
	return func(r *rand.Rand, n int) []uint64 {
		keys := make([]uint64, n)
		for i := range keys {
			keys[i] = key(r, i, n)
		}
		return keys
	}
}

var uniform = fill(func(r *rand.Rand, i, n int) uint64 { return r.Uint64() >> 1 })

// clustered returns the keys of a town: four of five points in n/500 Gaussian
// clusters, of power-law population, near a plane; the others anywhere on it.
func clustered(r *rand.Rand, n int) []uint64 {
	type cluster struct{ x, y, sigma float64 }
	clusters := make([]cluster, n/500+1)
	for i := range clusters {
		clusters[i] = cluster{r.Float64(), r.Float64(), 0.0005 + 0.002*r.Float64()}
	}
	return fill(func(r *rand.Rand, i, n int) uint64 {
		if r.UintN(5) == 0 {
			return morton(r.Float64(), r.Float64(), 0.02*r.Float64())
		}
		u := r.Float64()
		c := clusters[int(u*u*u*float64(len(clusters)))]
		return morton(c.x+c.sigma*r.NormFloat64(), c.y+c.sigma*r.NormFloat64(), 0.01+c.sigma*r.NormFloat64())
	})(r, n)
}

// nearly returns the keys of points in the order of the frame before: sorted,
// but one in 20 has strayed.
func nearly(r *rand.Rand, n int) []uint64 {
	keys := clustered(r, n)
	slices.Sort(keys)
	for i := range keys {
		if r.UintN(20) == 0 {
			keys[i] ^= r.Uint64() & (1<<36 - 1)
		}
	}
	return keys
}

// morton interleaves 21 bits of each coordinate, clamped to [0, 1).
func morton(x, y, z float64) (key uint64) {
	for axis, v := range [3]float64{x, y, z} {
		k := uint64(min(max(v, 0), 1-0x1p-22) * (1 << 21))
		for bit := range 21 {
			key |= k >> bit & 1 << (3*bit + axis)
		}
	}
	return key
}
