//go:build !unix

package guard

import (
	"testing"
	"unsafe"
)

// Enforced reports whether an access to the page next to a slice faults.
const Enforced = false

// newMapping is the fallback without protected pages: a page of canary bytes on each side of the
// slice's memory.
func newMapping(t testing.TB, size int) *mapping {
	t.Helper()
	const page = 4096
	all := make([]byte, 3*page+pages(size, page))
	base := unsafe.Pointer(&all[0])
	skip := -int(uintptr(base)) & (page - 1)
	all = all[skip : len(all)-page+skip]
	return &mapping{base: unsafe.Pointer(&all[0]), lo: page, hi: len(all) - page, mem: all}
}

// release leaves the memory to the garbage collector.
func (m *mapping) release(testing.TB) {}
