package query_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Remove removes the objects of the query, under every filter, and no others.
func TestRemove(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		objects := testkit.SceneByName(t, "city").Make(3000, 1)
		c := objects[100].Box.Min
		box := box(t, soa.AABB{Min: c, Max: [3]float32{c[0] + 40, c[1] + 30, c[2] + 50}})
		sphere := sphere(t, scene.Sphere{Center: c, Radius: 40})
		cone, err := query.NewCone(c, [3]float32{1, 1, 0}, 90, 0.5)
		testkit.Must(t, err)
		only := make([]uint64, 20)
		for i := range only {
			only[i] = 0x5555555555555555
		}
		for _, flt := range []query.Filter{{}, {Mask: 1}, {Motion: query.StaticOnly}, {Only: only}, {Exact: true, Mask: 6}} {
			removes(t, objects, box, flt, box.Append)
			removes(t, objects, sphere, flt, sphere.Append)
			removes(t, objects, cone, flt, cone.Append)
			removes(t, objects, query.Frustum{}, flt, query.Frustum{}.Append)
		}
	})
}

func removes[V query.Volume](t *testing.T, objects []linear.Object, volume V, flt query.Filter, find func([]uint32, linear.View, query.Filter) []uint32) {
	t.Helper()
	tree := plant(t, objects, true)
	want := find(nil, tree.View(), flt)
	other := tree.Clone()
	n, err := query.Remove(tree, volume, flt)
	testkit.Must(t, err)
	if err := tree.Validate(); err != nil || n != len(want) || n == 0 || tree.Len() != len(objects)-n {
		t.Fatalf("%v with %v: %d objects removed, want %d; %v", volume, flt, n, len(want), err)
	}
	testkit.Must(t, other.RemoveBatch(want))
	if tree.Digest() != other.Digest() || len(find(nil, tree.View(), flt)) > 0 {
		t.Errorf("%v with %v: other objects are left than after RemoveBatch", volume, flt)
	}
	left := slices.Collect(func(yield func(uint32) bool) {
		for id := range tree.All() {
			if !yield(id) {
				return
			}
		}
	})
	if slices.ContainsFunc(left, func(id uint32) bool { return slices.Contains(want, id) }) {
		t.Errorf("%v with %v: an object of the query is left", volume, flt)
	}
}

// An invalid filter is an error, and the tree and its views are unchanged.
func TestRemoveRefuses(t *testing.T) {
	tree := plant(t, testkit.SceneByName(t, "city").Make(100, 1), true)
	v, before := tree.View(), tree.LayoutDigest()
	n, err := query.Remove(tree, query.Frustum{}, query.Filter{Motion: 3})
	if n != 0 || err == nil || !strings.Contains(err.Error(), "Motion 3") {
		t.Errorf("%d objects removed, error %v", n, err)
	}
	if v.Len() != 100 || tree.LayoutDigest() != before {
		t.Error("the tree has changed")
	}
}

// Remove allocates nothing in steady state.
func TestRemoveAllocs(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(3000, 1)
	tree := plant(t, objects, true)
	sphere := sphere(t, scene.Sphere{Center: objects[100].Box.Min, Radius: 20})
	var again []linear.Object
	for id := range sphere.All(tree.View(), query.Filter{}) {
		o, _ := tree.Object(id)
		again = append(again, o)
	}
	ids := make([]uint32, 0, len(again))
	run := func() {
		n, err := query.Remove(tree, sphere, query.Filter{Mask: 0})
		testkit.Must(t, err)
		if n != len(again) {
			t.Fatalf("%d objects removed, want %d", n, len(again))
		}
		_, err = tree.InsertBatch(ids, again)
		testkit.Must(t, err)
		testkit.Must(t, tree.Tick())
	}
	for range 200 {
		run()
	}
	testkit.Allocs(t, 50, run)
}
