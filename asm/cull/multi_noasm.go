//go:build (!amd64 && !arm64) || purego

package cull

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

func multiNodes(w *FrustaWalk, nodes []soa.Node, filter *asm.NodeFilter, budget int) {
	multiNodesGo(w, nodes, filter, budget)
}

func multiPackets(e *seeing) { multiPacketsGo(e) }
