package asm_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/testkit"
)

// Rows inside and far outside of a column that ends at a page without access:
// nothing faults, nothing changes, and the index is read to its end only.
func TestPrefetch(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		eachPlace(t, sizes(128), func(t *testing.T, at place, n int) {
			r := testkit.Rand(uint64(n))
			column := room[asm.Packet](t, at, 5)
			places := room[uint32](t, at, n)
			for i := range places {
				places[i] = uint32(r.IntN(6)<<4 | r.IntN(16))
				if i%3 == 0 {
					places[i] = r.Uint32()
				}
			}
			before := slices.Clone(places)
			asm.Prefetch(column, places, 4)
			asm.Prefetch(places, places, 0)
			asm.Prefetch([]asm.Node(nil), places, 3)
			if !slices.Equal(places, before) {
				t.Error("the index has changed")
			}
			for i := range column {
				if column[i] != (asm.Packet{}) {
					t.Errorf("packet %d has changed", i)
				}
			}
		})
	})
}
