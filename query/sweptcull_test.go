package query_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// A ball before a corner full of boxes that lie in the box around it and not in its path. The walk removes them from
// its stack, and finds the hits elsewhere, or nothing, as the list of all hits does, which culls nothing.
func TestSweptSphereCullsCorners(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	found, rounds := 0, 0
	testkit.EachTier(t, func(t *testing.T) {
		for round := range testkit.Budget(t, 20, 400) {
			tree := trees.New(t, linear.Config{})
			var objects []soa.Object
			for range 4000 {
				var b soa.AABB
				near := rng.IntN(4000) == 0 // or else in the corners of the cube around the ball
				for a := range 3 {
					x := float32(0.6 + 0.4*rng.Float64())
					if near {
						x = 0.57
					}
					if rng.IntN(2) == 0 {
						x = -x
					}
					b.Min[a], b.Max[a] = x, x+0x1p-12*float32(rng.Float64())
				}
				objects = append(objects, soa.Object{Box: b})
			}
			trees.Insert(t, tree, objects)
			if round%2 == 0 {
				testkit.Must(t, tree.Tick())
			}
			way := [3]float32{0, 0, float32(rng.IntN(3)) * 0.01}
			q := sweptSphereOf(t, [3]float32{}, 1, way)
			v := tree.View()
			all := q.Append(nil, v, query.Filter{})
			h, ok := q.First(v, query.Filter{})
			if ok != (len(all) > 0) || ok && h != all[0] {
				t.Fatalf("nearest %v %v of %v", h, ok, all)
			}
			if q.Any(v, query.Filter{}) != ok {
				t.Fatalf("any is not %v", ok)
			}
			found += len(all)
			rounds++
		}
	})
	if found < rounds/2 || found > 100*rounds {
		t.Errorf("%d hits in %d rounds", found, rounds)
	}
}
