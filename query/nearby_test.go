package query_test

import (
	"fmt"
	"iter"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
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

func TestNearby(t *testing.T) {
	seed := testkit.Seed(t)
	for i, sc := range testkit.Scenes() {
		for _, n := range nearSizes(t, i, sc.Name) {
			objects := sc.Make(n, seed)
			points := nearPoints(objects, 2, seed)
			if n > 1000 {
				points = points[:1]
			}
			t.Run(fmt.Sprintf("scene=%s/n=%d", sc.Name, n), func(t *testing.T) {
				trees := plantAll(t, objects).Trees
				for _, p := range points {
					sorted := testkit.ReferenceNearest(objects, p, n, infinity)
					testkit.EachTier(t, func(t *testing.T) {
						for form, tree := range trees {
							checkNearby(t, objects, tree.View(), p, sorted)
							if t.Failed() {
								t.Fatalf("%s tree, point %v", form, p)
							}
						}
					})
				}
			})
		}
	}
}

func checkNearby(t *testing.T, objects []soa.Object, v linear.View, p [3]float32, sorted []testkit.Near) {
	nearby, err := query.NewNearby(p)
	if err != nil {
		t.Fatal(err)
	}
	few := min(10, len(sorted))
	sameNear(t, take(nearby.All(v, query.Filter{}), few), sorted[:few])
	for i, flt := range filters {
		if n := len(sorted); n > 1000 && i%3 != n/1000%3 {
			continue
		}
		want := cut(sorted, len(sorted), allowed(objects, flt))
		if !sameNear(t, take(nearby.All(v, flt), len(sorted)+1), want) {
			t.Errorf("filter %+v", flt)
		}
	}
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
		if _, err := tree.InsertBatch(nil, []soa.Object{objects[0]}); err != nil {
			t.Fatal(err)
		}
	}
}
