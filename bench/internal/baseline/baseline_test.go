package baseline

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// Every baseline returns the set of the reference, on every tier.
func TestRivalsAgree(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(3000, testkit.Seed(t))
	tree := must.Get(linear.New(linear.Config{Workers: 1}))
	must.Get(tree.InsertBatch(nil, objects))
	v := tree.View()
	var frusta [][6][4]float32
	for _, f := range scene.EdgeFrusta(objects) {
		frusta = append(frusta, f.Planes)
	}
	for _, c := range scene.Cameras(objects, 0.1, 10, 1) {
		frusta = append(frusta, c.Planes())
	}
	testkit.EachTier(t, func(t *testing.T) {
		var sweep Sweep
		var set Set
		var walk asm.VolumeWalk
		for _, planes := range frusta {
			lens := must.Get(NewLens(planes))
			var want []uint32
			for _, i := range testkit.ReferenceFrustum(objects, planes) {
				want = append(want, uint32(i))
			}
			testkit.SameIDs(t, Scalar(nil, objects, v.Store().Extent, &lens), want)
			got := sweep.Append(nil, v.Store(), &lens)
			if err := set.Same(got, want); err != nil {
				t.Errorf("sweep of %v: %v", planes, err)
			}
			if err := set.Same(lens.Frustum.Append(nil, v, query.Filter{}), want); err != nil {
				t.Errorf("tree, %v: %v", planes, err)
			}
			visits := lens.Count(&walk, v.Store())
			if visits.Nodes < 1 || visits.Nodes > len(v.Store().Nodes.Hot) || visits.Packets > v.Slots() {
				t.Errorf("%+v of %d nodes and %d slots", visits, len(v.Store().Nodes.Hot), v.Slots())
			}
		}
	})
}

func TestSet(t *testing.T) {
	var set Set
	want := []uint32{7, 3, 900}
	for range 2 {
		if err := set.Same([]uint32{900, 7, 3}, want); err != nil {
			t.Error(err)
		}
		for _, got := range [][]uint32{nil, {7, 3}, {7, 3, 900, 3}, {7, 3, 3}, {7, 3, 901}, {7, 3, 5000}} {
			if set.Same(slices.Clone(got), want) == nil {
				t.Errorf("%v passes for %v", got, want)
			}
		}
	}
}
