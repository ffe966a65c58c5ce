package mem_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/guard"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/testkit"
)

// Rows inside and far outside of a column that ends at a page without access:
// nothing faults, nothing changes, and the index is read to its end only.
func TestPrefetch(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 128, 129, 273} {
			t.Run(fmt.Sprintf("n=%d", n), func(t *testing.T) {
				r := testkit.Rand(uint64(n))
				column := guard.Tail[[6][16]float32](t, 5)
				places := guard.Tail[uint32](t, n)
				for i := range places {
					places[i] = uint32(r.IntN(6)<<4 | r.IntN(16))
					if i%3 == 0 {
						places[i] = r.Uint32()
					}
				}
				before := slices.Clone(places)
				mem.Prefetch(column, places, 4)
				mem.Prefetch(places, places, 0)
				mem.Prefetch([][256]byte(nil), places, 3)
				if !slices.Equal(places, before) {
					t.Error("the index has changed")
				}
				for i := range column {
					if column[i] != [6][16]float32{} {
						t.Errorf("row %d has changed", i)
					}
				}
			})
		}
	})
}
