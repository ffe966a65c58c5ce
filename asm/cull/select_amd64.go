//go:build amd64 && !purego

package cull

import "github.com/zoctree/zoctree/internal/cpu"

//go:noinline
func selectLanes(e *selectArgs) {
	switch cpu.Active {
	case cpu.AVX512:
		selectAVX512(e)
	case cpu.AVX2:
		selectAVX2(e)
	default:
		selectLanesGo(e)
	}
}

//go:noescape
func selectAVX512(e *selectArgs)

//go:noescape
func selectAVX2(e *selectArgs)
