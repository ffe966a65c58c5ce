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
		length /= 2
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
