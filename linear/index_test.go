package linear_test

import (
	"sync"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// checkObjects reads all objects of a view by ID, and some IDs that are not in it. It skips most versions, so
// that an index has several versions to catch up on.
func (m *model) checkObjects(t testing.TB, v linear.View, live map[uint32]soa.Object) {
	t.Helper()
	if v.Store().Version%5 > 1 {
		return
	}
	past := uint32(0)
	for id, want := range live {
		if got, ok := v.Object(id); !ok || got != want {
			t.Fatalf("the view has object %d as %v, %v; want %v, after %v", id, got, ok, want, m.log)
		}
		past = max(past, id+1)
	}
	for id := range past + 100 {
		if _, ok := live[id]; ok {
			continue
		}
		if o, ok := v.Object(id); ok {
			t.Fatalf("the view has object %d, which is not there, as %v, after %v", id, o, m.log)
		}
		if s, ok := v.Sphere(id); ok {
			t.Fatalf("the view has sphere %v of object %d, which is not there, after %v", s, id, m.log)
		}
	}
	p := &v.Store().Packets
	for slot := range everything(v) {
		for l, id := range v.IDs(slot) {
			got, ok := v.Sphere(id)
			if want, has := p.Sphere(slot, l); ok != has || ok && got != want {
				t.Fatalf("the view has sphere %v, %v of object %d; want %v, %v, after %v", got, ok, id, want, has, m.log)
			}
		}
	}
}

// Large versions that are rarely queried by ID and by handle, while readers hold old versions and removals, new IDs,
// rebuilds and trims happen in between.
func TestViewObjects(t *testing.T) {
	seed := testkit.Seed(t)
	for _, cfg := range []linear.Config{{}, {PendingMin: 50, PendingShare: 1 << 20, Policy: linear.PolicyIncremental, SplitAbove: 9}} {
		m := newModel(t, cfg, seed, 300)
		for range testkit.Budget(t, 15, 400) {
			for range 1 + m.r.IntN(30) {
				m.step(t, 3000)
			}
			m.publish(t)
			m.shared.Publish()
			h := m.shared.Acquire()
			m.checkObjects(t, h.View(), m.live)
			m.checkHandles(t, h.View(), m.generations())
			h.Release()
			m.checkObjects(t, m.tree.View(), m.live)
			m.checkHandles(t, m.tree.View(), m.generations())
			for _, h := range m.held {
				m.checkObjects(t, h.View(), h.live)
				m.checkHandles(t, h.View(), h.gens)
			}
		}
	}
}

// An empty version contains no ID, including the largest numbers.
func TestViewObjectsOfNothing(t *testing.T) {
	tree := newTree(t, linear.Config{})
	shared := linear.NewPublisher(tree)
	none := func(v linear.View) {
		t.Helper()
		for _, id := range []uint32{0, 1, 1 << 31, linear.None} {
			o, ok := v.Object(id)
			s, has := v.Sphere(id)
			if ok || has {
				t.Errorf("object %d is %v, sphere %v", id, o, s)
			}
			for gen := range uint32(4) {
				if _, _, ok := v.LocateHandle(linear.Handle{ID: id, Gen: gen}); ok {
					t.Errorf("handle %d of generation %d is found", id, gen)
				}
			}
		}
	}
	for range 2 { // the second time after removals
		h := shared.Acquire()
		none(tree.View())
		none(h.View())
		h.Release()
		ids := insert(t, tree, grid(4))
		shared.Publish()
		h = shared.Acquire()
		if o, ok := h.View().Object(ids[3]); !ok || o != grid(4)[3] {
			t.Errorf("object %d is %v, %v", ids[3], o, ok)
		}
		h.Release()
		must(t, tree.RemoveBatch(ids))
		shared.Publish()
	}
}

// Concurrent readers of one version find the same objects, whichever reader builds the index; the race detector
// checks them.
func TestViewObjectsTogether(t *testing.T) {
	const n = 3000
	tree := newTree(t, linear.Config{})
	insert(t, tree, testkit.SceneByName(t, "uniform").Make(n, 1))
	shared := linear.NewPublisher(tree)
	for frame := range testkit.Budget(t, 10, 100) {
		frames(t, shared, n, 1, uint64(frame))
		var readers sync.WaitGroup
		h := shared.Acquire()
		want := boxesOf(h.View())
		for r := range uint32(4) {
			readers.Go(func() {
				v := h.View()
				for i := range uint32(n) {
					id := (i*7 + r*751) % n
					if o, ok := v.Object(id); !ok || o.Box != want[id] {
						t.Errorf("frame %d: object %d is %v, %v; want %v", frame, id, o, ok, want[id])
						return
					}
				}
			})
		}
		readers.Wait()
		h.Release()
	}
}

// The cost of an index: nothing before the first lookup, then a table of locations; an update reads only the
// rows that changed; steady state allocates nothing.
func TestViewObjectsCost(t *testing.T) {
	const n = 20_000
	tree := newTree(t, linear.Config{Workers: 1})
	insert(t, tree, testkit.SceneByName(t, "uniform").Make(n, 1))
	shared := linear.NewPublisher(tree)
	frames(t, shared, n, 10, 1)
	before := tree.Stats().VersionBytes
	ask := func() {
		h := shared.Acquire()
		defer h.Release()
		for id := range uint32(100) {
			if _, ok := h.View().Object(id * 199); !ok {
				t.Errorf("object %d is not there", id*199)
			}
		}
	}
	frames(t, shared, n, 10, 2)
	if now := tree.Stats().VersionBytes; now != before {
		t.Errorf("versions take %d bytes, and %d before: nobody has asked for an object", now, before)
	}
	ask()
	if more := tree.Stats().VersionBytes - before; more < 4*n || more > 8*n {
		t.Errorf("an index of %d objects takes %d bytes", n, more)
	}
	r := testkit.Rand(3)
	frame := func() {
		if err := tree.SetMask(uint32(r.IntN(n)), r.Uint32()); err != nil {
			t.Error(err)
		}
		shared.Publish()
		ask()
	}
	for range 200 { // both instances get an index, and room for its missing rows
		frame()
	}
	testkit.Allocs(t, 100, frame)
	must(t, tree.SetMask(7, 1))
	shared.Publish()
	if read := shared.IndexedAnew(); read == 0 || read > 2 {
		t.Errorf("after two changes %d slots are to be read again", read)
	}
	must(t, tree.Rebuild(nil, linear.RebuildOptions{}))
	shared.Publish()
	if read, slots := shared.IndexedAnew(), tree.Stats().Slots; read != slots {
		t.Errorf("after a rebuild %d of %d slots are to be read again", read, slots)
	}
	ask()
}

// Lookup of the objects of a query result in a held version, as a system that runs beside the writer does.
func BenchmarkViewObject(b *testing.B) {
	const n = 100_000
	tree := newTree(b, linear.Config{})
	insert(b, tree, testkit.SceneByName(b, "uniform").Make(n, 1))
	shared := linear.NewPublisher(tree)
	frames(b, shared, n, 3, 1)
	h := shared.Acquire()
	defer h.Release()
	ids := (query.Frustum{}).Append(nil, h.View(), query.Filter{})
	ran, masks := false, uint32(0)
	for name, v := range map[string]linear.View{"held": h.View(), "tree": tree.View()} {
		b.Run("view="+name, func(b *testing.B) {
			i := 0
			ran = true
			for b.Loop() {
				o, _ := v.Object(ids[i])
				masks |= o.Mask
				if i++; i == len(ids) {
					i = 0
				}
			}
		})
	}
	b.Run("op=frame", func(b *testing.B) { // ten moves, a tick, a publication, one object
		seed := uint64(0)
		ran = true
		for b.Loop() {
			seed++
			frames(b, shared, n, 1, seed)
			h := shared.Acquire()
			o, _ := h.View().Object(7)
			masks |= o.Mask
			h.Release()
		}
	})
	if ran && masks == 0 {
		b.Error("no objects")
	}
}
