//go:build amd64 && !purego

package cull

import "github.com/zoctree/zoctree/internal/cpu"

//go:noinline
func emit(e *emitArgs) {
	switch cpu.Active {
	case cpu.AVX512:
		emitAVX512(e)
	case cpu.AVX2:
		emitAVX2(e)
	default:
		emitGo(e)
	}
}

//go:noescape
func emitAVX512(e *emitArgs)

//go:noescape
func emitAVX2(e *emitArgs)
