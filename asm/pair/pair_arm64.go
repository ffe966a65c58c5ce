//go:build arm64 && !purego

package pair

import "github.com/zoctree/zoctree/internal/cpu"

//go:noinline
func pairNodes(w *PairWalk, budget int) {
	if cpu.Active == cpu.NEON {
		pairNodesNEON(w, budget)
		return
	}
	pairNodesGo(w, budget)
}

//go:noinline
func pairPackets(w *PairWalk, n int) {
	if cpu.Active == cpu.NEON {
		pairPacketsNEON(w, n)
		return
	}
	pairPacketsGo(w, n)
}

//go:noinline
func pairObjects(w *PairWalk, n int) {
	if cpu.Active == cpu.NEON {
		pairObjectsNEON(w, n)
		return
	}
	pairObjectsGo(w, n)
}

//go:noinline
func pairEmit(e *pairEmitArgs) {
	if cpu.Active == cpu.NEON {
		pairEmitNEON(e)
		return
	}
	pairEmitGo(e)
}

//go:noescape
func pairNodesNEON(w *PairWalk, budget int)

//go:noescape
func pairPacketsNEON(w *PairWalk, n int)

//go:noescape
func pairObjectsNEON(w *PairWalk, n int)

//go:noescape
func pairEmitNEON(e *pairEmitArgs)
