//go:build unix

package guard

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Enforced reports whether an access to the page next to a slice faults.
const Enforced = true

// newMapping reserves a guard page, memory for size bytes and a guard page, and makes only the
// middle accessible.
func newMapping(t testing.TB, size int) *mapping {
	t.Helper()
	page := unix.Getpagesize()
	lo, hi := page, page+pages(size, page)
	all, err := unix.Mmap(-1, 0, hi+page, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatalf("guard: reserving %d bytes: %v", hi+page, err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(all); err != nil {
			t.Errorf("guard: freeing %d bytes: %v", len(all), err)
		}
	})
	if hi > lo {
		if err := unix.Mprotect(all[lo:hi], unix.PROT_READ|unix.PROT_WRITE); err != nil {
			t.Fatalf("guard: opening %d bytes: %v", hi-lo, err)
		}
	}
	return &mapping{base: unsafe.Pointer(&all[0]), lo: lo, hi: hi, mem: all[lo:hi], first: lo}
}
