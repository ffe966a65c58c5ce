//go:build arm64 && !purego

package cull

import "github.com/zoctree/zoctree/internal/cpu"

//go:noinline
func selectLanes(e *selectArgs) {
	if cpu.Active == cpu.NEON {
		selectNEON(e)
		return
	}
	selectLanesGo(e)
}

//go:noescape
func selectNEON(e *selectArgs)
