//go:build arm64 && !purego

package cull

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

func multiNodes(w *FrustaWalk, nodes []soa.Node, filter *asm.NodeFilter, budget int) {
	switch _ = nodes[0]; {
	case cpu.Active == cpu.NEON && w.Planes[0].Two:
		multiNodesFarNEON(w, &nodes[0], filter, budget)
	case cpu.Active == cpu.NEON:
		multiNodesNEON(w, &nodes[0], filter, budget)
	default:
		multiNodesGo(w, nodes, filter, budget)
	}
}

//go:noinline
func multiPackets(e *seeing) {
	switch {
	case cpu.Active == cpu.NEON && e.planes.Two:
		multiPacketsFarNEON(e)
	case cpu.Active == cpu.NEON:
		multiPacketsNEON(e)
	default:
		multiPacketsGo(e)
	}
}

//go:noescape
func multiNodesNEON(w *FrustaWalk, nodes *soa.Node, filter *asm.NodeFilter, budget int)

//go:noescape
func multiNodesFarNEON(w *FrustaWalk, nodes *soa.Node, filter *asm.NodeFilter, budget int)

//go:noescape
func multiPacketsNEON(e *seeing)

//go:noescape
func multiPacketsFarNEON(e *seeing)
