package linear_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// apply runs a batch of changes of every kind.
func (m *model) apply(t testing.TB) {
	t.Helper()
	var b linear.Batch
	var added []soa.Object
	gone, lost := map[uint32]bool{}, map[int]bool{} // by ID, and by index in added
	for range m.r.IntN(20) {
		if m.regions && m.r.IntN(12) == 0 {
			r, flt, outside := m.region(), m.filter(), m.r.IntN(3) == 0
			if outside {
				b.RemoveOutside(r.linear(), flt)
			} else {
				b.RemoveIn(r.linear(), flt)
			}
			removed := func(o soa.Object) bool { return selected(o, flt) && r.in(o.Box) != outside }
			for id, o := range m.live {
				gone[id] = gone[id] || removed(o)
			}
			for i, o := range added {
				lost[i] = lost[i] || removed(o)
			}
			maps.DeleteFunc(gone, func(_ uint32, is bool) bool { return !is })
			continue
		}
		if len(m.ids) == 0 || m.r.IntN(4) == 0 {
			o := m.fresh()
			b.Insert(o)
			added = append(added, o)
			continue
		}
		id := m.pick()
		if gone[id] {
			continue
		}
		o := m.live[id]
		switch m.r.IntN(5) {
		case 0:
			b.Remove(id)
			gone[id] = true
			continue
		case 1:
			o.Mask = m.newMask(uint32(m.r.IntN(16)))
			b.SetMask(id, o.Mask)
		case 2:
			o.Static = !o.Static
			b.SetStatic(id, o.Static)
		default:
			if m.turns && m.r.IntN(2) == 0 {
				to := m.oriented(o.Box)
				o.Box = to.Box()
				b.MoveOriented(id, to)
				m.bounds[id] = bound{oriented: &to}
				break
			}
			o.Box = m.near(o.Box)
			if m.r.IntN(4) == 0 {
				o.Box = m.object().Box
			}
			b.Move(id, o.Box)
			delete(m.bounds, id)
		}
		m.live[id] = o
	}
	m.namesRemoved(t, &b, gone)
	ids, err := m.tree.Apply(&b)
	must(t, err)
	m.note("Apply of %d, %d inserted, %d removed", b.Len(), len(added), len(gone))
	for id := range gone {
		m.forget(id)
	}
	slices.Sort(m.ids) // independent of the order of removal
	if len(ids) != len(added) {
		t.Fatalf("%d IDs for %d insertions", len(ids), len(added))
	}
	for i, id := range ids {
		if !lost[i] {
			m.add(t, id, added[i])
		}
	}
}

// namesRemoved requires that a batch is rejected as a whole, without an effect, if it also names an object that it
// has removed.
func (m *model) namesRemoved(t testing.TB, b *linear.Batch, gone map[uint32]bool) {
	t.Helper()
	if !m.regions || len(gone) == 0 || m.r.IntN(2) == 0 {
		return
	}
	var bad linear.Batch
	must(t, bad.UnmarshalBinary(encode(t, b)))
	id := slices.Min(slices.Collect(maps.Keys(gone)))
	switch m.r.IntN(4) {
	case 0:
		bad.Move(id, m.live[id].Box)
	case 1:
		bad.MoveBatch([]uint32{id}, []soa.AABB{m.live[id].Box})
	case 2:
		bad.RemoveBatch([]uint32{id})
	default:
		bad.SetMask(id, 1)
	}
	view := m.tree.View()
	ids, err := m.tree.Apply(&bad)
	if !errors.Is(err, linear.ErrUnknown) || len(ids) > 0 || !strings.HasPrefix(err.Error(), fmt.Sprintf("linear: change %d of the batch, ", b.Len())) {
		t.Fatalf("change %d names object %d, which the batch removes: IDs %v, error %v, after %v", b.Len(), id, ids, err, m.log)
	}
	view.Store() // nothing has changed
}

// region returns a random box or ball: most are small, some hold everything or one point.
func (m *model) region() (r region) {
	c := m.object().Box.Min
	size := float32(m.side * m.r.Float32())
	size *= m.r.Float32()
	switch m.r.IntN(12) {
	case 0:
		size = 0
	case 1:
		size = 1e7 * m.side
	}
	r = region{box: cube(c[0], c[1], c[2], size), center: c, radius: size, ball: m.r.IntN(2) == 0}
	r.box.Max[m.r.IntN(3)] += size
	return r
}

func (m *model) filter() linear.Filter {
	flt := filters[m.r.IntN(len(filters))]
	return linear.Filter{Mask: flt.Mask, Motion: flt.Motion}
}

// removeRegion removes the objects in a region or outside it. A query and RemoveBatch remove the same ones from a
// clone, and the two trees give later objects the same IDs, log the same changes and have the same handles.
func (m *model) removeRegion(t testing.TB) {
	t.Helper()
	r, flt, outside := m.region(), m.filter(), m.r.IntN(3) == 0
	var want []uint32
	for id, o := range m.live {
		if selected(o, flt) && r.in(o.Box) != outside {
			want = append(want, id)
		}
	}
	slices.Sort(want)
	clone := m.tree.Clone()
	remove := m.tree.RemoveIn
	if outside {
		remove = m.tree.RemoveOutside
	}
	view := m.tree.View()
	if !outside {
		found := r.query(t, view, query.Filter{Mask: flt.Mask, Motion: flt.Motion})
		if slices.Sort(found); !slices.Equal(found, want) {
			t.Fatalf("a query finds %v, want %v, after %v", found, want, m.log)
		}
	}
	since := nextChange(view)
	var dst []uint32
	if m.r.IntN(4) > 0 {
		dst = []uint32{7}
	}
	got, n, err := remove(dst, r.linear(), flt)
	must(t, err)
	m.note("removal %v of %d, outside %v", r, n, outside)
	if n != len(want) || dst == nil && got != nil || dst != nil && !slices.Equal(got, append([]uint32{7}, want...)) {
		t.Fatalf("%d objects %v removed, want %d, %v, after %v", n, got, len(want), want, m.log)
	}
	must(t, clone.RemoveBatch(want))
	for _, id := range want {
		m.forget(id)
	}
	slices.Sort(m.ids) // independent of the order of removal
	if m.readers {
		return // a clone takes the place of no version
	}
	a, _, okA := m.tree.View().Changes(since)
	b, _, okB := clone.View().Changes(since)
	if okA != okB || !slices.Equal(a, b) {
		t.Fatalf("the log has %v, %v; after RemoveBatch %v, %v; after %v", a, okA, b, okB, m.log)
	}
	for range 1 + m.r.IntN(3) {
		o := m.fresh()
		id, err := m.tree.Insert(o)
		must(t, err)
		other, err := clone.Insert(o)
		must(t, err)
		if id != other {
			t.Fatalf("the next ID is %d, after RemoveBatch %d, after %v", id, other, m.log)
		}
		m.add(t, id, o)
	}
	for id := range uint32(m.tree.Cap()) {
		h, _ := m.tree.Handle(id)
		if other, _ := clone.Handle(id); h != other {
			t.Fatalf("handle %v, after RemoveBatch %v, after %v", h, other, m.log)
		}
	}
	if m.tree.Digest() != clone.Digest() {
		t.Fatalf("not the objects after RemoveBatch, after %v", m.log)
	}
}

// nextChange returns the number of the next change of the log.
func nextChange(v linear.View) uint64 {
	_, next, _ := v.Changes(0)
	return next
}

// refusals makes calls that must fail and change nothing.
func (m *model) refusals(t testing.TB) {
	t.Helper()
	dead := uint32(1 << 30)
	for id := range uint32(100) {
		if !m.tree.Has(id) {
			dead = id
			break
		}
	}
	bad := m.object()
	switch a := m.r.IntN(3); m.r.IntN(3) {
	case 0:
		bad.Box.Min[a] = float32(math.NaN())
	case 1:
		bad.Box.Max[a] = float32(math.Inf(1))
	default:
		bad.Box.Min[a] = math.Nextafter32(bad.Box.Max[a], float32(math.Inf(1)))
	}
	good := m.fresh()
	version := m.tree.View()
	fails := func(what string, err error) {
		t.Helper()
		if err == nil {
			t.Fatalf("%s: no error, after %v", what, m.log)
		}
	}
	_, err := m.tree.Insert(bad)
	fails("Insert", err)
	_, err = m.tree.InsertBatch(nil, []soa.Object{good, bad})
	fails("InsertBatch", err)
	fails("Remove", m.tree.Remove(dead))
	var b linear.Batch
	b.Insert(good)
	if len(m.ids) > 0 {
		id := m.pick()
		fails("Move", m.tree.Move(id, bad.Box))
		fails("MoveBatch", m.tree.MoveBatch([]uint32{id, id}, []soa.AABB{good.Box, bad.Box}))
		fails("MoveBatch", m.tree.MoveBatch([]uint32{id, dead}, []soa.AABB{good.Box, good.Box}))
		fails("RemoveBatch", m.tree.RemoveBatch([]uint32{id, id}))
		fails("RemoveBatch", m.tree.RemoveBatch([]uint32{id, dead}))
		b.Remove(id)
		b.SetMask(id, 1)
		_, err = m.tree.Apply(&b)
		fails("Apply", err)
		if !errors.Is(err, linear.ErrUnknown) {
			t.Fatalf("Apply: error %v", err)
		}
		b.Reset()
		b.Remove(id)
	}
	b.Insert(bad)
	_, err = m.tree.Apply(&b)
	fails("Apply", err)
	_, _, err = m.tree.RemoveIn(nil, linear.BoxRegion(bad.Box), linear.Filter{})
	fails("RemoveIn", err)
	_, _, err = m.tree.RemoveOutside(nil, linear.SphereRegion(good.Box.Min, -1), linear.Filter{})
	fails("RemoveOutside", err)
	_, _, err = m.tree.RemoveIn(nil, linear.BoxRegion(good.Box), linear.Filter{Motion: 3})
	fails("RemoveIn", err)
	version.Store() // nothing has changed
	m.note("refusals")
}

// clear empties the tree; handles must be stale.
func (m *model) clear(t testing.TB) {
	t.Helper()
	handles := make([]soa.Handle, len(m.ids))
	for i, id := range m.ids {
		handles[i], _ = m.tree.Handle(id)
	}
	m.tree.Clear()
	m.note("Clear")
	clear(m.live)
	clear(m.bounds)
	m.ids = m.ids[:0]
	m.check(t)
	for _, h := range handles {
		if _, err := m.tree.Resolve(h); !errors.Is(err, soa.ErrStale) {
			t.Fatalf("handle %v after Clear: error %v", h, err)
		}
	}
	o := m.fresh()
	id, err := m.tree.Insert(o)
	if err != nil || id != 0 {
		t.Fatalf("the first ID after Clear is %d, error %v", id, err)
	}
	m.add(t, id, o)
}

// clone continues with a copy and damages the original.
func (m *model) clone(t testing.TB) {
	t.Helper()
	if m.readers {
		return
	}
	old := m.tree
	m.tree = old.Clone()
	m.note("Clone")
	m.check(t)
	if !slices.Equal(old.RemovedOutside(), m.tree.RemovedOutside()) {
		t.Fatalf("a clone says that %v departed, its origin %v", m.tree.RemovedOutside(), old.RemovedOutside())
	}
	a, b := old.Stats(), m.tree.Stats()
	a.Versions, a.VersionBytes, a.Held, a.HeldBytes, a.Patched = 0, 0, 0, 0, 0 // a clone has no publisher
	if a.Slack, b.Slack, a.Scratch, b.Scratch = 0, 0, 0, 0; a != b {
		t.Fatalf("a clone has %v, its origin %v", b, a)
	}
	for i, id := range m.ids {
		var err error
		if i%2 == 0 {
			err = old.Remove(id)
		} else {
			err = old.Move(id, m.object().Box)
		}
		must(t, err)
	}
	must(t, old.Tick())
	must(t, old.Validate())
	m.share()
}

// checkAll compares the iteration over the tree with the model.
func (m *model) checkAll(t testing.TB) {
	t.Helper()
	next := 0
	order := slices.Sorted(slices.Values(m.ids))
	for id, o := range m.tree.All() {
		if next == len(order) || id != order[next] || o != m.live[id] {
			t.Fatalf("object %d of the iteration is %d %v, want %v, after %v", next, id, o, m.live[id], m.log)
		}
		next++
	}
	if next != len(order) {
		t.Fatalf("the iteration gave %d of %d objects, after %v", next, len(order), m.log)
	}
}

// checkView compares box, sphere, ray and nearest queries on a view with reference implementations over its
// objects.
func (m *model) checkView(t testing.TB, v linear.View, live map[uint32]soa.Object) {
	t.Helper()
	if v.Len() != len(live) {
		t.Fatalf("the view has %d objects, want %d, after %v", v.Len(), len(live), m.log)
	}
	m.checkObjects(t, v, live)
	checkViewAll(t, v, live)
	flt := filters[m.r.IntN(len(filters))]
	var ids []uint32 // IDs of matching objects, ascending
	var objects []soa.Object
	for _, id := range slices.Sorted(maps.Keys(live)) {
		o := live[id]
		if (flt.Mask == 0 || o.Mask&flt.Mask != 0) && (flt.Motion == query.AnyMotion || (flt.Motion == query.StaticOnly) == o.Static) {
			ids, objects = append(ids, id), append(objects, o)
		}
	}
	same := func(what string, got []uint32, hits []int) {
		t.Helper()
		slices.Sort(got)
		want := make([]uint32, len(hits))
		for i, h := range hits {
			want[i] = ids[h]
		}
		if !testkit.SameIDs(t, got, want) {
			t.Fatalf("%s with filter %v, after %v", what, flt, m.log)
		}
	}
	at := m.object().Box
	box := at
	for a := range 3 {
		box.Max[a] += m.side / 10
	}
	b, err := query.NewBox(box.Min, box.Max)
	must(t, err)
	same("box", b.Append(nil, v, flt), testkit.ReferenceBox(objects, box))

	radius := m.r.Float32() * m.side / 4
	ball, err := query.NewSphere(at.Min, radius)
	must(t, err)
	same("sphere", ball.Append(nil, v, flt), testkit.ReferenceSphere(objects, at.Min, radius))

	dir := [3]float32{m.r.Float32() - 0.5, m.r.Float32() - 0.5, float32(m.r.IntN(2))}
	ray, err := query.NewRay(at.Min, dir, 2*m.side)
	must(t, err)
	hits := ray.Append(nil, v, flt)
	want := testkit.ReferenceSweep(objects, testkit.RaySweep(at.Min, dir, 2*m.side))
	if len(hits) != len(want) {
		t.Fatalf("ray with filter %v has %d hits, want %d, after %v", flt, len(hits), len(want), m.log)
	}
	for i, h := range hits {
		if h.ID != ids[want[i].Index] || h.Dist != want[i].Time {
			t.Fatalf("ray with filter %v: hit %d is %v, want %v of %d, after %v", flt, i, h, want[i], ids[want[i].Index], m.log)
		}
	}

	k := m.r.IntN(12)
	near, err := query.AppendNearest(nil, v, at.Min, k, m.side, flt)
	must(t, err)
	nearest := testkit.ReferenceNearest(objects, at.Min, k, testkit.ReferenceBound2(m.side))
	if len(near) != len(nearest) {
		t.Fatalf("%d nearest with filter %v, want %d, after %v", len(near), flt, len(nearest), m.log)
	}
	for i, n := range near {
		if n.ID != ids[nearest[i].Index] || n.Dist2 != nearest[i].Dist2 {
			t.Fatalf("nearest %d with filter %v is %v, want %v of %d, after %v", i, flt, n, nearest[i], ids[nearest[i].Index], m.log)
		}
	}
}
