package query_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// breadthFirst returns the rows of a walk of the whole tree: the references to nodes and packets in the order of
// their parents in the queue, then of the lanes.
func breadthFirst(s *soa.Store) (refs []soa.Ref) {
	if len(s.Nodes.Hot) == 0 {
		return nil
	}
	for queue := []uint32{0}; len(queue) > 0; queue = queue[1:] {
		node := queue[0]
		for _, ref := range s.Nodes.Hot[node].Child[:s.Nodes.Used[node]] {
			refs = append(refs, ref)
			if !ref.IsPacket() {
				queue = append(queue, ref.Index())
			}
		}
	}
	return refs
}

// below returns the slots of the packets below a reference.
func below(s *soa.Store, ref soa.Ref) (slots []uint32) {
	if ref.IsPacket() {
		return []uint32{ref.Index()}
	}
	node := ref.Index()
	for _, child := range s.Nodes.Hot[node].Child[:s.Nodes.Used[node]] {
		slots = append(slots, below(s, child)...)
	}
	return slots
}

// partsOf returns the parts of a result, and checks their invariants: a slot is in one of them, and a mask belongs to
// a single slot.
func partsOf(t *testing.T, q volume, v linear.View, flt query.Filter) (parts []query.Range) {
	t.Helper()
	seen := map[uint32]bool{}
	q.Ranges(v, flt, func(r query.Range) bool {
		parts = append(parts, r)
		for slot := r.First; slot < r.First+r.Count; slot++ {
			if seen[slot] {
				t.Errorf("slot %d is in two parts", slot)
			}
			seen[slot] = true
		}
		if r.Count == 0 || r.Mask != 0 && r.Count != 1 {
			t.Errorf("part %+v", r)
		}
		return true
	})
	return parts
}

// orders counts the cases of checkOrder.
type orders struct{ scans, walks, inside, filtered int }

// checkOrder fails unless the parts are in the documented order. If exactly is set, a node is wholly inside just when
// all below it is.
func (o *orders) checkOrder(t *testing.T, q volume, v linear.View, flt query.Filter, exactly bool) {
	t.Helper()
	s := v.Store()
	parts := partsOf(t, q, v, query.Filter{})
	cut := slices.IndexFunc(parts, func(r query.Range) bool { return r.Mask != 0 })
	if cut < 0 {
		cut = len(parts)
	}
	inside, border := parts[:cut], parts[cut:]
	var slots []uint32
	for _, r := range border {
		if r.Mask == 0 {
			t.Fatalf("%+v, wholly inside, comes after packets on the border", r)
		}
		slots = append(slots, r.First)
	}
	refs := breadthFirst(s)
	expected := slices.Clone(s.Pending)
	for _, ref := range refs {
		if ref.IsPacket() {
			expected = append(expected, ref.Index())
		}
	}
	scanned := len(inside) == 0 && slices.IsSorted(slots)
	if i := 0; !scanned {
		for _, slot := range expected {
			if i < len(slots) && slots[i] == slot {
				i++
			}
		}
		if i < len(slots) {
			t.Fatalf("slot %d, part %d on the border, comes late", slots[i], i)
		}
		o.walks++
	} else if len(slots) > 1 {
		o.scans++
	}
	isIn := map[uint32]bool{}
	var in []uint32
	for _, r := range inside {
		for slot := r.First; slot < r.First+r.Count; slot++ {
			isIn[slot] = true
			if s.Packets.Parents[slot] != soa.NoParent {
				in = append(in, slot)
			}
		}
	}
	if exactly {
		o.checkInside(t, s, refs, in, isIn)
	}

	// With a filter: the same, without the excluded slots.
	parts = partsOf(t, q, v, flt)
	late := false
	for _, r := range parts {
		switch in := isIn[r.First]; {
		case !in:
			late = true
		case late && !slices.IsSortedFunc(parts, func(a, b query.Range) int { return int(a.First) - int(b.First) }):
			t.Fatalf("%+v, wholly inside, comes after packets on the border, filter %+v", r, flt)
		}
	}
	if len(isIn) > 0 && late {
		o.filtered++
	}
}

// checkInside fails unless the slots in are whole subtrees, in the order of the walk.
func (o *orders) checkInside(t *testing.T, s *soa.Store, refs []soa.Ref, in []uint32, isIn map[uint32]bool) {
	t.Helper()
	done := map[uint32]bool{}
	for _, ref := range refs {
		slots := below(s, ref)
		if done[slots[0]] || slices.ContainsFunc(slots, func(slot uint32) bool { return !isIn[slot] }) {
			continue
		}
		if len(in) < len(slots) {
			t.Fatalf("%d slots of a subtree, %d are left", len(slots), len(in))
		}
		got := slices.Sorted(slices.Values(in[:len(slots)]))
		slices.Sort(slots)
		if !slices.Equal(got, slots) {
			t.Fatalf("slots %v wholly inside, want the subtree %v", got, slots)
		}
		for _, slot := range slots {
			done[slot] = true
		}
		in = in[len(slots):]
		o.inside++
	}
	if len(in) > 0 {
		t.Fatalf("slots %v wholly inside belong to no subtree", in)
	}
}

// The parts of a result, and so its IDs, are in the order that the doc of Frustum.Append states. This holds for every
// volume, in trees as built and changed, on every tier.
func TestRangesOrder(t *testing.T) {
	seed := testkit.Seed(t)
	var o orders
	for _, name := range []string{"uniform", "city"} {
		for _, n := range testkit.Budget(t, []int{3, 100, 1500}, []int{3, 100, 1000, 6000}) {
			objects := testkit.SceneByName(t, name).Make(n, seed)
			f := plantAll(t, objects)
			aged := plant(t, objects, false)
			r := testkit.Rand(seed)
			for range n / 4 {
				testkit.Must(t, aged.Move(uint32(r.IntN(n)), objects[r.IntN(n)].Box))
			}
			testkit.Must(t, aged.Tick())
			f.Trees["aged"] = aged
			a := queries.Make(t, objects, seed)
			for form, tree := range f.Trees {
				v := tree.View()
				testkit.EachTier(t, func(t *testing.T) {
					k := 0
					next := func(q volume, exactly bool) {
						t.Helper()
						o.checkOrder(t, q, v, filters[k%len(filters)], exactly)
						k++
					}
					for i, b := range append(a.Boxes, box(t, scene.Bounds(objects))) {
						next(b, true)
						next(a.Convexes[i%len(a.Convexes)], false)
					}
					for _, q := range a.Spheres {
						next(q, false)
					}
					for _, q := range a.Frusta {
						next(q, false)
					}
					for _, p := range a.Points {
						q := point(t, p)
						next(q, true)
					}
				})
				if t.Failed() {
					t.Fatalf("%s, %d objects, tree %s", name, n, form)
				}
			}
		}
	}
	t.Logf("%+v", o)
	if min(o.scans, o.walks, o.inside, o.filtered) < 100 {
		t.Errorf("too few to tell: %+v", o)
	}
}
