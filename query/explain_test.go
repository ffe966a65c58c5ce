package query_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
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

func sum(counts []uint32) (n int) {
	for _, c := range counts {
		n += int(c)
	}
	return n
}

// rewalk counts in h the visits of a walk of a box, by its definition: the root, each node and each packet whose box
// intersects the query but is not held by it. Below a node that is held it continues where slots are scattered.
func rewalk(v linear.View, q soa.AABB, h *query.Heat) {
	s := v.Store()
	var visit func(node uint32, held bool)
	visit = func(node uint32, held bool) {
		h.Nodes[node]++
		n := &s.Nodes.Hot[node]
		for l, ref := range n.Child {
			if ref.Flags() == 0 {
				continue // a free lane, or nothing below
			}
			meets, inside := true, true
			for a := range 3 {
				lo, hi := n.Bounds[2*a][l], n.Bounds[2*a+1][l]
				meets = meets && lo <= q.Max[a] && hi >= q.Min[a]
				inside = inside && lo >= q.Min[a] && hi <= q.Max[a]
			}
			inside = inside || held
			switch at := ref.Index(); {
			case !meets || inside && (ref.IsPacket() || s.Nodes.Slots[at].End != 0):
			case ref.IsPacket():
				h.Slots[at]++
			default:
				visit(at, inside)
			}
		}
	}
	visit(0, false)
	for _, slot := range s.Pending {
		h.Slots[slot]++
	}
}

// The heat of boxes equals that of an independent walk.
func TestHeatBox(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(2000, 2)
	for form, tree := range plantAll(t, objects).Trees {
		v := tree.View()
		testkit.EachTier(t, func(t *testing.T) {
			got, want := query.NewHeat(v), query.NewHeat(v)
			for _, b := range scene.BoxQueries(objects, 40, 20, 3) {
				q := box(t, b)
				q.Explain(v, query.Filter{}, got)
				rewalk(v, b, want)
			}
			for i := range want.Nodes {
				if got.Nodes[i] != want.Nodes[i] {
					t.Fatalf("%s: node %d is visited %d times, want %d", form, i, got.Nodes[i], want.Nodes[i])
				}
			}
			for i := range want.Slots {
				if got.Slots[i] != want.Slots[i] {
					t.Fatalf("%s: slot %d is visited %d times, want %d", form, i, got.Slots[i], want.Slots[i])
				}
			}
		})
	}
}
