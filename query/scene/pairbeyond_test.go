package scene_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// An instance in an instance grows beyond float32, so that the bounds of both are infinite: no pair of
// objects in it or beside it is lost.
func TestPairsBeyondFloat32(t *testing.T) {
	add := func(tree *linear.Tree, size float32) {
		if _, err := tree.Insert(soa.Object{Box: soa.AABB{Max: [3]float32{size, size, size}}}); err != nil {
			t.Fatal(err)
		}
	}
	place := func(s *linear.Scene, p linear.Part, scale float64) {
		transform, err := linear.NewTransform([12]float64{0: scale, 5: scale, 10: scale})
		testkit.Must(t, err)
		if _, err := s.AddInstance(p, transform, linear.InstanceOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	newScene := func() *linear.Scene {
		s := newScene(t)
		return s
	}
	newTree := func() *linear.Tree {
		tree := trees.New(t, linear.Config{})
		add(tree, 1)
		return tree
	}
	large, small := newTree(), newTree()
	inner, outer := newScene(), newScene()
	add(inner.Tree(), 1)
	place(inner, large, 0x1p60)
	place(outer, inner, 1)
	place(outer, small, 1)
	testkit.Must(t, outer.Tick())
	for _, want := range []int{3, 6} { // of each with each
		pairs := scene.AppendPairs(nil, outer.View(), scene.PairFilter{})
		if len(pairs) != want {
			t.Errorf("%d pairs, want %d: %v", len(pairs), want, pairs)
		}
		add(large, 0x1p100)
	}
}
