//go:build amd64 && !purego

package cull

import (
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

//go:noinline
func multiBoxNodes(w *BoxesWalk, nodes []soa.Node, most int) {
	switch _ = nodes[0]; cpu.Active {
	case cpu.AVX512:
		multiBoxNodesAVX512(w, &nodes[0], most)
	case cpu.AVX2:
		multiBoxNodesAVX2(w, &nodes[0], most)
	default:
		multiBoxNodesGo(w, nodes, most)
	}
}

//go:noinline
func multiBoxPackets(e *seeking) {
	switch cpu.Active {
	case cpu.AVX512:
		multiBoxPacketsAVX512(e)
	case cpu.AVX2:
		multiBoxPacketsAVX2(e)
	default:
		multiBoxPacketsGo(e)
	}
}

//go:noescape
func multiBoxNodesAVX512(w *BoxesWalk, nodes *soa.Node, most int)

//go:noescape
func multiBoxNodesAVX2(w *BoxesWalk, nodes *soa.Node, most int)

//go:noescape
func multiBoxPacketsAVX512(e *seeking)

//go:noescape
func multiBoxPacketsAVX2(e *seeking)
