package linear_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// model is a tree and its expected contents.
type model struct {
	tree *linear.Tree
	live map[uint32]soa.Object
	ids  []uint32 // the keys of live, in the order of insertion
	r    *rand.Rand
	side float32
	log  []string // the latest operations

	bounds map[uint32]bound // bounds of live objects that have one
	turns  bool             // whether objects also get oriented boxes

	regions bool // whether objects are also removed by region

	masks *modelMasks // unless nil, decides the masks of objects

	removes bool                  // whether objects outside are removed: new objects are inside
	handles map[uint32]soa.Handle // handles of live objects, if removes
	gone    int                   // number of objects removed outside

	order       []uint32 // order at the last check
	arrangement uint64

	shared  *linear.Publisher // publisher of the tree
	held    []*heldView
	readers bool // other goroutines read the published versions, so the publisher is kept
}

func newModel(t testing.TB, cfg linear.Config, seed uint64, side float32) *model {
	m := &model{tree: newTree(t, cfg), live: map[uint32]soa.Object{}, bounds: map[uint32]bound{}, r: testkit.Rand(seed), side: side, regions: true,
		removes: cfg.Outside == linear.OutsideRemove, handles: map[uint32]soa.Handle{}}
	m.share()
	return m
}

func (m *model) note(format string, args ...any) {
	m.log = append(m.log, fmt.Sprintf(format, args...))
	if len(m.log) > 30 {
		m.log = m.log[1:]
	}
}

// object returns a random object: most are small, some share a position, a few are huge or far away, or very
// far or gigantic.
func (m *model) object() soa.Object {
	var o soa.Object
	size := float32(m.r.Float32() * 2)
	if m.r.IntN(50) == 0 {
		size = float32(m.side * m.r.Float32())
	}
	far := float32(1)
	switch m.r.IntN(120) {
	case 0, 1:
		far = 8
	case 2:
		far = 1e5
	case 3:
		size = float32(1e6 * m.side)
	}
	for a := range 3 {
		c := float32((m.r.Float32() - 0.5) * m.side * far) // not fused with the next operation
		if m.r.IntN(8) == 0 {
			c = float32(float32(m.r.IntN(3)) * m.side / 4)
		}
		if size > m.side {
			c = -size / 2
		}
		o.Box.Min[a], o.Box.Max[a] = c, c+size
		if m.r.IntN(6) == 0 {
			o.Box.Max[a] = c
		}
	}
	o.Mask = m.newMask(1 << m.r.IntN(4))
	o.Static = m.r.IntN(3) == 0
	return o
}

// near returns a box close to b.
func (m *model) near(b soa.AABB) soa.AABB {
	for a := range 3 {
		d := float32((m.r.Float32() - 0.5) * m.side / 50)
		b.Min[a], b.Max[a] = b.Min[a]+d, b.Max[a]+d
		if b.Max[a] < b.Min[a] {
			b.Max[a] = b.Min[a]
		}
	}
	return b
}

func (m *model) pick() uint32 { return m.ids[m.r.IntN(len(m.ids))] }

func (m *model) forget(id uint32) {
	delete(m.live, id)
	delete(m.bounds, id)
	i := slices.Index(m.ids, id)
	m.ids[i] = m.ids[len(m.ids)-1]
	m.ids = m.ids[:len(m.ids)-1]
}

func (m *model) add(t testing.TB, id uint32, o soa.Object) {
	if _, ok := m.live[id]; ok {
		t.Helper()
		t.Fatalf("ID %d was given out twice", id)
	}
	m.live[id] = o
	m.ids = append(m.ids, id)
	if m.removes {
		m.handles[id], _ = m.tree.Handle(id)
	}
}

// step performs one random operation. n is the size towards which the tree drifts.
func (m *model) step(t testing.TB, n int) {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Helper()
			must(t, err)
		}
	}
	m.changePhase(t)
	if m.turns && len(m.ids) > 0 && m.r.IntN(10) == 0 {
		if m.r.IntN(2) == 0 {
			m.orient(t)
		} else {
			m.moveBodies(t)
		}
		return
	}
	kinds := 112
	if m.regions {
		kinds = 116
	}
	op := m.r.IntN(kinds)
	if len(m.ids) == 0 || len(m.ids) < n/2 && op < 40 {
		op = m.r.IntN(25)
	}
	if len(m.ids) > 2*n && op < 25 {
		op = 25 + m.r.IntN(10)
	}
	switch {
	case op < 15:
		o := m.fresh()
		id, err := m.tree.Insert(o)
		must(err)
		m.note("Insert %d", id)
		m.add(t, id, o)
	case op < 25:
		batch := make([]soa.Object, 1+m.r.IntN(max(1, n/3)))
		for i := range batch {
			batch[i] = m.fresh()
		}
		ids, err := m.tree.InsertBatch(nil, batch)
		must(err)
		m.note("InsertBatch of %d", len(batch))
		for i, id := range ids {
			m.add(t, id, batch[i])
		}
	case op < 33:
		id := m.pick()
		must(m.tree.Remove(id))
		m.note("Remove %d", id)
		m.forget(id)
	case op < 36:
		k := m.r.IntN(len(m.ids) + 1)
		if m.r.IntN(10) > 0 {
			k = min(k, 1+n/8)
		}
		m.r.Shuffle(len(m.ids), func(i, j int) { m.ids[i], m.ids[j] = m.ids[j], m.ids[i] })
		gone := slices.Clone(m.ids[:k])
		must(m.tree.RemoveBatch(gone))
		m.note("RemoveBatch of %d", k)
		for _, id := range gone {
			m.forget(id)
		}
	case op < 60:
		id := m.pick()
		box := m.near(m.live[id].Box)
		if m.r.IntN(4) == 0 {
			box = m.object().Box
		}
		must(m.tree.Move(id, box))
		m.note("Move %d", id)
		m.move(id, box)
	case op >= 70 && op < 72:
		m.moveInOrder(t)
	case op < 72:
		var ids []uint32
		var boxes []soa.AABB
		for range 1 + m.r.IntN(len(m.ids)) {
			id := m.pick()
			box := m.near(m.live[id].Box)
			if m.r.IntN(10) == 0 {
				box = m.object().Box
			}
			ids, boxes = append(ids, id), append(boxes, box)
			m.move(id, box)
		}
		must(m.tree.MoveBatch(ids, boxes))
		m.note("MoveBatch of %d", len(ids))
	case op < 76:
		id := m.pick()
		o := m.live[id]
		o.Mask = m.newMask(uint32(m.r.IntN(16)))
		must(m.tree.SetMask(id, o.Mask))
		m.note("SetMask %d", id)
		m.live[id] = o
	case op < 80:
		id := m.pick()
		o := m.live[id]
		o.Static = !o.Static
		must(m.tree.SetStatic(id, o.Static))
		m.note("SetStatic %d", id)
		m.live[id] = o
	case op < 86:
		must(m.tree.Flush())
		m.note("Flush")
		m.depart(t)
	case op < 92:
		m.tree.Refit()
		m.note("Refit")
	case op < 97:
		must(m.tree.Tick())
		m.note("Tick")
		m.depart(t)
	case op < 98:
		frozen := m.r.IntN(2) == 0
		must(m.tree.Rebuild(nil, linear.RebuildOptions{Frozen: frozen}))
		m.note("Rebuild frozen=%v", frozen)
		m.checkMasks(t)
	case op < 104:
		m.apply(t)
	case op < 106:
		m.refusals(t)
	case op < 107:
		if m.r.IntN(4) == 0 {
			m.clear(t)
		}
	case op < 108:
		m.clone(t)
	case op < 110:
		m.sphere(t)
	case op < 112:
		m.tree.Trim()
		m.note("Trim")
	default:
		m.removeRegion(t)
	}
}

// check compares the tree with the model.
func (m *model) check(t testing.TB) {
	t.Helper()
	if err := m.tree.Validate(); err != nil {
		t.Fatalf("%v\nafter %v", err, m.log)
	}
	if m.tree.Len() != len(m.live) {
		t.Fatalf("Len %d, want %d, after %v", m.tree.Len(), len(m.live), m.log)
	}
	for id, o := range m.live {
		if got, ok := m.tree.Object(id); !ok || got != o {
			t.Fatalf("object %d is %v, %v; want %v, after %v", id, got, ok, o, m.log)
		}
	}
	m.checkAll(t)
	m.checkBounds(t, m.tree.View(), m.bounds)
	m.checkOrder(t)
	m.checkView(t, m.tree.View(), m.live)
	m.publish(t)
	v := m.tree.View()
	flt := filters[m.r.IntN(len(filters))]
	q := m.near(m.object().Box)
	for a := range 3 {
		q.Min[a] -= m.side / 8
	}
	// A frustum with the shape of a box, widened by its rounding bound, contains at least the objects of the
	// box, and at most the objects of a slightly larger one.
	f, err := query.FrustumPlanes([6][4]float32{
		{1, 0, 0, -q.Min[0]}, {-1, 0, 0, q.Max[0]},
		{0, 1, 0, -q.Min[1]}, {0, -1, 0, q.Max[1]},
		{0, 0, 1, -q.Min[2]}, {0, 0, -1, q.Max[2]},
	})
	must(t, err)
	got := map[uint32]bool{}
	for id := range f.All(v, flt) {
		if got[id] {
			t.Fatalf("object %d was reported twice, after %v", id, m.log)
		}
		got[id] = true
	}
	// Objects outside the near distance may be reported from farther away.
	s := v.Store()
	wider := func(extent [3]float32) soa.AABB {
		by := m.side/1000 + (extent[0]+extent[1]+extent[2])/(1<<20)
		wide := q
		for a := range 3 {
			wide.Min[a] -= by
			wide.Max[a] += by
		}
		return wide
	}
	wide, widest := wider(s.Near), wider(s.Extent)
	isNear := func(b soa.AABB) bool {
		for a := range 3 {
			if b.Min[a] < -s.Near[a] || b.Max[a] > s.Near[a] {
				return false
			}
		}
		return true
	}
	for id, o := range m.live {
		pass := (flt.Mask == 0 || o.Mask&flt.Mask != 0) && (flt.Motion == query.AnyMotion || (flt.Motion == query.StaticOnly) == o.Static)
		if got[id] && (!pass || !o.Box.Overlaps(widest) || isNear(o.Box) && !o.Box.Overlaps(wide)) {
			t.Fatalf("object %d %v was reported for %v, filter %v, after %v", id, o, q, flt, m.log)
		}
		if !got[id] && pass && o.Box.Overlaps(q) {
			t.Fatalf("object %d %v was lost for %v, filter %v, after %v", id, o, q, flt, m.log)
		}
		delete(got, id)
	}
	if len(got) > 0 {
		t.Fatalf("objects that are not there were reported: %v, after %v", got, m.log)
	}
}

var filters = []query.Filter{{}, {}, {Mask: 1}, {Mask: 6}, {Motion: query.MovingOnly}, {Motion: query.StaticOnly, Mask: 3}}

// modelConfigs are the policies of change, of splitting and of the world.
var modelConfigs = []linear.Config{
	{},
	{PendingMin: 1, PendingShare: 1 << 20},
	{PendingMin: 10, PendingShare: 1 << 20},
	{PendingMin: 4, PendingShare: 1 << 20, Policy: linear.PolicyIncremental, SplitAbove: 3, MergeBelow: 1},
	{PendingMin: 4, PendingShare: 1 << 20, Policy: linear.PolicyIncremental, Slack: 30},
	{PendingMin: 20, PendingShare: 1 << 20, Policy: linear.PolicyRebuild},
	{PendingMin: 20, PendingShare: 1 << 20, Policy: linear.PolicyRefit},
	{PendingMin: 4, PendingShare: 1 << 20, World: cube(0, 0, 0, 30), Fixed: true, Slack: 100, SplitAbove: 8},
	{PendingMin: 2, PendingShare: 1 << 20, World: cube(0, 0, 0, 30)},
	{PendingMin: 4, TickBudget: 5},
	{PendingMin: 4, TickBudget: 30, Policy: linear.PolicyIncremental, World: cube(0, 0, 0, 30), ShrinkShare: 2},
}

// Random operations of every kind, with a check after each.
func TestModel(t *testing.T) {
	seed := testkit.Seed(t)
	steps := testkit.Budget(t, 30, 400)
	testkit.EachTier(t, func(t *testing.T) {
		for i, n := range []int{3, 20, 200} {
			for k, cfg := range modelConfigs {
				if !testkit.OfTier(t, i+k) {
					continue
				}
				m := newModel(t, cfg, seed+uint64(n), 100)
				m.alternate(seed)
				for range steps {
					m.step(t, n)
					m.check(t)
				}
			}
		}
	})
}

// The same on trees of several levels, with a check after every hundred operations.
func TestModelLarge(t *testing.T) {
	seed := testkit.Seed(t)
	rounds := testkit.Budget(t, 1, 30)
	for _, cfg := range []linear.Config{
		{},
		{PendingMin: 50, PendingShare: 1 << 20},
		{PendingMin: 50, PendingShare: 1 << 20, Policy: linear.PolicyIncremental, Slack: 20, SplitAbove: 12},
		{PendingMin: 50, TickBudget: 100},
		{PendingMin: 50, TickBudget: 10, Policy: linear.PolicyIncremental},
	} {
		m := newModel(t, cfg, seed, 300)
		m.alternate(seed)
		for round := range rounds {
			n := 5000
			if round/4%2 == 1 { // removes nearly all objects again
				n = 40
				for len(m.ids) > 100 && m.r.IntN(300) > 0 {
					id := m.pick()
					must(t, m.tree.Remove(id))
					m.forget(id)
				}
			}
			for range 100 {
				m.step(t, n)
			}
			m.check(t)
		}
	}
}
