package radix

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/testkit"
)

// countdown is a context that ends after it has been checked left times.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// asked returns how often a whole sort checks its context.
func asked(t *testing.T, s *Scratch, keys []uint64, workers int) int64 {
	const plenty = 1 << 40
	c := &countdown{Context: context.Background()}
	c.left.Store(plenty)
	mustOrder(t, s, keys, Options{Workers: workers, Context: c})
	return plenty - c.left.Load()
}

func TestCancelAtEveryCheckpoint(t *testing.T) {
	var s Scratch
	for _, name := range []string{"uniform", "clustered", "equal-top", "one-run", "nearly"} {
		const n = 2*chunkMin + 100
		keys := named(name).make(seeded(n), n)
		want := reference(keys)
		for _, workers := range []int{1, 2} {
			total := asked(t, &s, keys, workers)
			if total < 3 {
				t.Fatalf("%s: the context was asked %d times", name, total)
			}
			step := int64(1)
			if !testkit.Long(t) {
				step = 7
			}
			for stop := int64(0); stop < total; stop += step {
				c := &countdown{Context: context.Background()}
				c.left.Store(stop)
				items, err := s.Order(keys, Options{Workers: workers, Context: c})
				if !errors.Is(err, context.Canceled) || items != nil {
					t.Fatalf("%s workers=%d, stop %d of %d: %d items, error %v", name, workers, stop, total, len(items), err)
				}
				if stop%8 == 0 || stop+step >= total {
					mustEqual(t, keys, mustOrder(t, &s, keys, Options{Workers: workers}), want)
				}
			}
		}
	}
}

// TestCancelNearlySorted cancels the sort of a few stray keys when the buffer still holds the keys of a longer sort.
func TestCancelNearlySorted(t *testing.T) {
	var s Scratch
	long := named("nearly").make(seeded(40_000), 40_000)
	keys := named("nearly").make(seeded(1000), 1000)
	mustOrder(t, &s, long, Options{})
	for stop := range asked(t, &s, keys, 1) {
		mustOrder(t, &s, long, Options{})
		c := &countdown{Context: context.Background()}
		c.left.Store(stop)
		if items, err := s.Order(keys, Options{Context: c}); !errors.Is(err, context.Canceled) || items != nil {
			t.Fatalf("stop %d: %d items, error %v", stop, len(items), err)
		}
		mustEqual(t, keys, mustOrder(t, &s, keys, Options{}), reference(keys))
	}
}

func TestContextOfCaller(t *testing.T) {
	var s Scratch
	ctx, cancel := context.WithCancelCause(context.Background())
	mustOrder(t, &s, []uint64{2, 1}, Options{Context: ctx})
	cancel(errors.New("reason"))
	if _, err := s.Order([]uint64{2, 1}, Options{Context: ctx}); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	for _, w := range s.workers {
		if w.keys != nil || w.ctx != nil {
			t.Fatal("a worker holds on to the caller's memory")
		}
	}
}

func TestProgress(t *testing.T) {
	var s Scratch
	for _, kind := range kinds {
		for _, n := range []int{0, 1, 100, splitMin, 3 * chunkMin} {
			keys := kind.make(seeded(n), n)
			for _, workers := range []int{1, 3} {
				last, calls := 0, 0
				mustOrder(t, &s, keys, Options{Workers: workers, Progress: func(done, total int) {
					if calls++; done <= last || done > total || total != n {
						t.Fatalf("%s n=%d: Progress(%d, %d) after %d", kind.name, n, done, total, last)
					}
					last = done
				}})
				if last != n || calls > reports+1 {
					t.Fatalf("%s n=%d: %d calls, last %d", kind.name, n, calls, last)
				}
			}
		}
	}
}

func TestAllocations(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("the detector allocates")
	}
	const n = 2*chunkMin + 1
	for _, kind := range kinds {
		var s Scratch
		keys := kind.make(seeded(n), n)
		opt := Options{Context: t.Context(), Progress: func(done, total int) {}}
		mustOrder(t, &s, keys, opt)
		if a := testing.AllocsPerRun(3, func() { s.Order(keys, opt) }); a != 0 {
			t.Errorf("%s: %v allocations", kind.name, a)
		}
		opt.Workers = 2
		mustOrder(t, &s, keys, opt)
		bytes := s.Bytes()
		for range 5 {
			mustOrder(t, &s, keys, opt)
		}
		if s.Bytes() != bytes {
			t.Errorf("%s: shared by 2 workers, it grew from %d to %d bytes", kind.name, bytes, s.Bytes())
		}
	}
}

func TestBytes(t *testing.T) {
	const n = 1 << 17
	var s Scratch
	empty := s.Bytes()
	mustOrder(t, &s, uniform(seeded(n), n), Options{})
	if got, most := s.Bytes(), empty+8*n+128<<10; got < 8*n || got > most {
		t.Errorf("%d bytes for %d uniform keys, want at most %d", got, n, most)
	}
	mustOrder(t, &s, named("equal-top").make(seeded(n), n), Options{Workers: 4})
	if got, most := s.Bytes(), empty+17*n+4*(36<<10+9*bucketMax); got < 16*n || got > most {
		t.Errorf("%d bytes for %d tied keys, want at most %d", got, n, most)
	}
	s.Release()
	if s.Bytes() != empty {
		t.Errorf("%d bytes after Release, want %d", s.Bytes(), empty)
	}
	keys := uniform(seeded(9), 9)
	mustEqual(t, keys, mustOrder(t, &s, keys, Options{}), reference(keys))
}

// Sorts of about one length end up allocating nothing.
func TestGrowsSeldom(t *testing.T) {
	var s Scratch
	grown, last := 0, 0
	for n := 1000; n < 2000; n += 3 {
		mustOrder(t, &s, uniform(seeded(n), n), Options{})
		if bytes := s.Bytes(); bytes != last {
			grown, last = grown+1, bytes
		}
	}
	if grown > 10 {
		t.Errorf("the buffers grew %d times, want 10 or less", grown)
	}
}

func TestNoGoroutineIsLeft(t *testing.T) {
	const n = 4 * chunkMin
	var s Scratch
	keys := uniform(seeded(n), n)
	before := runtime.NumGoroutine()
	for stop := range int64(6) {
		c := &countdown{Context: context.Background()}
		c.left.Store(stop)
		s.Order(keys, Options{Workers: 4, Context: c})
	}
	// A goroutine that has signalled its end may take a moment to leave.
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		runtime.Gosched()
	}
}

// When Progress panics, at any call, no worker continues with buffers that the next sort uses.
func TestPanicAtEveryProgress(t *testing.T) {
	var s Scratch
	const n = 4*chunkMin + 100
	for _, name := range []string{"uniform", "equal-top", "nearly"} {
		keys := named(name).make(seeded(n), n)
		want := reference(keys)
		for _, workers := range testkit.Raced([]int{1, 2, 4}, []int{4}) {
			calls := 0
			for stop, done := 0, false; !done; stop += testkit.Raced(1, 5) {
				calls = 0
				value := testkit.Panic(func() {
					s.Order(keys, Options{Workers: workers, Progress: func(int, int) {
						if calls++; calls > stop {
							panic(stop)
						}
					}})
				})
				if done = value == nil; !done && value != stop {
					t.Fatalf("%s workers=%d, call %d: panicked with %v", name, workers, stop, value)
				}
				testkit.NoWorkers(t)
				few := keys[:n/2]
				if stop%8 == 0 || done {
					mustEqual(t, few, mustOrder(t, &s, few, Options{Workers: workers}), reference(few))
					mustEqual(t, keys, mustOrder(t, &s, keys, Options{Workers: workers}), want)
				}
			}
			if calls < 1 {
				t.Errorf("%s workers=%d: Progress was never called", name, workers)
			}
		}
	}
}
