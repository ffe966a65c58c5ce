package scene_test

import (
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// Of objects at the same distance those with the smallest paths are the nearest, in whatever order their instances are
// visited. Many instances are nested far from the origin of their scene, so that the point is rounded by about the
// distance of neighbours there.
func TestNearestTiesOfInstances(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		ties := 0
		for range testkit.Budget(t, 30, 300) {
			one := soa.Object{Box: soa.AABB{Max: [3]float32{1, 1, 1}}, Mask: 1}
			// An object aside makes its part nearer than the others.
			aside := soa.Object{Box: soa.AABB{Min: [3]float32{-20, 0, 20}, Max: [3]float32{20, 1, 21}}, Mask: 1}
			parts := []*linear.Tree{trees.Plant(t, []soa.Object{one, one}, false), trees.Plant(t, []soa.Object{one, aside}, false)}
			yard, far := newScene(t), math.Exp2(float64(rng.IntN(28)))
			for range 40 {
				at, err := linear.Similarity([3]float64{far + float64(rng.IntN(8)), float64(rng.IntN(8)), 0}, [4]float64{3: 1}, 1)
				testkit.Must(t, err)
				place(t, yard, parts[rng.IntN(2)], at, linear.InstanceOptions{})
			}
			testkit.Must(t, yard.Tick())
			s := newScene(t)
			for range 3 {
				place(t, s, yard, turnAbout(t, 0.25), linear.InstanceOptions{})
			}
			testkit.Must(t, s.Tick())
			to := turnAbout(t, 0.25)
			box := to.Box(soa.BoxAround([3]float32{float32(far) + 8*rng.Float32(), 8 * rng.Float32(), 2}, [3]float32{}))
			p, k := box.Min, 1+rng.IntN(20)
			got, want := nearestOf(t, s.View(), p, k, infinity, query.Filter{}), scene.NearTwin(s.View(), p, k, infinity, query.Filter{})
			if !slices.Equal(got, want) {
				t.Fatalf("%d from %v, at %v:\n%v, want\n%v", k, p, far, got, want)
			}
			next := scene.NearTwin(s.View(), p, k+1, infinity, query.Filter{})
			if next[k].Dist == want[k-1].Dist {
				ties++
			}
		}
		if ties == 0 {
			t.Error("no ties at the end of an answer")
		}
	})
}
