//go:build arm64 && !purego

package cull

import (
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

//go:noinline
func multiBoxNodes(w *BoxesWalk, nodes []soa.Node, most int) {
	switch _ = nodes[0]; cpu.Active {
	case cpu.NEON:
		multiBoxNodesNEON(w, &nodes[0], most)
	default:
		multiBoxNodesGo(w, nodes, most)
	}
}

//go:noinline
func multiBoxPackets(e *seeking) {
	switch cpu.Active {
	case cpu.NEON:
		multiBoxPacketsNEON(e)
	default:
		multiBoxPacketsGo(e)
	}
}

//go:noescape
func multiBoxNodesNEON(w *BoxesWalk, nodes *soa.Node, most int)

//go:noescape
func multiBoxPacketsNEON(e *seeking)
