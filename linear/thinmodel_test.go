package linear_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/linear"
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
