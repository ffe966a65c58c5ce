package octree

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// The placement boxes of a node of a build equal the boxes computed packet by packet.
func TestPlacementBoxes(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	for _, slack := range []int{-1, 1, 10, 100} {
		tree := &Tree{State: State{Config: Config{Slack: slack}}}
		for range 200 {
			node, lanes := soa.EmptyNode, r.IntN(soa.Fan+1)
			for l := range lanes {
				for a := range 3 {
					x := float32(math.Ldexp(r.Float64()-0.5, r.IntN(250)-120))
					y := x + float32(math.Ldexp(r.Float64(), r.IntN(250)-120))
					node.Bounds[2*a][l], node.Bounds[2*a+1][l] = x, y
				}
			}
			homes := make([]soa.AABB, soa.Fan)
			tree.placementBoxes(homes, &node, lanes)
			for l, home := range homes {
				if want := tree.placementBox(LaneBox(&node, l)); home != want {
					t.Fatalf("slack %d: lane %d of %d has the home %v, want %v", slack, l, lanes, home, want)
				}
			}
		}
	}
}
