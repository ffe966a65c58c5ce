package query_test

import (
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// A world in float64 whose origin follows a player for thousands of kilometres: after each move of the origin, with
// objects that move, come and go between, every object has exactly the box of the world about the origin, without an
// error that grows, and queries about the origin find all that intersects in float64, and nothing further off than
// one rounding.
func TestMovingOrigin(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for _, cfg := range []linear.Config{{}, {Policy: linear.PolicyIncremental}, {Policy: linear.PolicyRefit, PendingMin: 8}, {TickBudget: 1 << 10}} {
		tree, err := linear.New(cfg)
		testkit.Must(t, err)
		var world linear.Column[soa.AABB64]
		player, origin := [3]float64{6_371_000.3, -1_000_000.7, 0.1}, [3]float64{}
		place := func() (b soa.AABB64) {
			for a := range 3 {
				b.Min[a] = player[a] + (rng.Float64()-0.5)*3000
				b.Max[a] = b.Min[a] + rng.Float64()*20
			}
			return b
		}
		var live []uint32
		insert := func(n int) {
			var boxes []soa.AABB64
			var objects []soa.Object
			for range n {
				boxes = append(boxes, place())
				objects = append(objects, soa.Object{Box: boxes[len(boxes)-1].Box(origin), Mask: 1})
			}
			ids, err := tree.InsertBatch(nil, objects)
			testkit.Must(t, err)
			world.SetBatch(ids, boxes)
			live = append(live, ids...)
		}
		origin = player
		insert(500)
		var ids []uint32
		var boxes []soa.AABB
		met := 0
		for range testkit.Budget(t, 30, 1000) {
			for a := range 3 {
				player[a] += 4000 * rng.NormFloat64()
			}
			for range 20 { // objects that travel with the player
				id := live[rng.IntN(len(live))]
				world.Set(id, place())
				testkit.Must(t, tree.Move(id, world.At(id).Box(origin)))
			}
			insert(5)
			dead := make([]uint64, world.Len()/64+1)
			for range 5 {
				i := rng.IntN(len(live))
				dead[live[i]/64] |= 1 << (live[i] % 64)
				live = slices.Delete(live, i, i+1)
			}
			testkit.Must(t, tree.RemoveDirty(dead))
			if rng.IntN(2) == 0 {
				testkit.Must(t, tree.Tick())
			}

			origin = player
			var arrangement uint64
			ids, arrangement = tree.Order(ids[:0])
			boxes = boxes[:0]
			for _, id := range ids {
				boxes = append(boxes, world.Get(id).Box(origin))
			}
			testkit.Must(t, tree.MoveInOrder(arrangement, boxes))
			testkit.Must(t, tree.Validate())

			v := tree.View()
			for _, id := range live {
				if o, ok := v.Object(id); !ok || o.Box != world.Get(id).Box(origin) {
					t.Fatalf("object %d has the box %v, %v, want %v", id, o.Box, ok, world.Get(id).Box(origin))
				}
			}
			for range 5 {
				b := world.Get(live[max(len(live)-1-rng.IntN(50), 0)])
				for a := range 3 {
					d := []float64{0, b.Max[a] - b.Min[a], 7 * rng.NormFloat64()}[rng.IntN(3)]
					b.Min[a], b.Max[a] = b.Min[a]+d, b.Max[a]+d
				}
				q, err := query.NewBox64(b.Min, b.Max, origin)
				testkit.Must(t, err)
				got := map[uint32]bool{}
				for _, id := range q.Append(nil, v, query.Filter{}) {
					got[id] = true
				}
				for _, id := range live {
					w := world.Get(id)
					gap, size := 0.0, 0.0
					for a := range 3 {
						gap = max(gap, w.Min[a]-b.Max[a], b.Min[a]-w.Max[a])
						for _, x := range [4]float64{w.Min[a], w.Max[a], b.Min[a], b.Max[a]} {
							size = max(size, math.Abs(x-origin[a]))
						}
					}
					if gap <= 0 != got[id] && (gap <= 0 || gap > 0x1p-22*size) {
						t.Fatalf("object %d, %v from the query, is found: %v", id, gap, got[id])
					}
					if got[id] {
						met++
					}
				}
			}
		}
		if met == 0 {
			t.Error("no query has found an object")
		}
	}
}
