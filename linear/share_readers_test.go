package linear_test

import (
	"maps"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// envShared sets the seconds of a long run of TestSharedReaders.
const envShared = "ZOCTREE_SHARED_SECONDS"

// chronicle holds the expected contents of each version that a reader may still acquire.
type chronicle struct {
	mu       sync.Mutex
	versions map[uint64]map[uint32]soa.Object
}

func (c *chronicle) write(version uint64, live map[uint32]soa.Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.versions[version] = live
}

func (c *chronicle) read(version uint64) map[uint32]soa.Object {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.versions[version]
}

// forget drops the versions before one and returns how many are left.
func (c *chronicle) forget(version uint64) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.versions, func(v uint64, _ map[uint32]soa.Object) bool { return v < version })
	return len(c.versions)
}

// aside is a test for use by a goroutine of its own: a failure ends only that goroutine.
type aside struct{ testing.TB }

func (a aside) Fatal(args ...any) {
	a.Helper()
	a.Error(args...)
	runtime.Goexit()
}

func (a aside) Fatalf(format string, args ...any) {
	a.Helper()
	a.Errorf(format, args...)
	runtime.Goexit()
}

// reader is a goroutine that queries published versions.
type reader struct {
	latest atomic.Uint64 // the version acquired last; later ones are not older
	checks atomic.Int64  // number of views compared with their expected contents
	ended  atomic.Bool
}

// run acquires versions, holds some of them for a while beside newer ones, and compares the results of every
// kind of query with the chronicle.
func (r *reader) run(t testing.TB, s *linear.Publisher, c *chronicle, seed uint64, stop *atomic.Bool) {
	defer r.ended.Store(true)
	m := &model{r: testkit.Rand(seed), side: 100}
	var held []*heldView
	for !stop.Load() {
		h := &heldView{Version: s.Acquire()}
		version := h.View().Store().Version
		if last := r.latest.Load(); version < last {
			t.Fatalf("version %d was acquired after %d", version, last)
		}
		h.live = c.read(version)
		r.latest.Store(version)
		if h.live == nil {
			t.Fatalf("version %d was never published", version)
		}
		held = append(held, h)
		for range m.r.IntN(4) {
			k := m.r.IntN(len(held))
			m.checkView(t, held[k].View(), held[k].live)
			r.checks.Add(1)
		}
		for len(held) > 0 && (len(held) > 3 || m.r.IntN(2) == 0) {
			k := m.r.IntN(len(held))
			held[k].Release()
			held[k] = held[len(held)-1]
			held = held[:len(held)-1]
		}
		runtime.Gosched() // for platforms without preemption, such as wasm
	}
	for _, h := range held {
		h.Release()
	}
}

// Eight goroutines query the published versions while one goroutine changes the tree by random operations:
// every result matches the version that the reader holds.
func TestSharedReaders(t *testing.T) {
	seed := testkit.Seed(t)
	length := time.Second
	if !testkit.Long(t) {
		length /= 5
	}
	if text := os.Getenv(envShared); text != "" {
		seconds, err := strconv.Atoi(text)
		if err != nil || seconds <= 0 {
			t.Fatalf("%s=%q is not a number of seconds", envShared, text)
		}
		length = time.Duration(seconds) * time.Second
	}
	m := newModel(t, linear.Config{PendingMin: 8, PendingShare: 1 << 20}, seed, 100)
	m.readers = true
	c := chronicle{versions: map[uint64]map[uint32]soa.Object{}}
	version := func() uint64 { return m.tree.View().Store().Version }
	c.write(version(), maps.Clone(m.live)) // the version published at the start

	var readers [8]reader
	var stop atomic.Bool
	var wg sync.WaitGroup
	for i := range readers {
		wg.Go(func() { readers[i].run(aside{t}, m.shared, &c, seed+uint64(i), &stop) })
	}
	// The writer continues for that time, and until each reader has acquired some versions.
	steps, publications, most := 0, 0, linear.Stats{}
	busy := func() bool {
		for i := range readers {
			if r := &readers[i]; r.checks.Load() < 3 && !r.ended.Load() {
				return true
			}
		}
		return false
	}
	for start := time.Now(); (time.Since(start) < length || busy()) && !t.Failed(); {
		for range 1 + m.r.IntN(4) {
			m.step(t, 250)
			steps++
		}
		c.write(version()+1, maps.Clone(m.live)) // publishing counts as a change
		m.shared.Publish()
		runtime.Gosched()
		publications++
		oldest := version()
		for i := range readers {
			oldest = min(oldest, readers[i].latest.Load())
		}
		if c.forget(oldest) > 1000 {
			time.Sleep(time.Millisecond) // let the slowest reader catch up
		}
		if st := m.tree.Stats(); st.Versions > most.Versions {
			most = st
		}
	}
	stop.Store(true)
	wg.Wait()
	m.check(t)
	checks := int64(0)
	for i := range readers {
		checks += readers[i].checks.Load()
		if readers[i].checks.Load() == 0 {
			t.Errorf("reader %d has checked nothing", i)
		}
	}
	// Each reader holds at most four versions, and reads one more.
	if most.Versions > 5*len(readers)+2 {
		t.Errorf("%d versions at a time", most.Versions)
	}
	if st := m.tree.Stats(); st.Held != 0 || st.HeldBytes != 0 {
		t.Errorf("%d versions are held at the end", st.Held)
	}
	t.Logf("%d operations, %d publications, %d views compared, at most %d versions at a time", steps, publications, checks, most.Versions)
}

// Four goroutines acquire and release as fast as they can while one publishes as fast as it can: three objects
// at a common position, which moves on with each version.
func TestSharedHammer(t *testing.T) {
	publications := 10_000
	if !testkit.Long(t) {
		publications = 2000
	}
	tree := newTree(t, linear.Config{})
	at := []soa.AABB{cube(0, 0, 0, 1), cube(0, 0, 0, 1), cube(0, 0, 0, 1)}
	ids := insert(t, tree, []soa.Object{{Box: at[0]}, {Box: at[1]}, {Box: at[2]}})
	s := linear.NewPublisher(tree)
	// place returns the common position of the objects of a version.
	place := func(t testing.TB, v linear.View) (x float32) {
		n := 0
		for slot := range everything(v) {
			for l := range v.IDs(slot) {
				if b := v.Box(slot, l); n > 0 && b.Max[0] != x {
					t.Fatalf("one object is at %v, another one at %v", x, b.Max[0])
				} else {
					x = b.Max[0]
				}
				n++
			}
		}
		if n != len(ids) {
			t.Fatalf("%d objects, want %d", n, len(ids))
		}
		return x
	}
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			t := aside{t}
			last := float32(0)
			for !stop.Load() {
				h := s.Acquire()
				x := place(t, h.View())
				if x < last {
					t.Fatalf("the version at %v was acquired after that at %v", x, last)
				}
				if again := place(t, h.View()); again != x {
					t.Fatalf("a version went from %v to %v while it was held", x, again)
				}
				last = x
				h.Release()
				runtime.Gosched()
			}
		})
	}
	for k := 1; k <= publications && !t.Failed(); k++ {
		for i := range at {
			at[i] = cube(float32(k), 0, 0, 1)
		}
		must(t, tree.MoveBatch(ids, at))
		s.Publish()
		runtime.Gosched()
	}
	stop.Store(true)
	wg.Wait()
	if st := tree.Stats(); st.Held != 0 || st.Versions > 10 {
		t.Errorf("%d versions, %d held", st.Versions, st.Held)
	}
}

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
		m.alternate(seed)
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
