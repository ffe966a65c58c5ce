package linear_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// placeConfigs are ways to decide where objects go that are not the default.
var placeConfigs = []linear.Config{
	{PendingMin: 4, PendingShare: 1 << 20, Policy: linear.PolicyIncremental, World: cube(0, 0, 0, 30), GrowShare: 100, ShrinkShare: 2},
	{PendingMin: 4, PendingShare: 1 << 20, World: cube(0, 0, 0, 30), GrowShare: -1, ShrinkShare: -1},
}

// TestModel for these.
func TestModelPlaces(t *testing.T) {
	seed := testkit.Seed(t)
	steps := testkit.Budget(t, 80, 160, 400)
	testkit.EachTier(t, func(t *testing.T) {
		for _, n := range []int{3, 20, 200} {
			for _, cfg := range placeConfigs {
				m := newModel(t, cfg, seed+uint64(n), 100)
				for range steps {
					m.step(t, n)
					m.check(t)
				}
			}
		}
	})
}
