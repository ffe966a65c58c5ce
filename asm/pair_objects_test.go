package asm_test

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// pairObjectsRef returns the hits of one row.
func pairObjectsRef(w *asm.PairWalk, r asm.PairRow) (hits []asm.PairHit) {
	x, y := &w.X.Nodes[r.A.Node()], &w.Y.Nodes[r.B]
	ref, box := x.Child[r.A.Lane()], nodeBox(x, r.A.Lane())
	for ; r.Mask != 0; r.Mask &= r.Mask - 1 {
		h := asm.PairHit{A: soa.Place(ref.Index()), B: y.Child[bits.TrailingZeros32(r.Mask)].Index()}
		for j := range soa.Lanes {
			static := ref&soa.RefMoving == 0 && w.Y.Packets.Moving[h.B]>>j&1 == 0
			if boxesMeet(box, packetBox(&w.Y.Packets.Bounds[h.B], j)) && (w.Every != 0 || !static) {
				h.Mask |= 1 << j
			}
		}
		if h.Mask != 0 {
			hits = append(hits, h)
		}
	}
	return hits
}

// Every tier: rows of objects become the hits they should, in calls of any
// budget and within the room that is documented.
func TestPairObjects(t *testing.T) {
	seed := testkit.Seed(t)
	eachPlace(t, []int{1, 2, 9}, func(t *testing.T, at place, n int) {
		rng := testkit.Rand(seed)
		for _, kind := range testkit.BoxKinds() {
			for range 20 {
				w := randomPairWalk(t, rng, at, n, kind)
				w.X.Packets = nil
				var rows []asm.PairRow
				var want []asm.PairHit
				packets := 0
				for range rng.IntN(6) {
					r := asm.PairRow{A: soa.Up(rng.Uint32N(uint32(soa.Fan * n))), B: rng.Uint32N(uint32(n)), Mask: rng.Uint32N(1 << soa.Fan)}
					for l, ref := range w.Y.Nodes[r.B].Child {
						if !ref.IsPacket() {
							r.Mask &^= 1 << l
						}
					}
					packets += bits.OnesCount32(r.Mask)
					rows = append(rows, r)
					want = append(want, pairObjectsRef(w, r)...)
				}
				testkit.EachTier(t, func(t *testing.T) {
					for _, budget := range []int{1, 3, packets, packets + 1} {
						g := *w
						g.Rows = put(t, at, rows)
						var got []asm.PairHit
						for g.Head < len(g.Rows) {
							g.Hits = room[asm.PairHit](t, at, budget+1)[:0]
							asm.PairObjectsCall(&g, len(g.Rows)-g.Head, budget)
							got = append(got, g.Hits...)
						}
						if !slices.Equal(got, want) {
							t.Fatalf("%v, budget %d: %v, want %v", rows, budget, got, want)
						}
					}
					g := *w
					g.Rows = slices.Clone(rows)
					asm.PairObjects(&g)
					if !slices.Equal(g.Hits, want) || len(g.Rows) != 0 || g.Head != 0 {
						t.Fatalf("%v: %v, want %v", rows, g.Hits, want)
					}
				})
			}
		}
	})
}
