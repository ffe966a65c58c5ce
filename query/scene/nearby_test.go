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

// The first hit of a ray through many overlapping instances of several parts is the first of all its hits, which are
// found without the bounds of a best hit, and any hit exists if there is one.
func TestFirstOfOverlapping(t *testing.T) {
	seed := testkit.Seed(t)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(seed)
		several := 0
		for range testkit.Budget(t, 60, 400) {
			s := newScene(t)
			for range 1 + rng.IntN(3) {
				part := make([]soa.Object, 1+rng.IntN(40))
				for i := range part {
					for a := range 3 {
						at := 8 * rng.Float32()
						part[i].Box.Min[a], part[i].Box.Max[a] = at, at+2*rng.Float32()
					}
					part[i].Mask = 1
				}
				transforms := make([]linear.Transform, 1+rng.IntN(60))
				for i := range transforms {
					p, err := linear.Similarity([3]float64{20 * rng.Float64(), 20 * rng.Float64(), 20 * rng.Float64()},
						[4]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, 0.5+rng.Float64())
					testkit.Must(t, err)
					transforms[i] = p
				}
				_, err := s.AddInstances(nil, trees.Plant(t, part, true), transforms, linear.InstanceOptions{})
				testkit.Must(t, err)
			}
			testkit.Must(t, s.Tick())
			v := s.View()
			for range 20 {
				ray, err := query.NewRay([3]float32{20 * rng.Float32(), 20 * rng.Float32(), 20 * rng.Float32()},
					[3]float32{rng.Float32() - 0.5, rng.Float32() - 0.5, rng.Float32() - 0.5}, 100*rng.Float32())
				testkit.Must(t, err)
				all := scene.AppendHits(nil, ray, v, query.Filter{})
				hit, ok := scene.First(ray, v, query.Filter{})
				if ok != (len(all) > 0) || ok && hit != all[0] {
					t.Fatalf("the first hit of %v is %v %v, of %d hits", ray, hit, ok, len(all))
				}
				if scene.Any(ray, v, query.Filter{}) != ok {
					t.Fatalf("any hit of %v: %v", ray, !ok)
				}
				if len(all) > 1 {
					several++
				}
			}
		}
		if several == 0 {
			t.Error("no ray has several hits")
		}
	})
}

// firstOf returns the first k objects of an incremental search.
func firstOf(t testing.TB, v linear.SceneView, p [3]float32, k int, f query.Filter) (near []scene.Neighbor) {
	t.Helper()
	from, err := query.NewNearby(p)
	testkit.Must(t, err)
	if from.Point() != p {
		t.Fatalf("a search from %v, want %v", from.Point(), p)
	}
	for n := range scene.Nearby(from, v, f) {
		if near = append(near, n); len(near) == k {
			break
		}
	}
	return near
}

// One iteration inside another, a change during one, a filter out of range, and no allocation.
func TestNearbyNested(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	many := newScene(t)
	tree := planted(t, rng, 20)
	for range 300 {
		place(t, many, tree, transformOf(rng, []string{"turned", "far", "affine"}[rng.IntN(3)]), linear.InstanceOptions{})
	}
	v := many.View()
	want := scene.NearTwin(v, [3]float32{}, math.MaxInt, infinity, query.Filter{})
	i := 0
	for n := range scene.Nearby(query.Nearby{}, v, query.Filter{}) {
		if n != want[i] || i%997 == 0 && !slices.Equal(firstOf(t, v, [3]float32{}, i+1, query.Filter{}), want[:i+1]) {
			t.Fatalf("neighbour %d is %v, want %v", i, n, want[i])
		}
		i++
	}
	if i != len(want) {
		t.Fatalf("%d neighbours, want %d", i, len(want))
	}
	if testkit.Panic(func() {
		for range scene.Nearby(query.Nearby{}, v, query.Filter{Motion: 9}) {
		}
	}) == nil {
		t.Error("no panic for a filter out of range")
	}
	if !testkit.RaceEnabled {
		for _, f := range []query.Filter{{}, {Exact: true, Mask: 3}} {
			if a := testing.AllocsPerRun(10, func() {
				k := 0
				for range scene.Nearby(query.Nearby{}, v, f) {
					if k++; k == 100 {
						break
					}
				}
			}); a != 0 {
				t.Errorf("%v allocations", a)
			}
		}
	}
	if testkit.Panic(func() {
		for range scene.Nearby(query.Nearby{}, v, query.Filter{}) {
			trees.Insert(t, tree, objectsOf(rng, 1))
		}
	}) == nil {
		t.Error("no panic for a scene that has changed")
	}
}
