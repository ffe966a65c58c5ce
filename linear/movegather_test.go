package linear_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Objects that move far leave their packets at once, also several of one packet, and while others of it move a
// little: queries before the next tick visit little more than in a new tree.
func TestFarMovesWithoutTick(t *testing.T) {
	const n = 8000
	objects := sceneOf(t, "uniform", n)
	world := soa.Empty()
	for i := range objects {
		world = world.Union(objects[i].Box)
	}
	for _, frozen := range []bool{false, true} {
		r := testkit.Rand(testkit.Seed(t))
		tree := newTree(t, linear.Config{Frozen: frozen})
		ids := insert(t, tree, objects)
		now := append([]soa.Object(nil), objects...)
		for range 20 {
			var moved []uint32
			var to []soa.AABB
			for range n / 200 {
				id := r.IntN(n - 8)
				for k := range 4 { // neighbours are often in one packet
					b := drift(r, now[id+k].Box, 0.1, world, 2)
					now[id+k].Box = b
					moved, to = append(moved, ids[id+k]), append(to, b)
				}
			}
			must(t, tree.MoveBatch(moved, to))
			valid(t, tree)
			check(t, tree, ids, now)
			if pending := tree.Stats().Pending; pending > 64 {
				t.Fatalf("%d objects are pending", pending)
			}
		}
		frusta, boxes := aged(t, tree, now)
		if frusta > 2 || boxes > 2 {
			t.Errorf("frozen %v: frusta visit %.2f, boxes %.2f times what they do in a new tree", frozen, frusta, boxes)
		}
	}
}
