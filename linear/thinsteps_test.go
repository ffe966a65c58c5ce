package linear_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

func (m *thinModel) step(t *testing.T, n int) {
	t.Helper()
	op := m.r.IntN(40)
	if len(m.live) == 0 || len(m.live) < n/4 {
		op = 0
	}
	switch {
	case op < 14:
		m.insertion(t, max(1, n/3))
	case op < 16:
		ids, _ := m.some(1)
		must(t, m.tree.Remove(ids[0]))
		m.note("Remove %d", ids[0])
		delete(m.live, ids[0])
	case op < 17 && m.r.IntN(2) == 0:
		m.removeRegion(t)
	case op < 18:
		ids, _ := m.some(m.r.IntN(1 + n/4))
		if m.r.IntN(2) == 0 {
			must(t, m.tree.RemoveBatch(ids))
		} else {
			var dirty []uint64
			for _, id := range ids {
				for uint32(len(dirty)) <= id/64 {
					dirty = append(dirty, 0)
				}
				dirty[id/64] |= 1 << (id % 64)
			}
			must(t, m.tree.RemoveDirty(dirty))
		}
		m.note("RemoveBatch of %d", len(ids))
		for _, id := range ids {
			delete(m.live, id)
		}
	case op < 22:
		ids, to := m.some(1)
		must(t, m.tree.Move(ids[0], to[0]))
		m.note("Move %d", ids[0])
		m.moved(ids, to)
	case op < 25:
		ids, to := m.some(1 + m.r.IntN(n))
		if len(ids) > 1 && m.r.IntN(3) == 0 { // an object moves twice
			ids[0], to[0] = ids[1], pointObject(m.point(), 0).Box
		}
		switch m.r.IntN(2) {
		case 0:
			must(t, m.tree.MoveBatch(ids, to))
		default:
			must(t, m.tree.MoveBodies(ids, linear.Bodies{Boxes: to}))
		}
		m.note("MoveBatch of %d", len(ids))
		m.moved(ids, to)
	case op < 26:
		ids, _ := m.some(1 + m.r.IntN(n))
		boxes, dirty := dirtyOf(ids, func(id uint32) soa.AABB {
			box := pointObject(m.point(), 0).Box
			m.moved([]uint32{id}, []soa.AABB{box})
			return box
		})
		must(t, m.tree.MoveDirty(boxes, dirty))
		m.note("MoveDirty of %d", len(ids))
	case op < 27:
		order, arrangement := m.tree.Order(nil)
		_, to := m.some(len(order))
		must(t, m.tree.MoveInOrder(arrangement, to))
		m.note("MoveInOrder")
		m.moved(order, to)
	case op < 29:
		must(t, m.tree.Tick())
		m.note("Tick")
		m.depart()
	case op < 30:
		must(t, m.tree.Flush())
		m.note("Flush")
		m.depart()
	case op < 31:
		must(t, m.tree.Rebuild(nil, linear.RebuildOptions{Frozen: m.r.IntN(2) == 0}))
		m.note("Rebuild")
	case op < 32:
		m.tree.Trim()
		m.note("Trim")
	case op < 33:
		if m.r.IntN(4) == 0 {
			m.tree.Clear()
			m.note("Clear")
			clear(m.live)
		}
	case op < 35:
		s, err := linear.FromBytes(written(t, m.tree), linear.CheckFull)
		must(t, err)
		m.adopt(t, func() *linear.Tree { tree, err := s.Load(); must(t, err); return tree })
		m.note("Load")
	case op < 36:
		m.adopt(t, m.tree.Clone)
		m.note("Clone")
	case op < 38:
		m.apply(t)
	default:
		m.refusals(t)
	}
}

// adopt continues with a copy of the tree, which must be equal.
func (m *thinModel) adopt(t *testing.T, copyOf func() *linear.Tree) {
	t.Helper()
	tree := copyOf()
	if tree.Config().Thin != m.tree.Config().Thin || tree.LayoutDigest() != m.tree.LayoutDigest() {
		t.Fatalf("a copy thins by %+v, the tree by %+v, or their layouts differ, after %q", tree.Config().Thin, m.tree.Config().Thin, m.log)
	}
	m.tree, m.shared = tree, linear.NewPublisher(tree)
}

// refusals makes calls that are rejected with ErrPoints and change nothing.
func (m *thinModel) refusals(t *testing.T) {
	t.Helper()
	p := m.point()
	wide := pointObject(p, 1)
	axis, by := m.r.IntN(3), 1e-30+max(p[0], p[1], p[2], -p[0], -p[1], -p[2])/4
	if p[axis] > 0 { // a wider box might be infinite
		wide.Box.Min[axis] -= by
	} else {
		wide.Box.Max[axis] += by
	}
	good := pointObject(p, 1)
	v := m.tree.View()
	version := v
	thinned := slices.Clone(m.tree.Thinned())
	fails := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, linear.ErrPoints) && !errors.Is(err, linear.ErrOutside) {
			t.Fatalf("%s: error %v, after %q", what, err, m.log)
		}
	}
	ball := linear.Ball{Sphere: [4]float32{p[0], p[1], p[2], 0}}
	_, err := m.tree.Insert(wide)
	fails("Insert", err)
	_, err = m.tree.InsertBatch(nil, []soa.Object{good, wide})
	fails("InsertBatch", err)
	_, err = m.tree.InsertBall(ball)
	fails("InsertBall", err)
	_, err = m.tree.InsertBallBatch(nil, []linear.Ball{ball})
	fails("InsertBallBatch", err)
	var b linear.Batch
	apply := func(what string, record func()) {
		t.Helper()
		b.Reset()
		record()
		_, err := m.tree.Apply(&b)
		fails("Apply of "+what, err)
	}
	apply("Insert", func() { b.Insert(good); b.Insert(wide) })
	apply("InsertBatch", func() { b.InsertBatch([]soa.Object{good, wide}) })
	apply("InsertBall", func() { b.InsertBall(ball) })
	apply("InsertBallBatch", func() { b.InsertBallBatch([]linear.Ball{ball}) })
	for id, o := range m.live {
		at := o.Box.Min
		sphere := [4]float32{at[0], at[1], at[2], 0}
		turned := linear.OrientedBox{Center: at}
		one := []uint32{id}
		fails("Move", m.tree.Move(id, wide.Box))
		fails("MoveBatch", m.tree.MoveBatch(one, []soa.AABB{wide.Box}))
		fails("MoveSphere", m.tree.MoveSphere(id, sphere))
		fails("MoveOriented", m.tree.MoveOriented(id, turned))
		fails("MoveBodies", m.tree.MoveBodies(one, linear.Bodies{Spheres: [][4]float32{sphere}}))
		fails("MoveBodies", m.tree.MoveBodies(one, linear.Bodies{Oriented: []linear.OrientedBox{turned}}))
		fails("SetSphere", m.tree.SetSphere(id, sphere))
		fails("SetOriented", m.tree.SetOriented(id, turned))
		fails("SetBounds", m.tree.SetBounds(one, linear.Bodies{Spheres: [][4]float32{sphere}}))
		apply("Move", func() { b.Move(id, wide.Box) })
		apply("MoveBatch", func() { b.MoveBatch(one, []soa.AABB{wide.Box}) })
		apply("MoveSphere", func() { b.MoveSphere(id, sphere) })
		apply("MoveOriented", func() { b.MoveOriented(id, turned) })
		apply("MoveBodies", func() { b.MoveBodies(one, linear.Bodies{Oriented: []linear.OrientedBox{turned}}) })
		apply("SetSphere", func() { b.SetSphere(id, sphere) })
		apply("SetBounds", func() { b.SetBounds(one, linear.Bodies{Oriented: []linear.OrientedBox{turned}}) })
		all := make([]soa.AABB, m.tree.Len())
		for i := range all {
			all[i] = good.Box
		}
		all[m.r.IntN(len(all))] = wide.Box
		_, arrangement := m.tree.Order(nil)
		fails("MoveInOrder", m.tree.MoveInOrder(arrangement, all))
		break
	}
	version.Store() // nothing has changed
	if !slices.Equal(m.tree.Thinned(), thinned) {
		t.Fatalf("%v were thinned by rejected calls, after %q", m.tree.Thinned(), m.log)
	}
	m.note("refusals")
}

// check compares the tree, and its published version, with the model.
func (m *thinModel) check(t *testing.T) {
	t.Helper()
	if err := m.tree.Validate(); err != nil {
		t.Fatalf("%v\nafter %q", err, m.log)
	}
	m.shared.Publish()
	h := m.shared.Acquire()
	defer h.Release()
	for _, v := range []linear.View{m.tree.View(), h.View()} {
		if v.Len() != len(m.live) {
			t.Fatalf("%d objects, want %d, after %q", v.Len(), len(m.live), m.log)
		}
		ids := query.Frustum{}.Append(nil, v, query.Filter{})
		if len(ids) != len(m.live) {
			t.Fatalf("%d objects are found, want %d, after %q", len(ids), len(m.live), m.log)
		}
		for id, want := range m.live {
			if o, ok := v.Object(id); !ok || o != want {
				t.Fatalf("object %d is %v, %v; want %v, after %q", id, o, ok, want, m.log)
			}
		}
	}
}

// thinConfigs are configurations of trees that thin.
func thinConfigs() (all []linear.Config) {
	for i, thin := range []linear.Thin{
		{Cell: 0.3}, {Cell: 0.5, Most: 3}, {Cell: 0.3, Keep: linear.KeepNearest}, {Cell: 1, Keep: linear.KeepNewest},
		{Cell: 1e-30, Keep: linear.KeepNearest}, {Cell: 1e30, Most: 40}, {Cell: 0x1p-890}, {Cell: 0x1p900, Keep: linear.KeepNearest},
	} {
		all = append(all, linear.Config{Thin: thin}, linear.Config{Thin: thin, PendingMin: 4, PendingShare: 1 << 20, Policy: linear.PolicyIncremental, Log: true})
		if i < 4 {
			all = append(all, linear.Config{Thin: thin, PendingMin: 4, TickBudget: 5}, linear.Config{Thin: thin, World: cube(-1, -1, -1, 2.5), Fixed: true, Outside: linear.OutsideRemove})
		}
	}
	return all
}

// Random operations of every kind on trees that thin.
func TestThinModel(t *testing.T) {
	seed := testkit.Seed(t)
	steps := testkit.Budget(t, 28, 500)
	for k, cfg := range thinConfigs() {
		gone, dropped, replaces := 0, 0, cfg.Thin.Keep != linear.KeepFirst
		little := func() bool {
			return cfg.Thin.Cell > 1e-3 && (dropped == 0 || replaces && gone == 0 && cfg.Thin.Cell < 1e100)
		}
		sizes := [3]int{4, 30, 200}
		for round := 0; round < len(sizes) || little() && round < 20*len(sizes); round++ {
			n := sizes[round%len(sizes)]
			m := &thinModel{tree: newTree(t, cfg), thin: cfg.Thin, removes: cfg.Outside == linear.OutsideRemove, live: map[uint32]soa.Object{}, r: testkit.Rand(seed + uint64(n+k+1000*(round/len(sizes))))}
			m.shared = linear.NewPublisher(m.tree)
			for range steps {
				m.step(t, n)
				m.check(t)
			}
			gone, dropped = gone+m.gone, dropped+m.dropped
		}
		if little() || !replaces && gone > 0 && cfg.Thin.Cell > 1e-3 && cfg.Thin.Cell < 1e100 {
			t.Errorf("configuration %d, %+v: %d points are dropped, %d objects replaced", k, cfg, dropped, gone)
		}
	}
}
