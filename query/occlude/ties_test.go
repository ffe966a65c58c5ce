package occlude_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// Of occluders with equal areas those with smaller IDs are chosen, wherever they are stored; in a scene, of
// occluders with equal IDs those of instances that the walk enters first.
func TestEqualAreas(t *testing.T) {
	const n, most = 40, 7
	objects := make([]linear.Object, n)
	for i := range objects {
		objects[i] = linear.Object{Box: soa.AABB{Min: [3]float32{20, 41, 0}, Max: [3]float32{24, 45, 6}}, Mask: walls}
	}
	tree := plant(t, objects, linear.Config{Workers: 1})
	for id := range uint32(n / 2) { // the smaller IDs move to other slots, in another order
		testkit.Must(t, tree.Remove(id))
	}
	for range n / 2 {
		if _, err := tree.Insert(objects[0]); err != nil {
			t.Fatal(err)
		}
	}
	v := viewOf("camera", [3]float64{-5, 40, 3}, [3]float64{1, 0.1, 0}, 1, 16./9, 0.1, 200)
	culler := newCuller(t, occlude.Config{Width: 128, Height: 72, OccluderMask: walls, MaxOccluders: most, MinPixels: 1})
	testkit.Must(t, v.look(culler))
	if visible := culler.Count(tree.View(), query.Filter{}); visible != n {
		t.Fatalf("%d objects are visible, want %d", visible, n)
	}
	if got, want := culler.Remembered(0), []uint32{0, 1, 2, 3, 4, 5, 6}; !slices.Equal(got, want) {
		t.Errorf("occluders %d are chosen, want %d", got, want)
	}

	s, err := linear.NewScene(linear.Config{Workers: 1})
	testkit.Must(t, err)
	part := plant(t, objects, linear.Config{Workers: 1})
	for range 2 {
		if _, err := s.AddInstance(part, linear.Transform{}, linear.InstanceOptions{Mask: walls}); err != nil {
			t.Fatal(err)
		}
	}
	for most := 1; most < n; most += 2 {
		culler := newCuller(t, occlude.Config{Width: 128, Height: 72, OccluderMask: walls, MaxOccluders: most, MinPixels: 1})
		testkit.Must(t, v.look(culler))
		var paths []scene.Path // of all objects, in the order of the walk
		for path := range culler.AllScene(s.View(), query.Filter{}) {
			paths = append(paths, path)
		}
		if len(paths) != 2*n {
			t.Fatalf("%d objects of the scene are visible, want %d", len(paths), 2*n)
		}
		want := append(slices.Repeat(paths[:1], (most+1)/2), slices.Repeat(paths[n:n+1], most/2)...)
		if got := culler.RememberedIn(0); !slices.Equal(got, want) {
			t.Errorf("occluders of the instances %v are chosen, want %v", got, want)
		}
	}
}
