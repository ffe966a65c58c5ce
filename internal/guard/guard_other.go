//go:build !unix

package guard

import (
	"testing"
	"unsafe"
)

// Enforced reports whether the page beside a slice really faults when touched.
const Enforced = false

// newMapping stands in for protected pages: a page of canary bytes on each
// side of the room.
func newMapping(t testing.TB, size int) *mapping {
	t.Helper()
	const page = 4096
	all := make([]byte, 3*page+pages(size, page))
	base := unsafe.Pointer(&all[0])
	skip := -int(uintptr(base)) & (page - 1)
	all = all[skip : len(all)-page+skip]
	return &mapping{base: unsafe.Pointer(&all[0]), lo: page, hi: len(all) - page, mem: all}
}
