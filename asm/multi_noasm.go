//go:build (!amd64 && !arm64) || purego

package asm

import "github.com/zoctree/zoctree/soa"

func multiNodes(w *FrustaWalk, nodes []soa.Node, filter *NodeFilter, budget int) {
	multiNodesGo(w, nodes, filter, budget)
}

func multiPackets(e *seeing) { multiPacketsGo(e) }
