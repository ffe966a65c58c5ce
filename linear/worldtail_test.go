package linear_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// If some boxes are 100 to 100,000 times as far away as the others, the world is about the world of the others,
// for any share of far boxes.
func TestWorldOfHeavyTails(t *testing.T) {
	n := testkit.Budget(t, 20_000, 200_000)
	seed := testkit.Seed(t)
	for _, percent := range []int{1, 2, 3, 4, 5, 6, 8, 10, 12, 15} {
		r := testkit.Rand(seed)
		objects := make([]soa.Object, n)
		for i := range objects {
			scale := 500.0
			if r.IntN(100) < percent {
				scale *= math.Pow(10, 2+3*r.Float64())
			}
			at := func() float32 { return float32(scale * (2*r.Float64() - 1)) }
			objects[i] = soa.Object{Box: cube(at(), at(), at(), 1), Mask: 1}
		}
		tree := newTree(t, linear.Config{})
		insert(t, tree, objects)
		if side := tree.World().Side(); side < 1000 || side > 8*1024 {
			t.Errorf("of %d %% far boxes the world has the side %g", percent, side)
		}
	}
}
