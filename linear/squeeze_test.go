package linear_test

import (
	"bytes"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
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
		vary, key, face := linear.Squeeze(squeezed)
		for i, k := range keys {
			if want := squeezedByBits(k, vary); squeezed[i] != want {
				t.Fatalf("key %x that varies in %x is squeezed to %x, want %x", k, vary, squeezed[i], want)
			}
			if got := key(squeezed[i]); got != k {
				t.Fatalf("key %x that varies in %x is stretched to %x", k, vary, got)
			}
			for j, l := range keys {
				if (k < l) != (squeezed[i] < squeezed[j]) {
					t.Fatalf("keys %x and %x are in another order squeezed", k, l)
				}
				if k < l {
					want := faceBetween(k, l)
					if got := face(faceBetween(squeezed[i], squeezed[j])); got != want {
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

// A tree is the same, to the last bit, whether or not its build squeezes keys.
func TestSqueezedBuild(t *testing.T) {
	defer linear.SetSqueeze(linear.SetSqueeze(0))
	for i, scene := range []string{"uniform", "city", "plane", "clustered", "points", "surface", "huge", "degenerate", "identical", "far"} {
		for _, n := range testkit.Turn(t, i, []int{4095, 4096, 20_000}) {
			for _, cfg := range []linear.Config{{}, {Frozen: true}} {
				objects := sceneOf(t, scene, n)
				var want map[string][]byte
				for _, least := range []int{64, 5, 0} { // never, by default, always
					linear.SetSqueeze(least)
					tree := newTree(t, cfg)
					insert(t, tree, objects)
					valid(t, tree)
					rebuild(t, tree, cfg.Frozen)
					valid(t, tree)
					got := storeBits(tree.View().Store())
					if want == nil {
						want = got
						continue
					}
					for name := range got {
						if !bytes.Equal(got[name], want[name]) {
							t.Errorf("%s of %d, %+v, squeezed from %d shared bits on: other %s", scene, n, cfg, least, name)
						}
					}
				}
			}
		}
	}
}
