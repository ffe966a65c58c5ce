package octree

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/morton"
)

// squeezedByBits packs the varying bits of a key, one by one.
func squeezedByBits(key, vary uint64) (x uint64) {
	to := uint64(1) << 62
	for b := to; b != 0; b >>= 1 {
		if vary&b != 0 {
			if key&b != 0 {
				x |= to
			}
			to >>= 1
		}
	}
	return x
}

// Squeezed keys consist of the varying bits; stretching restores the keys, and the boundary between two
// squeezed keys stretches to the boundary between the keys.
func TestSqueeze(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	const z = 0x4924924924924924 // the bits of an axis
	const all = uint64(morton.MaxKey)
	masks := []uint64{all, 0, 1, 1 << 62, z, all &^ z, z | 0xFFF, all >> 32, all &^ (all >> 30)}
	for range 300 {
		m := r.Uint64() & all
		for range r.IntN(5) {
			m &= r.Uint64()
		}
		masks = append(masks, m, all&^m)
	}
	for _, mask := range masks {
		fixed := r.Uint64() & all &^ mask
		keys := make([]uint64, 40)
		for i := range keys {
			keys[i] = fixed | r.Uint64()&mask
		}
		squeezed := slices.Clone(keys)
		vary := differing(squeezed, squeezed[0])
		q := squeezing(squeezed[0], vary)
		q.squeeze(squeezed)
		for i, k := range keys {
			if want := squeezedByBits(k, vary); squeezed[i] != want {
				t.Fatalf("key %x that varies in %x is squeezed to %x, want %x", k, vary, squeezed[i], want)
			}
			if got := q.key(squeezed[i]); got != k {
				t.Fatalf("key %x that varies in %x is stretched to %x", k, vary, got)
			}
			for j, l := range keys {
				if (k < l) != (squeezed[i] < squeezed[j]) {
					t.Fatalf("keys %x and %x are in another order squeezed", k, l)
				}
				if k < l {
					want := faceBetween(k, l)
					if got := q.face(faceBetween(squeezed[i], squeezed[j])); got != want {
						t.Fatalf("face between %x and %x that vary in %x: %x, want %x", k, l, vary, got, want)
					}
				}
			}
		}
	}
}

// faceBetween returns the number of most trailing zeros above a and not above b.
func faceBetween(a, b uint64) uint64 {
	shift := bits.Len64(a^b) - 1
	return b >> shift << shift
}
