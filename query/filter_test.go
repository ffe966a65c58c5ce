package query_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
)

// filtering reports whether the filter can exclude an object.
func filtering(f query.Filter) bool {
	return f.Mask != 0 || f.Motion != query.AnyMotion || f.Only != nil
}

// alive reports whether Only keeps the ID.
func alive(f query.Filter, id int) bool {
	return f.Only == nil || id/64 < len(f.Only) && f.Only[id/64]>>(id%64)&1 != 0
}

// someLive has the bits of two thirds of the IDs below 64*n.
func someLive(n int) []uint64 {
	live := make([]uint64, n)
	for id := range 64 * n {
		if id%3 != 1 {
			live[id/64] |= 1 << (id % 64)
		}
	}
	return live
}

// A bitmap may have any length, and is one of three conditions.
func TestFilterLive(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(5000, 1)
	f := plantAll(t, objects)
	var q query.Frustum // everything
	for _, words := range []int{0, 1, 2, 16, 78, 79, 80, 1000} {
		for _, flt := range []query.Filter{{}, {Mask: 3}, {Motion: query.MovingOnly}, {Mask: 5, Motion: query.StaticOnly}} {
			flt.Only = someLive(words)
			all := make([]int, len(objects))
			for i := range all {
				all[i] = i
			}
			want := keep(objects, all, flt)
			testkit.EachTier(t, func(t *testing.T) {
				for _, tree := range f.Trees {
					got := forms(t, q, q.All(tree.View(), flt), tree.View(), flt)
					testkit.SameIDs(t, slices.Sorted(slices.Values(got)), want)
				}
			})
		}
	}
}

// A filter that excludes nearly everything visits nearly nothing, however much
// the volume holds.
func TestFilterVisitsLittle(t *testing.T) {
	for _, name := range []string{"uniform", "city"} {
		objects := testkit.SceneByName(t, name).Make(50_000, 1)
		for i := range objects {
			objects[i].Mask, objects[i].Static = 1, true
		}
		rare := []int{17, 4321, 40_000}
		for _, i := range rare {
			objects[i].Mask, objects[i].Static = 2, false
		}
		v := plant(t, objects, true).View()
		box := scene.Bounds(objects)
		cut := box
		cut.Max[0] = box.Center()[0]
		all, half := boundsQuery(t, box.Min, box.Max), boundsQuery(t, cut.Min, cut.Max)
		for _, flt := range []query.Filter{{Mask: 2}, {Motion: query.MovingOnly}, {Mask: 3, Motion: query.MovingOnly}} {
			if n := all.Count(v, flt); n != len(rare) {
				t.Errorf("%s: %d objects, want %d", name, n, len(rare))
			}
			for _, q := range []query.Box{all, half} {
				// A path from the root to each of the three.
				c := q.Explain(v, flt, nil)
				if c.Nodes > 3*8 || c.Packets > 3 || c.Tested > 3*16 || c.Ranges > 3 {
					t.Errorf("%s, filter %+v: %+v", name, flt, c)
				}
			}
		}
		if c := all.Explain(v, query.Filter{Mask: 4}, nil); c != (query.Counters{Nodes: 1}) {
			t.Errorf("%s: a mask that no object has: %+v", name, c)
		}
	}
}

func boundsQuery(t testing.TB, lo, hi [3]float32) query.Box {
	t.Helper()
	q, err := query.NewBox(lo, hi)
	if err != nil {
		t.Fatal(err)
	}
	return q
}
