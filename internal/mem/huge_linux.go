package mem

import "syscall"

const (
	hugePage = 2 << 20
	advice   = 14 // MADV_HUGEPAGE
)

// adviseHuge asks the kernel for huge pages where the n bytes from p lie: they then
// cost one page fault for 2 MiB instead of 512, and random access misses the TLB
// less. Huge pages at the ends are shared with what else the heap has there, which
// is often the next column. It is advice: failing is harmless.
func adviseHuge(p, n uintptr) {
	lo := p &^ (hugePage - 1)
	hi := (p + n + hugePage - 1) &^ (hugePage - 1)
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, lo, hi-lo, advice)
}
