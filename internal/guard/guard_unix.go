//go:build unix

package guard

import (
	"sync"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Enforced reports whether an access to the page next to a slice faults.
const Enforced = true

// pool holds the mappings of tests that have ended, by the size of their accessible memory. To map memory anew and to
// fault its pages in takes longer than most calls of a kernel.
var pool struct {
	sync.Mutex
	free  map[int][]*mapping
	n     int // mappings in the pool
	bytes int // their accessible memory
}

// Limits of the pool. A mapping is three areas of memory, of which Linux allows a process 65,530.
const (
	maxPooled      = 1000
	maxPooledBytes = 64 << 20
)

// newMapping returns a guard page, memory for size bytes and a guard page, of which only the middle is accessible. It
// takes a mapping from the pool, or reserves one.
func newMapping(t testing.TB, size int) *mapping {
	t.Helper()
	page := unix.Getpagesize()
	lo, hi := page, page+pages(size, page)
	pool.Lock()
	defer pool.Unlock()
	if free := pool.free[hi-lo]; len(free) > 0 {
		pool.free[hi-lo] = free[:len(free)-1]
		pool.n--
		pool.bytes -= hi - lo
		return free[len(free)-1]
	}
	all, err := unix.Mmap(-1, 0, hi+page, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatalf("guard: reserving %d bytes: %v", hi+page, err)
	}
	if hi > lo {
		if err := unix.Mprotect(all[lo:hi], unix.PROT_READ|unix.PROT_WRITE); err != nil {
			t.Fatalf("guard: opening %d bytes: %v", hi-lo, err)
		}
	}
	return &mapping{base: unsafe.Pointer(&all[0]), lo: lo, hi: hi, mem: all[lo:hi], first: lo, all: all}
}

// release puts the mapping in the pool, or frees it if the pool is full.
func (m *mapping) release(t testing.TB) {
	pool.Lock()
	defer pool.Unlock()
	if size := len(m.mem); pool.n < maxPooled && pool.bytes+size <= maxPooledBytes {
		if pool.free == nil {
			pool.free = map[int][]*mapping{}
		}
		pool.free[size] = append(pool.free[size], m)
		pool.n++
		pool.bytes += size
	} else if err := unix.Munmap(m.all); err != nil {
		t.Errorf("guard: freeing %d bytes: %v", len(m.all), err)
	}
}
