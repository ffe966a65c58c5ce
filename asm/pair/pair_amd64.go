//go:build amd64 && !purego

package pair

import "github.com/zoctree/zoctree/internal/cpu"

//go:noinline
func pairNodes(w *PairWalk, budget int) {
	switch cpu.Active {
	case cpu.AVX512:
		pairNodesAVX512(w, budget)
	case cpu.AVX2:
		pairNodesAVX2(w, budget)
	default:
		pairNodesGo(w, budget)
	}
}

//go:noinline
func pairPackets(w *PairWalk, n int) {
	switch cpu.Active {
	case cpu.AVX512:
		pairPacketsAVX512(w, n)
	case cpu.AVX2:
		pairPacketsAVX2(w, n)
	default:
		pairPacketsGo(w, n)
	}
}

//go:noinline
func pairObjects(w *PairWalk, n int) {
	switch cpu.Active {
	case cpu.AVX512:
		pairObjectsAVX512(w, n)
	case cpu.AVX2:
		pairObjectsAVX2(w, n)
	default:
		pairObjectsGo(w, n)
	}
}

//go:noinline
func pairEmit(e *pairEmitArgs) {
	switch cpu.Active {
	case cpu.AVX512:
		pairEmitAVX512(e)
	case cpu.AVX2:
		pairEmitAVX2(e)
	default:
		pairEmitGo(e)
	}
}

//go:noescape
func pairNodesAVX512(w *PairWalk, budget int)

//go:noescape
func pairNodesAVX2(w *PairWalk, budget int)

//go:noescape
func pairPacketsAVX512(w *PairWalk, n int)

//go:noescape
func pairPacketsAVX2(w *PairWalk, n int)

//go:noescape
func pairObjectsAVX512(w *PairWalk, n int)

//go:noescape
func pairObjectsAVX2(w *PairWalk, n int)

//go:noescape
func pairEmitAVX512(e *pairEmitArgs)

//go:noescape
func pairEmitAVX2(e *pairEmitArgs)
