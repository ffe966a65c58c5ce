package linear_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// FuzzChanges runs changes of every kind, decoded from bytes, on a tree and on a
// map of objects, and compares the two and validates the tree after each. The
// first two bytes choose the configuration.
func FuzzChanges(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x00\x00\x01\x20 insert, move and remove \x03\x00\x04\x05 near 1e20, and tick \x08\x08"))
	f.Add([]byte("\x43\x21\x02\x40 a batch of many objects, then \x06 a recorded batch \x07 and a clone \x0a\x09"))
	f.Add([]byte("\x43\x21\x02\x40 objects \xf0\x10 by region \xf1\x02\x20\x30 and \xf2 recorded \x06\x07\xf8\xf9 \x08\xff\xf3\x01 the end"))
	f.Add([]byte("\x43\x21\x02\x40 objects \xf0\x10 held \x04\x01\x02 moved \x08\xff\x20 held, too \x03\x01\xf1\x60 one released \x09\xf2\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		in := tape{data}
		tree := newTree(t, fuzzConfig(in.byte(), in.byte()))
		m := &model{tree: tree, live: map[uint32]soa.Object{}}
		m.share()
		for ops := 0; len(in.b) > 0 && ops < 200 && len(m.ids) < 1000; ops++ {
			fuzzStep(t, m, &in)
			if err := m.tree.Validate(); err != nil {
				t.Fatalf("%v, after %v", err, m.log)
			}
			m.checkHeld(t)
			count := 0
			for id, o := range m.tree.All() {
				if want, ok := m.live[id]; !ok || o != want {
					t.Fatalf("object %d is %v; want %v, %v, after %v", id, o, want, ok, m.log)
				}
				count++
			}
			if all := (query.Frustum{}).Count(m.tree.View(), query.Filter{}); count != len(m.live) || all != count {
				t.Fatalf("%d objects, %d in the answer that holds all, want %d, after %v", count, all, len(m.live), m.log)
			}
		}
	})
}

// fuzzConfig decodes a configuration that New accepts.
func fuzzConfig(a, b byte) linear.Config {
	cfg := linear.Config{
		PendingMin: 1 + int(a&7)*4, PendingShare: 1 << 20, Workers: 1, Frozen: a&8 != 0,
		Policy: linear.Policy(a >> 4 & 3), SplitAbove: 2 + int(b&15)%15, Slack: int(b>>4) * 6, Cut: linear.Cut(b % 3),
	}
	if a&64 != 0 {
		cfg.World = soa.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{3, 2, 1}}
	}
	if a&128 != 0 {
		cfg.MinCell = 0.25
	}
	cfg.MergeBelow = cfg.SplitAbove / 2
	return cfg
}

// fuzzStep decodes and performs one operation. Rejected boxes must change nothing.
func fuzzStep(t *testing.T, m *model, in *tape) {
	pick := func() uint32 {
		if len(m.ids) == 0 {
			return uint32(in.byte())
		}
		return m.ids[(int(in.byte())<<8|int(in.byte()))%len(m.ids)]
	}
	expect := func(err error, ok bool) bool {
		t.Helper()
		if (err == nil) != ok {
			t.Fatalf("error %v, expected none: %v, after %v", err, ok, m.log)
		}
		return ok
	}
	op := in.byte()
	switch {
	case op < 240:
		op %= 12
	case op < 246:
		op = 13
	default:
		op = 12
	}
	m.note("%d", op)
	switch op {
	case 0, 1:
		o := in.object()
		id, err := m.tree.Insert(o)
		if expect(err, o.Box.Check() == nil) {
			m.add(t, id, o)
		}
	case 2: // copies of one object
		o := in.object()
		batch := make([]soa.Object, 1+in.byte()%64)
		for i := range batch {
			batch[i] = o
		}
		ids, err := m.tree.InsertBatch(nil, batch)
		if expect(err, o.Box.Check() == nil) {
			for _, id := range ids {
				m.add(t, id, o)
			}
		}
	case 3:
		id := pick()
		_, live := m.live[id]
		if expect(m.tree.Remove(id), live) {
			m.forget(id)
		}
	case 4, 5:
		id, box := pick(), in.object().Box
		o, live := m.live[id]
		if expect(m.tree.Move(id, box), live && box.Check() == nil) {
			o.Box = box
			m.live[id] = o
		}
	case 6:
		fuzzApply(t, m, in, pick)
	case 7:
		must(t, m.tree.Flush())
	case 8:
		must(t, m.tree.Tick())
	case 9:
		rebuild(t, m.tree, in.byte()&1 != 0)
	case 10:
		m.tree = m.tree.Clone()
		m.share()
	case 11:
		if in.byte() < 32 {
			m.tree.Clear()
			clear(m.live)
			m.ids = m.ids[:0]
		}
	case 13: // removes by region
		r, ok := fuzzRegion(in)
		flt, outside := linear.Filter{Mask: uint32(in.byte() % 4), Motion: linear.Motion(in.byte() % 3)}, in.byte()%4 == 0
		remove := m.tree.RemoveIn
		if outside {
			remove = m.tree.RemoveOutside
		}
		ids, n, err := remove([]uint32{}, r.linear(), flt)
		if !expect(err, ok) {
			return
		}
		for _, id := range ids {
			if o, live := m.live[id]; !live || !selected(o, flt) || r.in(o.Box) == outside {
				t.Fatalf("object %d %v was removed, after %v", id, o, m.log)
			}
			m.forget(id)
		}
		for id, o := range m.live {
			if n != len(ids) || selected(o, flt) && r.in(o.Box) != outside {
				t.Fatalf("object %d %v was not removed, %d were, after %v", id, o, n, m.log)
			}
		}
	case 12: // publishes, and holds the new version or releases the oldest
		m.shared.Publish()
		if diff := m.shared.Differs(); diff != nil {
			t.Fatalf("the published version differs: %v, after %v", diff[:min(len(diff), 8)], m.log)
		}
		if k := in.byte(); k < 64 && len(m.held) < 4 {
			m.hold()
		} else if k < 128 && len(m.held) > 0 {
			m.held[0].Release()
			m.held = m.held[1:]
		}
	}
}

// fuzzRegion decodes a region, and reports whether it is valid.
func fuzzRegion(in *tape) (r region, ok bool) {
	r.box = in.object().Box
	if r.center, r.radius = r.box.Min, r.box.Max[0]; in.byte()%2 == 0 {
		return r, r.box.Check() == nil
	}
	r.ball = true
	ok = r.radius >= 0 && r.radius <= math.MaxFloat32
	for _, x := range r.center {
		ok = ok && x >= -math.MaxFloat32 && x <= math.MaxFloat32
	}
	return r, ok
}

// fuzzApply runs a recorded batch, which must be rejected or applied as a whole.
func fuzzApply(t *testing.T, m *model, in *tape, pick func() uint32) {
	var b linear.Batch
	ok := true
	after := map[uint32]soa.Object{} // objects that the batch changes
	gone := map[uint32]bool{}
	var added []soa.Object
	lost := map[int]bool{} // indices of inserted objects that the batch removes
	for range in.byte() % 8 {
		o := in.object()
		kind := in.byte()
		if kind >= 248 {
			r, valid := fuzzRegion(in)
			flt := linear.Filter{Mask: uint32(in.byte() % 4)}
			b.RemoveOutside(r.linear(), flt)
			if ok = ok && valid; !ok {
				continue
			}
			for id, o := range m.live {
				if changed, has := after[id]; has {
					o = changed
				}
				if !gone[id] && selected(o, flt) && !r.in(o.Box) {
					gone[id] = true
				}
			}
			for i, o := range added {
				lost[i] = lost[i] || selected(o, flt) && !r.in(o.Box)
			}
			continue
		}
		kind %= 4
		if kind == 0 {
			b.Insert(o)
			added = append(added, o)
			ok = ok && o.Box.Check() == nil
			continue
		}
		id := pick()
		now, live := m.live[id]
		if changed, has := after[id]; has {
			now = changed
		}
		ok = ok && live && !gone[id]
		switch kind {
		case 1:
			b.Remove(id)
			gone[id] = true
		case 2:
			b.Move(id, o.Box)
			ok = ok && o.Box.Check() == nil
			now.Box = o.Box
		case 3:
			b.SetMask(id, o.Mask)
			b.SetStatic(id, o.Static)
			now.Mask, now.Static = o.Mask, o.Static
		}
		after[id] = now
	}
	ids, err := m.tree.Apply(&b)
	if (err == nil) != ok {
		t.Fatalf("Apply: error %v, expected none: %v, after %v", err, ok, m.log)
	}
	if !ok {
		return
	}
	for id, o := range after {
		m.live[id] = o
	}
	for id := range gone {
		m.forget(id)
	}
	for i, id := range ids {
		if !lost[i] {
			m.add(t, id, added[i])
		}
	}
}
