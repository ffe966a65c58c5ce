package query_test

import (
	"iter"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// take returns the first k that an iterator yields.
func take(seq iter.Seq[query.Neighbor], k int) (near []query.Neighbor) {
	for n := range seq {
		if len(near) == k {
			break
		}
		near = append(near, n)
	}
	return near
}

// One iteration inside another, and the same iterator twice.
func TestNearbyNested(t *testing.T) {
	objects := testkit.SceneByName(t, "clustered").Make(100, 1)
	v := plant(t, objects, true).View()
	var nearby query.Nearby
	want := testkit.ReferenceNearest(objects, [3]float32{}, 100, infinity)
	all := nearby.All(v, query.Filter{})
	i := 0
	for n := range all {
		if int(n.ID) != want[i].Index || !sameNear(t, take(all, i+1), want[:i+1]) {
			t.Fatalf("at %d", i)
		}
		i++
	}
}

func TestNearbyChange(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(50, 1)
	tree := plant(t, objects, false)
	defer func() {
		if recover() == nil {
			t.Error("an insertion during the iteration was not noticed")
		}
	}()
	for range (query.Nearby{}).All(tree.View(), query.Filter{}) {
		trees.Insert(t, tree, []soa.Object{objects[0]})
	}
}
