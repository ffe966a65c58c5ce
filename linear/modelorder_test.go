package linear_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/linear"
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
