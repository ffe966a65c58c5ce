//go:build arm64 && !purego

package mem

import (
	"unsafe"

	"github.com/zoctree/zoctree/internal/cpu"
)

//go:noinline
func prefetch(base unsafe.Pointer, index *uint32, n int, shift uint, row uintptr) {
	if cpu.Active == cpu.NEON {
		prefetchNEON((*byte)(base), index, n, shift, row)
	}
}

//go:noescape
func prefetchNEON(base *byte, index *uint32, n int, shift uint, row uintptr)
