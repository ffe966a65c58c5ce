package scene_test

import (
	"fmt"
	"math"
	"math/rand/v2"
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

// The iterator yields the objects of the reference, in its order, bit-identical on every tier, whenever it ends.
func TestNearbyReference(t *testing.T) {
	seed, found, inner := testkit.Seed(t), 0, 0
	var former []string
	testkit.EachTier(t, func(t *testing.T) {
		var answers []string
		for _, family := range families {
			eachPoint(t, seed, family, testkit.Budget(t, 2, 50), func(rng *rand.Rand, s *linear.Scene, _ []spot, p [3]float32, _ float64) {
				v, f := s.View(), someFilter(rng)
				f.Exact = rng.IntN(4) == 0
				k := []int{1, 2, 16, 17, 100, math.MaxInt}[rng.IntN(6)]
				got, want := firstOf(t, v, p, k, f), scene.NearTwin(v, p, k, infinity, f)
				if !slices.Equal(got, want) {
					t.Fatalf("%s: %d from %v, %+v:\n%v, want\n%v", family, k, p, f, got, want)
				}
				found += len(got)
				for _, n := range got {
					inner += n.Path.Len()
				}
				answers = append(answers, fmt.Sprint(got))
			})
		}
		if former == nil {
			former = answers
		}
		if !slices.Equal(answers, former) {
			t.Error("this tier gives other answers than the first")
		}
	})
	if found == 0 || inner == 0 {
		t.Errorf("%d found, %d instances on their paths", found, inner)
	}
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
