package mem

import (
	"syscall"
	"unsafe"
)

const (
	hugePage = 2 << 20
	advice   = 14 // MADV_HUGEPAGE
)

// adviseHuge asks the kernel for huge pages where whole ones fit into b: a
// large column then costs one page fault for 2 MiB instead of 512, and random
// access misses the TLB less. It is advice: failing is harmless.
func adviseHuge(b []byte) {
	if len(b) < 2*hugePage {
		return
	}
	p := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	skip := int(-p & (hugePage - 1))
	n := (len(b) - skip) &^ (hugePage - 1)
	_ = syscall.Madvise(b[skip:skip+n], advice)
}
