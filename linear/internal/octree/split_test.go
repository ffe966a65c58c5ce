package octree

import (
	"cmp"
	"math/bits"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// splitRef is the documented result of splitting keys: how many stay, and the boundary between the keys of the
// two cells.
func splitRef(keys []uint64) (cut int, high, low uint64) {
	sorted := slices.Sorted(slices.Values(keys))
	n := len(sorted)
	cut = n / 2
	best := 0
	for i := max(1, n/4); i <= n-max(1, n/4); i++ {
		if bit := bits.Len64(sorted[i-1] ^ sorted[i]); bit > best {
			best, cut = bit, i
		}
	}
	high, low = sorted[cut-1], sorted[cut]
	if high < low {
		shift := bits.Len64(high^low) - 1
		low = low >> shift << shift
		high = low - 1
	}
	return cut, high, low
}

// Any number of keys is split like sorted keys, in any order and with any number of equal keys; the keys that
// stay are the first in their order.
func TestLoadByKey(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	c := new(leaf)
	for n := 2; n <= leafMax; n++ {
		for _, few := range []uint64{1, 2, 3, 20, 1 << 40, uint64(morton.MaxKey) + 1} {
			for _, span := range []soa.KeySpan{{High: uint64(morton.MaxKey)}, {Low: few / 3, High: few/3 + few/2}} {
				c.n = n
				keys := make([]uint64, n)
				for i := range keys {
					c.keys[i] = r.Uint64N(few)
					keys[i] = min(max(c.keys[i], span.Low), span.High)
				}
				want, high, low := splitRef(keys)
				got, gotHigh, gotLow := c.loadByKey(span)
				if got != want || gotHigh != high || gotLow != low {
					t.Fatalf("%d keys of %d in %v: %d stay, up to %#x, next %#x; want %d, %#x, %#x", n, few, span, got, gotHigh, gotLow, want, high, low)
				}
				order := slices.Clone(c.cutter.objects.Of)
				byKey := slices.Clone(order)
				slices.Sort(byKey)
				slices.SortStableFunc(byKey, func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
				for _, part := range [][2]int{{0, want}, {want, n}} {
					slices.Sort(byKey[part[0]:part[1]])
				}
				if !slices.Equal(order, byKey) {
					t.Fatalf("%d keys of %d in %v: order %v, want %v", n, few, span, order, byKey)
				}
			}
		}
	}
}
