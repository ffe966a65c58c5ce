package linear_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// thinSlices is a map of slices, the objects of each cell, beside a tree that thins and two replicas of it. The tree
// applies batches, one replica the same batches after a round trip through bytes, and the other makes single calls.
type thinSlices struct {
	thin  linear.Thin
	r     *rand.Rand
	cells map[[3]float64][]member

	// By ID.
	objects []soa.Object
	handles []soa.Handle // stale for an ID that is not live
	index   []int        // in live
	live    []uint32

	tree, replica, called *linear.Tree
	removed, dropped      int
	replaced              int
}

// member is an object of a cell, or point i of the insertion that is being made.
type member struct {
	id uint32
	i  int
	p  [3]float32
}

func (m *thinSlices) cell(p [3]float32) (c [3]float64) {
	for a, x := range p {
		c[a] = math.Floor(float64(x) / m.thin.Cell)
	}
	return c
}

// isNearer reports whether a point is nearer to the centre of its cell than another point of the cell.
func (m *thinSlices) isNearer(p, q [3]float32) bool {
	var sum [2]float64
	for a, i := range m.cell(p) {
		for k, x := range [2]float32{p[a], q[a]} {
			d := float64(x) - float64((i+0.5)*m.thin.Cell)
			sum[k] += float64(d * d)
		}
	}
	return sum[0] < sum[1]
}

// point returns a point of a flat town of 16 x 16 cells, some of them exactly on borders.
func (m *thinSlices) point() (p [3]float32) {
	for a, side := range [3]float32{16, 16, 2} {
		p[a] = (m.r.Float32() - 0.5) * side * float32(m.thin.Cell)
		if m.r.IntN(8) == 0 {
			p[a] = float32(math.Round(float64(p[a])/m.thin.Cell) * m.thin.Cell)
		}
	}
	return p
}

// leave removes an object from its cell.
func (m *thinSlices) leave(id uint32) {
	c := m.cell(m.objects[id].Box.Min)
	in := slices.DeleteFunc(m.cells[c], func(x member) bool { return x.id == id })
	if m.cells[c] = in; len(in) == 0 {
		delete(m.cells, c)
	}
}

// drop removes an object from the lists by ID.
func (m *thinSlices) drop(id uint32) {
	last := m.live[len(m.live)-1]
	m.live[m.index[id]], m.index[last] = last, m.index[id]
	m.live = m.live[:len(m.live)-1]
	m.index[id] = -1
}

func (m *thinSlices) remove(id uint32) {
	m.leave(id)
	m.drop(id)
}

func (m *thinSlices) move(id uint32, to soa.AABB) {
	m.leave(id)
	m.objects[id].Box = to
	c := m.cell(to.Min)
	m.cells[c] = append(m.cells[c], member{id, -1, to.Min})
}

// insert checks the IDs of points that have been inserted, and returns the handles of the objects that they replace.
func (m *thinSlices) insert(t *testing.T, objects []soa.Object, ids []uint32) (gone []soa.Handle) {
	t.Helper()
	keep, takes := make([]bool, len(objects)), make([]uint32, len(objects))
	for i := range objects {
		takes[i] = linear.None
		now := member{linear.None, i, objects[i].Box.Min}
		c := m.cell(now.p)
		in := m.cells[c]
		stays := func(x member) bool { return !m.isNearer(now.p, x.p) }
		switch {
		case len(in) == 0:
		case m.thin.Keep == linear.KeepFirst && len(in) >= max(m.thin.Most, 1), m.thin.Keep == linear.KeepNearest && slices.ContainsFunc(in, stays):
			m.dropped++
			continue
		case m.thin.Keep != linear.KeepFirst:
			slices.SortFunc(in, func(a, b member) int { return int(int64(a.id) - int64(b.id)) })
			for _, x := range in {
				if x.i >= 0 {
					keep[x.i], takes[i] = false, takes[x.i]
					m.dropped++
					continue
				}
				takes[i] = min(takes[i], x.id)
				gone = append(gone, m.handles[x.id])
				m.drop(x.id)
				m.replaced++
			}
			in = in[:0]
		}
		keep[i], m.cells[c] = true, append(in, now)
	}
	for i, id := range ids {
		if (id != linear.None) != keep[i] || takes[i] != linear.None && keep[i] && id != takes[i] {
			t.Fatalf("point %d of %d at %v got the ID %d, kept %v, replacing %d", i, len(ids), objects[i].Box.Min, id, keep[i], takes[i])
		}
		if !keep[i] {
			continue
		}
		for uint32(len(m.objects)) <= id {
			m.objects, m.handles, m.index = append(m.objects, soa.Object{}), append(m.handles, soa.Handle{}), append(m.index, -1)
		}
		if m.index[id] >= 0 {
			t.Fatalf("ID %d was given out twice", id)
		}
		m.objects[id], m.index[id] = objects[i], len(m.live)
		m.handles[id], _ = m.tree.Handle(id)
		m.live = append(m.live, id)
		in := m.cells[m.cell(objects[i].Box.Min)]
		k := slices.IndexFunc(in, func(x member) bool { return x.i == i })
		in[k].id, in[k].i = id, -1
	}
	return gone
}

// step makes one batch of changes, and returns the number of objects that it inserts, moves and removes.
func (m *thinSlices) step(t *testing.T) (operations int) {
	t.Helper()
	var b, again linear.Batch
	if m.r.IntN(3) == 0 {
		flt := linear.Filter{Motion: linear.Motion(m.r.IntN(3)), Mask: uint32(m.r.IntN(4))}
		r := region{ball: m.r.IntN(2) == 0, center: m.point(), radius: 3 * m.r.Float32() * float32(m.thin.Cell)}
		r.box = linear.BoxAround(r.center, [3]float32{r.radius, 2 * r.radius, r.radius})
		outside := m.r.IntN(12) == 0
		if outside {
			r.radius *= 4
			r.box = linear.BoxAround(r.center, [3]float32{4 * r.radius, r.radius, r.radius})
		}
		var want []uint32
		for _, id := range m.live {
			if selected(m.objects[id], flt) && r.in(m.objects[id].Box) != outside {
				want = append(want, id)
			}
		}
		slices.Sort(want)
		for _, id := range want {
			m.remove(id)
		}
		remove, record := m.called.RemoveIn, b.RemoveIn
		if outside {
			remove, record = m.called.RemoveOutside, b.RemoveOutside
		}
		record(r.linear(), flt)
		ids, n, err := remove([]uint32{}, r.linear(), flt)
		must(t, err)
		if n != len(want) || !slices.Equal(ids, want) {
			t.Fatalf("%d objects %v are removed by region, want %v", n, ids, want)
		}
		m.removed, operations = m.removed+n, operations+n
	}
	if n := min(len(m.live), m.r.IntN(20)); n > 0 && m.r.IntN(2) == 0 {
		m.r.Shuffle(len(m.live), func(i, j int) {
			m.live[i], m.live[j] = m.live[j], m.live[i]
			m.index[m.live[i]], m.index[m.live[j]] = i, j
		})
		ids := slices.Clone(m.live[:n])
		operations += n
		if m.r.IntN(2) == 0 {
			b.RemoveBatch(ids)
			must(t, m.called.RemoveBatch(ids))
			for _, id := range ids {
				m.remove(id)
			}
		} else {
			var to []soa.AABB
			for _, id := range ids {
				to = append(to, pointObject(m.point(), 0).Box)
				m.move(id, to[len(to)-1])
			}
			b.MoveBatch(ids, to)
			must(t, m.called.MoveBatch(ids, to))
		}
	}
	objects := make([]soa.Object, 1+m.r.IntN(200))
	for i := range objects {
		objects[i] = pointObject(m.point(), 1<<m.r.IntN(3))
	}
	b.InsertBatch(objects)
	b.Tick()
	bytes, err := b.AppendBinary(nil)
	must(t, err)
	must(t, again.UnmarshalBinary(bytes))
	ids, err := m.tree.Apply(&b)
	must(t, err)
	other, err := m.replica.Apply(&again)
	must(t, err)
	single, err := m.called.InsertBatch(nil, objects)
	must(t, err)
	must(t, m.called.Tick())
	gone := m.insert(t, objects, ids)
	if !slices.Equal(ids, other) || !slices.Equal(ids, single) {
		t.Fatalf("the IDs of points are %v, of replicas %v and %v", ids, other, single)
	}
	for i, tree := range [...]*linear.Tree{m.tree, m.replica, m.called} {
		if !slices.Equal(tree.Thinned(), gone) {
			t.Fatalf("tree %d: %v were thinned, want %v", i, tree.Thinned(), gone)
		}
	}
	return operations + len(objects)
}

// check validates the trees and compares them with the map.
func (m *thinSlices) check(t *testing.T) {
	t.Helper()
	for _, tree := range [...]*linear.Tree{m.tree, m.replica, m.called} {
		valid(t, tree)
	}
	if m.tree.LayoutDigest() != m.replica.LayoutDigest() || m.tree.Digest() != m.called.Digest() {
		t.Fatal("the replicas differ")
	}
	if m.tree.Len() != len(m.live) {
		t.Fatalf("%d objects, want %d", m.tree.Len(), len(m.live))
	}
	for _, id := range m.live {
		if o, ok := m.tree.Object(id); !ok || o != m.objects[id] {
			t.Fatalf("object %d is %v, %v; want %v", id, o, ok, m.objects[id])
		}
	}
}

// Trees that thin, and from which objects are removed by region, beside a map of slices, with a validation after each
// batch. ZOCTREE_COUNT sets the number of objects that are inserted, moved and removed in all.
func TestThinSlices(t *testing.T) {
	seed := testkit.Seed(t)
	configs := []linear.Config{
		{Thin: linear.Thin{Cell: 0.3}},
		{Thin: linear.Thin{Cell: 0.7, Most: 3}, Log: true},
		{Thin: linear.Thin{Cell: 0.3, Keep: linear.KeepNearest}, PendingMin: 4, Policy: linear.PolicyIncremental},
		{Thin: linear.Thin{Cell: 5, Keep: linear.KeepNewest}, SplitAbove: 8, TickBudget: 50},
	}
	most := testkit.Count(t, 20_000, 400_000)
	for k, cfg := range configs {
		m := &thinSlices{thin: cfg.Thin, r: testkit.Rand(seed + uint64(k)), cells: map[[3]float64][]member{},
			tree: newTree(t, cfg), replica: newTree(t, cfg), called: newTree(t, cfg)}
		for n := 0; n < most/len(configs); {
			n += m.step(t)
			m.check(t)
		}
		if m.removed == 0 || m.dropped == 0 || (m.replaced > 0) != (cfg.Thin.Keep != linear.KeepFirst) {
			t.Errorf("configuration %d: %d objects removed by region, %d points dropped, %d objects replaced", k, m.removed, m.dropped, m.replaced)
		}
	}
}
