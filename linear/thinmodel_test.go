package linear_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// thinModel is a tree that thins and its expected objects. It finds the cells of all objects anew for each insertion.
type thinModel struct {
	tree    *linear.Tree
	thin    linear.Thin
	removes bool // objects that move outside the world are removed by flushes
	live    map[uint32]soa.Object
	r       *rand.Rand
	log     []string

	shared  *linear.Publisher
	dropped int // points that were dropped, or replaced in their batch
	gone    int // objects that were replaced
}

// occupant is a point in a cell: a live object, or point i of a batch.
type occupant struct {
	id uint32
	i  int
	p  [3]float32
}

func (m *thinModel) note(format string, args ...any) {
	m.log = append(m.log, fmt.Sprintf(format, args...))
	m.log = m.log[max(0, len(m.log)-20):]
}

func (m *thinModel) cellOf(p [3]float32) (cell [3]float64) {
	for a, x := range p {
		cell[a] = math.Floor(float64(x) / m.thin.Cell)
	}
	return cell // a map has one key for both zeros
}

func (m *thinModel) distance2(p [3]float32) (sum float64) {
	for a, i := range m.cellOf(p) {
		d := float64(p[a]) - float64((i+0.5)*m.thin.Cell)
		sum += float64(d * d)
	}
	return sum
}

// point returns a random point: in one of a few cells, on a border between cells, at a zero of either sign, or far.
func (m *thinModel) point() (p [3]float32) {
	side := float32(min(m.thin.Cell, 1e30))
	for a := range p {
		switch m.r.IntN(12) {
		case 0:
			p[a] = float32(float32(m.r.IntN(7)-3) * side)
		case 1:
			p[a] = math.Nextafter32(float32(float32(m.r.IntN(7)-3)*side), float32(m.r.IntN(3)-1)*math.MaxFloat32)
		case 2:
			p[a] = float32(math.Copysign(0, float64(m.r.IntN(2)-1)))
		default:
			p[a] = float32((m.r.Float32()*6 - 3) * min(side, 100))
		}
		if m.r.IntN(400) == 0 {
			p[a] = []float32{math.MaxFloat32, -math.MaxFloat32, 1e9, -1e20, 0x1p-149, -0x1p-149}[m.r.IntN(6)]
		}
	}
	if m.removes && !m.tree.Config().World.ContainsPoint(p) {
		return m.point()
	}
	return p
}

func pointObject(p [3]float32, mask uint32) soa.Object {
	return soa.Object{Box: soa.AABB{Min: p, Max: p}, Mask: mask, Static: mask%2 == 0}
}

// inserted checks the IDs that an insertion of objects has returned, and the objects that it has replaced.
func (m *thinModel) inserted(t *testing.T, objects []soa.Object, ids []uint32, handles map[uint32]soa.Handle) {
	t.Helper()
	cells := map[[3]float64][]occupant{}
	for id, o := range m.live {
		c := m.cellOf(o.Box.Min)
		cells[c] = append(cells[c], occupant{id, -1, o.Box.Min})
	}
	keep := make([]bool, len(objects))
	takes := map[int]uint32{} // the ID that a point takes
	var gone []soa.Handle
	for i, o := range objects {
		now := occupant{soa.None, i, o.Box.Min}
		c := m.cellOf(now.p)
		in := cells[c]
		drop := false
		switch {
		case len(in) == 0:
		case m.thin.Keep == linear.KeepFirst:
			drop = len(in) >= max(m.thin.Most, 1)
		case m.thin.Keep == linear.KeepNearest:
			for _, x := range in {
				drop = drop || m.distance2(x.p) <= m.distance2(now.p)
			}
		}
		if drop {
			continue
		}
		keep[i] = true
		if m.thin.Keep == linear.KeepFirst {
			cells[c] = append(in, now)
			continue
		}
		var old []uint32
		for _, x := range in {
			if x.i < 0 {
				old = append(old, x.id)
			} else {
				keep[x.i] = false
				if id, ok := takes[x.i]; ok {
					takes[i] = id
				}
			}
		}
		slices.Sort(old)
		for k, id := range old {
			if k == 0 {
				takes[i] = id
			}
			gone = append(gone, handles[id])
		}
		cells[c] = []occupant{now}
	}
	if len(ids) != len(objects) {
		t.Fatalf("%d IDs of %d points, after %q", len(ids), len(objects), m.log)
	}
	for _, h := range gone {
		delete(m.live, h.ID)
		if _, err := m.tree.Resolve(h); !errors.Is(err, soa.ErrStale) {
			t.Fatalf("the handle %v of a replaced object: error %v, after %q", h, err, m.log)
		}
	}
	m.gone += len(gone)
	for i, id := range ids {
		if (id != linear.None) != keep[i] {
			t.Fatalf("point %d of %d at %v got the ID %d, kept %v, after %q", i, len(ids), objects[i].Box.Min, id, keep[i], m.log)
		}
		if !keep[i] {
			m.dropped++
			continue
		}
		if _, ok := m.live[id]; ok {
			t.Fatalf("ID %d was given out twice, after %q", id, m.log)
		}
		if want, ok := takes[i]; ok && id != want {
			t.Fatalf("point %d got the ID %d, not %d of the object that it replaces, after %q", i, id, want, m.log)
		}
		m.live[id] = objects[i]
	}
	if got := m.tree.Thinned(); !slices.Equal(got, gone) {
		t.Fatalf("%v were thinned, want %v, after %q", got, gone, m.log)
	}
}

func (m *thinModel) handles() map[uint32]soa.Handle {
	all := map[uint32]soa.Handle{}
	for id := range m.live {
		all[id], _ = m.tree.Handle(id)
	}
	return all
}

// some returns up to n IDs, and as many points as boxes.
func (m *thinModel) some(n int) (ids []uint32, to []soa.AABB) {
	for id := range m.live {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	m.r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	ids = ids[:min(n, len(ids))]
	for range ids {
		to = append(to, pointObject(m.point(), 0).Box)
	}
	return ids, to
}

func (m *thinModel) moved(ids []uint32, to []soa.AABB) {
	for i, id := range ids {
		o := m.live[id]
		o.Box = to[i]
		m.live[id] = o
	}
}

// insertion makes a random insertion.
func (m *thinModel) insertion(t *testing.T, n int) {
	t.Helper()
	handles := m.handles()
	objects := make([]soa.Object, 1+m.r.IntN(n))
	points := make([][3]float32, len(objects))
	var xs, ys, zs []float32
	for i := range objects {
		points[i] = m.point()
		if i > 0 && m.r.IntN(4) == 0 {
			points[i] = points[m.r.IntN(i)]
		}
		objects[i] = pointObject(points[i], 1<<m.r.IntN(4))
		xs, ys, zs = append(xs, points[i][0]), append(ys, points[i][1]), append(zs, points[i][2])
	}
	var ids []uint32
	var err error
	labels := linear.Labels{Static: true}
	for i := range objects {
		labels.Masks = append(labels.Masks, objects[i].Mask)
	}
	how := m.r.IntN(5)
	if how == 1 || how == 2 {
		for i := range objects {
			objects[i].Static = true
		}
	}
	switch how {
	case 0:
		objects = objects[:1]
		ids = make([]uint32, 1)
		ids[0], err = m.tree.Insert(objects[0])
	case 1:
		ids, err = m.tree.InsertPoints(nil, points, labels)
	case 2:
		ids, err = m.tree.InsertPointColumns(nil, xs, ys, zs, labels)
	case 3:
		if m.tree.Len() == 0 {
			err = m.tree.Build(nil, objects, linear.RebuildOptions{Frozen: m.r.IntN(2) == 0})
			m.note("Build of %d", len(objects))
			must(t, err)
			ids = m.numbered(objects)
			break
		}
		fallthrough
	default:
		ids, err = m.tree.InsertBatch([]uint32{7}, objects)
		if err == nil {
			ids = ids[1:]
		}
	}
	m.note("insertion %d of %d", how, len(objects))
	must(t, err)
	m.inserted(t, objects, ids, handles)
}

// numbered returns the IDs of the points of a build, which returns none. The points of a cell are in an order that
// depends on the rule.
func (m *thinModel) numbered(objects []soa.Object) []uint32 {
	ids := make([]uint32, len(objects))
	for i := range ids {
		ids[i] = linear.None
	}
	left := map[uint32]soa.Object{}
	for id, o := range m.tree.All() {
		left[id] = o
	}
	for i := range objects {
		k := i // equal objects: the first is kept, or the last
		if m.thin.Keep == linear.KeepNewest {
			k = len(objects) - 1 - i
		}
		for id := range uint32(len(objects)) {
			if o, ok := left[id]; ok && o == objects[k] {
				ids[k] = id
				delete(left, id)
				break
			}
		}
	}
	return ids
}

// apply runs a batch of insertions, moves and removals on the tree, and its copy on a clone, which become equal. The
// same calls on another clone, one by one, without the changes of replaced objects, have the same effect.
func (m *thinModel) apply(t *testing.T) {
	t.Helper()
	replica := m.tree.Clone()
	one := *m
	one.tree = m.tree.Clone()
	var b, again linear.Batch
	var want []linear.Handle // of the inserted objects
	var thinned []linear.Handle
	insert := func(objects []soa.Object, do func() []uint32) {
		before := one.handles()
		ids := do()
		one.inserted(t, objects, ids, before)
		for _, id := range ids {
			h, ok := one.tree.Handle(id)
			if !ok {
				h = linear.Handle{ID: linear.None}
			}
			want = append(want, h)
		}
		thinned = append(thinned, one.tree.Thinned()...)
	}
	ids, to := m.some(m.r.IntN(12))
	handles := m.handles()
	for range 1 + m.r.IntN(5) {
		if len(ids) > 0 && m.r.IntN(3) > 0 {
			id, box := ids[0], to[0]
			ids, to = ids[1:], to[1:]
			_, err := one.tree.Resolve(handles[id])
			switch m.r.IntN(3) {
			case 0:
				b.Remove(id)
				if err == nil {
					must(t, one.tree.Remove(id))
					delete(one.live, id)
				}
			case 1:
				b.Move(id, box)
				if err == nil {
					must(t, one.tree.Move(id, box))
					one.moved([]uint32{id}, []soa.AABB{box})
				}
			default:
				b.MoveBatch([]uint32{id}, []soa.AABB{box})
				if err == nil {
					must(t, one.tree.MoveBatch([]uint32{id}, []soa.AABB{box}))
					one.moved([]uint32{id}, []soa.AABB{box})
				}
			}
		}
		var objects []soa.Object
		for range 1 + m.r.IntN(6) {
			objects = append(objects, pointObject(m.point(), 2))
		}
		if m.r.IntN(2) == 0 {
			b.InsertBatch(objects)
			insert(objects, func() []uint32 { ids, err := one.tree.InsertBatch(nil, objects); must(t, err); return ids })
			continue
		}
		for i, o := range objects {
			b.Insert(o)
			insert(objects[i:i+1], func() []uint32 { id, err := one.tree.Insert(o); must(t, err); return []uint32{id} })
		}
	}
	m.note("Apply of %d", b.Len())
	one.note("Apply of %d", b.Len())
	bytes, err := b.AppendBinary(nil)
	must(t, err)
	must(t, again.UnmarshalBinary(bytes))
	given, err := m.tree.Apply(&b)
	must(t, err)
	other, err := replica.Apply(&again)
	must(t, err)
	if !slices.Equal(given, other) || !slices.Equal(m.tree.Thinned(), replica.Thinned()) || m.tree.LayoutDigest() != replica.LayoutDigest() {
		t.Fatalf("a replica has the IDs %v, not %v, or another layout, after %q", other, given, m.log)
	}
	for i, h := range want {
		if id, err := one.tree.Resolve(h); len(given) != len(want) || err != nil && given[i] != linear.None || err == nil && given[i] != id {
			t.Fatalf("Apply returned %v for %v, after %q", given, want, m.log)
		}
	}
	if got := m.tree.Thinned(); !slices.Equal(got, thinned) || m.tree.Digest() != one.tree.Digest() {
		t.Fatalf("Apply thinned %v, single calls %v, or the objects differ, after %q", got, thinned, m.log)
	}
	m.live, m.dropped, m.gone = one.live, one.dropped, one.gone
}

// depart removes the objects outside a world that removes them.
func (m *thinModel) depart() {
	for _, h := range m.tree.RemovedOutside() {
		if m.removes {
			delete(m.live, h.ID)
		}
	}
}

// removeRegion removes the objects in a box, or outside it.
func (m *thinModel) removeRegion(t *testing.T) {
	t.Helper()
	a, b := m.point(), m.point()
	box := linear.BoxOf(a, b)
	outside := m.r.IntN(2) == 0
	var want []uint32
	for id, o := range m.live {
		if box.ContainsPoint(o.Box.Min) != outside {
			want = append(want, id)
			delete(m.live, id)
		}
	}
	slices.Sort(want)
	remove := m.tree.RemoveIn
	if outside {
		remove = m.tree.RemoveOutside
	}
	ids, _, err := remove([]uint32{}, linear.BoxRegion(box), linear.Filter{})
	must(t, err)
	m.note("removal by region of %d", len(want))
	if !slices.Equal(ids, want) {
		t.Fatalf("%d were removed by region, want %d, after %q", ids, want, m.log)
	}
}

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
	for wide.Box.Min == wide.Box.Max {
		wide.Box.Max[m.r.IntN(3)] += 1e-30 + max(p[0], p[1], p[2], -p[0], -p[1], -p[2])/4
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
	steps := testkit.Budget(t, 60, 1500)
	for k, cfg := range thinConfigs() {
		gone, dropped := 0, 0
		for _, n := range []int{4, 30, 200} {
			m := &thinModel{tree: newTree(t, cfg), thin: cfg.Thin, removes: cfg.Outside == linear.OutsideRemove, live: map[uint32]soa.Object{}, r: testkit.Rand(seed + uint64(n+k))}
			m.shared = linear.NewPublisher(m.tree)
			for range steps {
				m.step(t, n)
				m.check(t)
			}
			gone, dropped = gone+m.gone, dropped+m.dropped
		}
		if cfg.Thin.Cell > 1e-3 && (dropped == 0 || (gone > 0) != (cfg.Thin.Keep != linear.KeepFirst) && cfg.Thin.Cell < 1e100) {
			t.Errorf("configuration %d, %+v: %d points are dropped, %d objects replaced", k, cfg, dropped, gone)
		}
	}
}
