package linear_test

import (
	"errors"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// moveInOrder moves all objects in the order of memory, after rejected calls.
func (m *model) moveInOrder(t testing.TB) {
	t.Helper()
	ids, arrangement := m.tree.Order(nil)
	boxes := make([]soa.AABB, len(ids))
	for i, id := range ids {
		o, ok := m.live[id]
		if !ok {
			t.Fatalf("object %d is in the order and not in the tree, after %v", id, m.log)
		}
		o.Box = m.near(o.Box)
		if m.r.IntN(10) == 0 {
			o.Box = m.object().Box
		}
		boxes[i] = o.Box
	}
	v := m.tree.View()
	for _, stale := range []uint64{0, arrangement - 1, arrangement + 1} {
		if err := m.tree.MoveInOrder(stale, boxes); !errors.Is(err, linear.ErrRearranged) {
			t.Fatalf("arrangement %d of %d: error %v", stale, arrangement, err)
		}
	}
	if n := len(boxes); n > 0 {
		bad := slices.Clone(boxes)
		bad[m.r.IntN(n)].Max[1] = float32(math.NaN())
		if m.tree.MoveInOrder(arrangement, bad) == nil {
			t.Fatalf("a NaN is not refused, after %v", m.log)
		}
	}
	v.Store() // nothing has changed
	must(t, m.tree.MoveInOrder(arrangement, boxes))
	m.note("MoveInOrder of %d", len(ids))
	for i, id := range ids {
		m.move(id, boxes[i])
	}
}

// checkOrder checks that the order contains all objects, and has changed only if its number has.
func (m *model) checkOrder(t testing.TB) {
	t.Helper()
	ids, arrangement := m.tree.Order(nil)
	if arrangement == m.arrangement && !slices.Equal(ids, m.order) {
		t.Fatalf("arrangement %d is %v, it was %v, after %v", arrangement, ids, m.order, m.log)
	}
	m.order, m.arrangement = ids, arrangement
	sorted := slices.Sorted(slices.Values(ids))
	if !slices.Equal(sorted, slices.Sorted(slices.Values(m.ids))) {
		t.Fatalf("the order is of %v, the tree has %v, after %v", sorted, m.ids, m.log)
	}
}

// heldView is a published version and its expected contents.
type heldView struct {
	linear.Version
	live   map[uint32]soa.Object
	bounds map[uint32]bound
	gens   map[uint32]uint32 // generations of the live objects
}

// share creates a publisher for the tree of the model. Held views of a former tree stay.
func (m *model) share() { m.shared = linear.NewPublisher(m.tree) }

// publish usually publishes the tree, and checks that the published version equals the tree in every byte. It
// holds some versions over many operations and queries them like new ones.
func (m *model) publish(t testing.TB) {
	t.Helper()
	if m.readers || m.r.IntN(4) == 0 {
		return
	}
	m.shared.Publish()
	m.note("Publish")
	if diff := m.shared.Differs(); diff != nil {
		t.Fatalf("the published version differs: %v, after %v", diff[:min(len(diff), 8)], m.log)
	}
	if len(m.held) < 4 && m.r.IntN(10) == 0 {
		m.hold()
	}
	if len(m.held) == 0 || m.r.IntN(4) > 0 {
		return
	}
	k := m.r.IntN(len(m.held))
	h := m.held[k]
	m.checkView(t, h.View(), h.live)
	if m.r.IntN(6) == 0 {
		h.Release()
		m.held[k] = m.held[len(m.held)-1]
		m.held = m.held[:len(m.held)-1]
	}
}

// sphere gives an object a bounding sphere: the point of a corner.
func (m *model) sphere(t testing.TB) {
	t.Helper()
	id := m.pick()
	c := m.live[id].Box.Min
	must(t, m.tree.SetSphere(id, [4]float32{c[0], c[1], c[2], 0}))
	m.note("SetSphere %d", id)
	b := m.bounds[id]
	b.sphere = &[4]float32{c[0], c[1], c[2], 0}
	m.bounds[id] = b
}

// hold acquires the published version, which equals the present tree.
func (m *model) hold() {
	h := &heldView{live: maps.Clone(m.live), bounds: maps.Clone(m.bounds), gens: m.generations()}
	h.Version = m.shared.Acquire()
	m.held = append(m.held, h)
	m.note("Acquire")
}

// generations returns the generations of the live objects.
func (m *model) generations() map[uint32]uint32 {
	gens := map[uint32]uint32{}
	for id := range m.live {
		h, _ := m.tree.Handle(id)
		gens[id] = h.Gen
	}
	return gens
}

// checkHandles resolves the handles of the objects of a view, and handles of other generations of their IDs.
func (m *model) checkHandles(t testing.TB, v linear.View, gens map[uint32]uint32) {
	t.Helper()
	for id, gen := range gens {
		slot, lane, ok := v.LocateHandle(linear.Handle{ID: id, Gen: gen})
		if wantSlot, wantLane, _ := v.Locate(id); !ok || slot != wantSlot || lane != wantLane {
			t.Fatalf("handle %d of generation %d is in slot %d, lane %d, %v; want %d, %d, after %v", id, gen, slot, lane, ok, wantSlot, wantLane, m.log)
		}
		if h, ok := v.Handle(id); !ok || h != (linear.Handle{ID: id, Gen: gen}) {
			t.Fatalf("the handle of %d is %v, %v, want generation %d, after %v", id, h, ok, gen, m.log)
		}
		for _, other := range []uint32{0, gen - 2, gen - 1, gen + 1, gen + 2} {
			if _, _, ok := v.LocateHandle(linear.Handle{ID: id, Gen: other}); ok {
				t.Fatalf("handle %d of generation %d is found, which is %d, after %v", id, other, gen, m.log)
			}
		}
	}
	for id := range uint32(200) {
		if _, ok := gens[id]; !ok {
			if h, ok := v.Handle(id); ok {
				t.Fatalf("a handle %v, and no object has the ID, after %v", h, m.log)
			}
			for gen := range uint32(8) {
				if _, _, ok := v.LocateHandle(linear.Handle{ID: id, Gen: gen}); ok {
					t.Fatalf("handle %d of generation %d is found, and no object has the ID, after %v", id, gen, m.log)
				}
			}
		}
	}
}

// checkHeld compares all held views with their expected contents, by one query for all objects.
func (m *model) checkHeld(t testing.TB) {
	t.Helper()
	for _, h := range m.held {
		n := 0
		v := h.View()
		m.checkBounds(t, v, h.bounds)
		for r := range everything(v) {
			for l, id := range v.IDs(r) {
				if o, ok := h.live[id]; !ok || v.Box(r, l) != o.Box {
					t.Fatalf("object %d of a held view has the box %v, want %v, %v, after %v", id, v.Box(r, l), o.Box, ok, m.log)
				}
				n++
			}
		}
		if n != len(h.live) {
			t.Fatalf("%d objects in a held view, want %d, after %v", n, len(h.live), m.log)
		}
	}
}

// everything yields the slots in the result of a frustum without planes.
func everything(v linear.View) func(yield func(slot uint32) bool) {
	return func(yield func(uint32) bool) {
		(query.Frustum{}).Ranges(v, query.Filter{}, func(r query.Range) bool {
			for slot := r.First; slot < r.First+r.Count; slot++ {
				if !yield(slot) {
					return false
				}
			}
			return true
		})
	}
}
