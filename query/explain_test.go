package query_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// The work of rays and searches is a small part of the tree, the same on every tier, and at least the path down to
// the results.
func TestExplainRaysAndNearest(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(20_000, 1)
	tree := plant(t, objects, true)
	v := tree.View()
	st := tree.Stats()
	inf := float32(math.Inf(1))
	var first []query.Counters
	testkit.EachTier(t, func(t *testing.T) {
		var all []query.Counters
		for _, r := range scene.RayQueries(objects, 50, 1) {
			q := rayOf(t, r.Origin, r.Dir, r.MaxT)
			c := q.Explain(v, query.Filter{}, nil)
			hits := len(q.Append(nil, v, query.Filter{}))
			if hits != c.Ranges || hits > 0 && (c.Nodes < st.Depth-2 || c.Packets < 1) || hits > c.Tested {
				t.Errorf("ray %v: %+v, %d hits", r, c, hits)
			}
			if c.Packets > st.Packets/4 || c.Tested > 16*c.Packets || c.Nodes > st.Nodes/4 {
				t.Errorf("ray %v: %+v of %d nodes, %d packets", r, c, st.Nodes, st.Packets)
			}
			all = append(all, c)
		}
		for _, p := range scene.PointQueries(objects, 50, 1) {
			for _, k := range []int{1, 8, 30} {
				c, err := query.ExplainNearest(v, p, k, inf, query.Filter{}, nil)
				if err != nil || c.Ranges != k || c.Packets == 0 || c.Nodes < 2 || c.Packets > st.Packets/4 || c.Tested < k {
					t.Errorf("%d nearest to %v: %+v, %v", k, p, c, err)
				}
				all = append(all, c)
			}
		}
		if first == nil {
			first = all
		}
		for i := range all {
			if all[i] != first[i] {
				t.Errorf("query %d takes %+v here and %+v on another tier", i, all[i], first[i])
			}
		}
	})
	if _, err := query.ExplainNearest(v, [3]float32{inf}, 1, 1, query.Filter{}, nil); err == nil {
		t.Error("a point that is not finite gave no error")
	}
	if c, err := query.ExplainNearest(v, [3]float32{}, 0, 1, query.Filter{}, nil); err != nil || c != (query.Counters{}) {
		t.Errorf("no neighbours take %+v, %v", c, err)
	}
}

// A walk that finds the border everywhere falls back to a scan after a few nodes, and returns the same results.
func TestWalkGivesUp(t *testing.T) {
	objects := testkit.SceneByName(t, "identical").Make(20_000, 1)
	v := plant(t, objects, true).View()
	center := objects[0].Box.Center()
	q := box(t, soa.AABB{Min: center, Max: center})
	testkit.EachTier(t, func(t *testing.T) {
		c := q.Explain(v, query.Filter{}, nil)
		if c.Packets != v.Slots() || c.Nodes > v.Slots()/32 {
			t.Errorf("%+v for %d slots: no scan, or a late one", c, v.Slots())
		}
		if n := q.Count(v, query.Filter{}); n != len(objects) {
			t.Errorf("%d of %d objects found", n, len(objects))
		}
	})
}
