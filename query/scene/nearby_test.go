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
)

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
