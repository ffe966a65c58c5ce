package pair_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm/pair"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// pairObjectsRef returns the hits of one row.
func pairObjectsRef(w *pair.Walk, r pair.Row) (hits []pair.Hit) {
	x := &w.X.Nodes[r.A.Node()]
	ref, box := x.Child[r.A.Lane()], widened(w, kernel.NodeBox(x, r.A.Lane()))
	h := pair.Hit{A: soa.Location(ref.Index()), B: w.Y.Nodes[r.B.Node()].Child[r.B.Lane()].Index()}
	for j := range soa.Lanes {
		static := ref&soa.RefMoving == 0 && w.Y.Packets.Moving[h.B]>>j&1 == 0
		if overlap(box, kernel.PacketBox(&w.Y.Packets.Bounds[h.B], j)) && (w.Every != 0 || !static) {
			h.Mask |= 1 << j
		}
	}
	if h.Mask != 0 {
		hits = append(hits, h)
	}
	return hits
}

// Every tier: rows of objects become the right hits, in calls of any size and within the documented room.
func TestPairObjects(t *testing.T) {
	seed := testkit.Seed(t)
	kernel.EachPlace(t, []int{1, 2, 9}, func(t *testing.T, at kernel.Place, n int) {
		rng := testkit.Rand(seed)
		for _, kind := range testkit.BoxKinds() {
			for range testkit.Again(20, 5) {
				w := randomPairWalk(t, rng, at, n, kind)
				w.X.Packets = nil
				rows := randomRows(rng, w, rng.IntN(60), false)
				var want []pair.Hit
				for _, r := range rows {
					want = append(want, pairObjectsRef(w, r)...)
				}
				testkit.EachTier(t, func(t *testing.T) {
					for _, step := range []int{1, 3, len(rows)} {
						g := *w
						g.Rows = kernel.Put(t, at, rows)
						var got []pair.Hit
						for ; g.Head < len(g.Rows); g.Head += step {
							g.Hits = kernel.Room[pair.Hit](t, at, step)[:0]
							pair.ObjectsCall(&g, min(step, len(g.Rows)-g.Head))
							got = append(got, g.Hits...)
						}
						if !slices.Equal(got, want) {
							t.Fatalf("%v, %d at a time: %v, want %v", rows, step, got, want)
						}
					}
					g := *w
					g.Rows = slices.Clone(rows)
					pair.Objects(&g)
					if !slices.Equal(g.Hits, want) || len(g.Rows) != 0 || g.Head != 0 {
						t.Fatalf("%v: %v, want %v", rows, g.Hits, want)
					}
				})
			}
		}
	})
}
