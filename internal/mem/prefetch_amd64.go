//go:build amd64 && !purego

package mem

import (
	"unsafe"

	"github.com/zoctree/zoctree/internal/cpu"
)

//go:noinline
func prefetch(base unsafe.Pointer, index *uint32, n int, shift uint, row uintptr) {
	if cpu.Active != cpu.Go {
		prefetchSSE((*byte)(base), index, n, shift, row)
	}
}

//go:noescape
func prefetchSSE(base *byte, index *uint32, n int, shift uint, row uintptr)
