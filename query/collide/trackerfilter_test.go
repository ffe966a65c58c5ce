package collide_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// When the filter changes, or the layers that it points to, the pairs are at once those under the new
// filter, though no object has changed.
func TestTrackerFilter(t *testing.T) {
	objects := testkit.SceneByName(t, "clustered").Make(150, 1)
	for i := range objects {
		objects[i].Mask = uint32(i) & 31
	}
	tree := trees.New(t, linear.Config{Log: true})
	trees.Insert(t, tree, objects)
	trees.SetBalls(t, tree, testkit.BallsIn(objects))
	v := tree.View()

	layers := collide.AllLayers()
	filters := append(slices.Clone(pairFilters),
		collide.Filter{Mask: 3}, collide.Filter{Exact: true}, collide.Filter{Exact: true, StaticPairs: true},
		collide.Filter{Layers: &layers})
	var tr collide.Tracker
	differ := 0
	check := func() {
		t.Helper()
		before := slices.SortedFunc(tr.Pairs(), comparePairs)
		testkit.Must(t, tr.Update(v))
		want := collide.Append(nil, collide.Within(v), tr.Filter)
		slices.SortFunc(want, comparePairs)
		if got := slices.SortedFunc(tr.Pairs(), comparePairs); !slices.Equal(got, want) {
			t.Fatalf("filter %+v: %d pairs, want %d", tr.Filter, len(got), len(want))
		}
		if !slices.Equal(before, want) {
			differ++
		}
	}
	for _, from := range filters {
		for _, to := range filters {
			tr.Filter = from
			check()
			tr.Filter = to
			check()
		}
	}
	for c := range 32 { // behind the pointer
		layers.Set(c, c, false)
		check()
	}
	if differ < 100 {
		t.Errorf("only %d filters made a difference", differ)
	}
}
