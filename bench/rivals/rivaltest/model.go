// Package rivaltest tests an index against the oracles of the test kit: on every scene, on boxes of every
// kind, after each of many random changes, and on changes from a fuzzer. Unsupported operations are skipped.
package rivaltest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// model is an index and its expected contents.
type model struct {
	ix      index.Index
	objects []soa.Object // by ID
	live    []bool
	log     []string // the last changes
}

func newModel(ix index.Index, objects []soa.Object) *model {
	m := &model{ix: ix}
	m.build(objects)
	return m
}

func (m *model) build(objects []soa.Object) {
	m.objects, m.live = slices.Clone(objects), make([]bool, len(objects))
	for i := range m.live {
		m.live[i] = true
	}
	m.note("Build of %d", len(objects))
	m.ix.Build(objects)
}

func (m *model) note(format string, args ...any) {
	if m.log = append(m.log, fmt.Sprintf(format, args...)); len(m.log) > 20 {
		m.log = m.log[1:]
	}
}

// stored returns the expected contents of the index, by ID.
func (m *model) stored() (ids []uint32, objects []soa.Object) {
	for i, ok := range m.live {
		if ok {
			ids, objects = append(ids, uint32(i)), append(objects, m.objects[i])
		}
	}
	return ids, objects
}

// changeKinds is the number of kinds of change.
const changeKinds = 8

// change makes one change, or none if the index does not support it or the model has no room for it. op
// selects the change, pick returns a number below n, box a valid box.
func (m *model) change(op byte, pick func(n int) int, box func() soa.AABB) {
	ids, _ := m.stored()
	some := func() uint32 { return ids[pick(len(ids))] }
	switch op % changeKinds {
	case 0, 1:
		if ix, ok := m.ix.(index.Inserter); ok && len(ids) < 600 {
			// The smallest free ID, or a new one.
			id := slices.Index(m.live, false)
			if id < 0 || op >= 128 {
				id = len(m.live)
				m.objects, m.live = append(m.objects, soa.Object{}), append(m.live, false)
			}
			m.objects[id] = soa.Object{Box: box(), Mask: 1 << pick(5), Static: pick(3) == 0}
			m.live[id] = true
			m.note("Insert(%d, %v)", id, m.objects[id])
			ix.Insert(uint32(id), m.objects[id])
		}
	case 2, 3:
		if ix, ok := m.ix.(index.Remover); ok && len(ids) > 0 {
			id := some()
			m.live[id] = false
			m.note("Remove(%d)", id)
			ix.Remove(id)
		}
	case 4, 5:
		if ix, ok := m.ix.(index.Mover); ok && len(ids) > 0 {
			m.move(ix, some(), box())
		}
	case 6:
		// A short move, if the result is a valid box.
		if ix, ok := m.ix.(index.Mover); ok && len(ids) > 0 {
			id := some()
			b := m.objects[id].Box
			for a := range 3 {
				d := float32(pick(9)-4) * 0.25
				b.Min[a], b.Max[a] = b.Min[a]+d, b.Max[a]+d
			}
			if b.Check() == nil {
				m.move(ix, id, b)
			}
		}
	case 7:
		if ix, ok := m.ix.(index.Ticker); ok {
			m.note("Tick")
			ix.Tick()
		}
	}
}

// move changes the box of an object.
func (m *model) move(ix index.Mover, id uint32, b soa.AABB) {
	m.objects[id].Box = b
	m.note("Move(%d, %v)", id, b)
	ix.Move(id, b)
}

// validate fails the test if the index reports broken invariants.
func (m *model) validate(t testing.TB) {
	t.Helper()
	if ix, ok := m.ix.(index.Validator); ok {
		if err := ix.Validate(); err != nil {
			t.Fatalf("%v, after %v", err, m.log)
		}
	}
}

// failed stops the test with the last changes after a failed comparison.
func (m *model) failed(t testing.TB, what string) {
	t.Helper()
	if t.Failed() {
		t.Fatalf("%s, after %v", what, m.log)
	}
}

// pairs compares the pairs.
func (m *model) pairs(t testing.TB) {
	t.Helper()
	ix, ok := m.ix.(index.Pairs)
	if !ok {
		return
	}
	ids, objects := m.stored()
	var got, want []uint64
	ix.Pairs(func(a, b uint32) { got = append(got, uint64(min(a, b))<<32|uint64(max(a, b))) })
	for _, p := range testkit.SweepAndPrune(objects) {
		if !objects[p.A].Static || !objects[p.B].Static {
			want = append(want, uint64(ids[p.A])<<32|uint64(ids[p.B]))
		}
	}
	testkit.SameIDSet(t, got, want)
	m.failed(t, "pairs")
}
