package mem

import "syscall"

const (
	hugePage = 2 << 20
	advice   = 14 // MADV_HUGEPAGE
)

// adviseHuge requests huge pages for the n bytes from p (madvise). They then cost one page fault
// for 2 MiB instead of 512, and random access has fewer TLB misses. The huge pages at both ends
// also hold neighbouring heap memory, often the next column. The call is advice: a failure is
// harmless.
func adviseHuge(p, n uintptr) {
	lo := p &^ (hugePage - 1)
	hi := (p + n + hugePage - 1) &^ (hugePage - 1)
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, lo, hi-lo, advice)
}
