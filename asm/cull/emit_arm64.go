//go:build arm64 && !purego

package cull

import "github.com/zoctree/zoctree/internal/cpu"

//go:noinline
func emit(e *emitArgs) {
	if cpu.Active == cpu.NEON {
		emitNEON(e)
		return
	}
	emitGo(e)
}

//go:noescape
func emitNEON(e *emitArgs)
