package pair_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/zoctree/zoctree/asm/pair"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// randomHits returns n hits of objects and packets in so many slots.
func randomHits(rng *rand.Rand, n, x, y int) []pair.Hit {
	hits := make([]pair.Hit, n)
	for i := range hits {
		hits[i] = pair.Hit{A: soa.Location(rng.Uint32N(uint32(soa.Lanes * x))), B: rng.Uint32N(uint32(y)), Mask: 1 + rng.Uint32N(0xffff)}
		switch rng.IntN(4) {
		case 0, 1:
			hits[i].Mask = 1 << rng.IntN(soa.Lanes)
		case 2: // every value that a kernel stores
			hits[i].Mask = 0xffff
		}
	}
	return hits
}

// emitPairsRef is the documented order: hits, lanes.
func emitPairsRef(hits []pair.Hit, x, y []kernel.IDRow, order pair.Order) (pairs [][2]uint32) {
	for _, h := range hits {
		for l := range soa.Lanes {
			if h.Mask>>l&1 == 0 {
				continue
			}
			a, b := x[h.A.Slot()][h.A.Lane()], y[h.B][l]
			switch {
			case order == pair.Found, order == pair.Ascending && a <= b:
				pairs = append(pairs, [2]uint32{a, b})
			default:
				pairs = append(pairs, [2]uint32{b, a})
			}
		}
	}
	return pairs
}

// Every tier: hits become the right pairs in each order, after the pairs already in the list and within its capacity,
// which is used up to the last pair.
func TestEmitPairs(t *testing.T) {
	seed := testkit.Seed(t)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(seed)
		kernel.EachPlace(t, []int{0, 1, 2, 9, 100, pair.EmitPerCall, pair.EmitPerCall + 1}, func(t *testing.T, at kernel.Place, n int) {
			const slotsX, slotsY = 7, 5
			madeX, _ := kernel.RandomIDs(rng, slotsX)
			madeY, _ := kernel.RandomIDs(rng, slotsY)
			x, y := kernel.Put(t, at, madeX), kernel.Put(t, at, madeY)
			hits := kernel.Put(t, at, randomHits(rng, n, slotsX, slotsY))
			for _, order := range []pair.Order{pair.Found, pair.Swapped, pair.Ascending} {
				want := emitPairsRef(hits, x, y, order)
				if total := pair.CountHits(hits); total != len(want) {
					t.Fatalf("CountHits = %d, want %d", total, len(want))
				}
				for _, kept := range []int{0, 3} {
					for _, spare := range []int{-len(want), -1, 0, 1, 15, 16, 17, 100} {
						buffer := kernel.Room[[2]uint32](t, at, max(kept, kept+len(want)+spare))
						for i := range kept {
							buffer[i] = [2]uint32{uint32(i), ^uint32(i)}
						}
						head := slices.Clone(buffer[:kept])
						got := pair.EmitPairs(buffer[:kept], hits, x, y, order)
						at := fmt.Sprintf("%d hits, order %d, %d kept, %d spare", n, order, kept, spare)
						if !slices.Equal(got[:kept], head) || !slices.Equal(buffer[:kept], head) {
							t.Fatalf("%s: changed what the list held", at)
						}
						if !slices.Equal(got[kept:], want) {
							t.Fatalf("%s: %v, want %v", at, got[kept:], want)
						}
						if spare >= 0 && unsafe.SliceData(got) != unsafe.SliceData(buffer) {
							t.Fatalf("%s: the list moved", at)
						}
					}
				}
			}
		})
	})
}
