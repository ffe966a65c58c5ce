package query_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

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
