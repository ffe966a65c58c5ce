//go:build !amd64 || purego

package asm

import "github.com/zoctree/zoctree/soa"

func multiNodes(w *Multi, nodes []soa.Node, sift *Sift, budget int) {
	multiNodesGo(w, nodes, sift, budget)
}

func multiPackets(e *seeing) { multiPacketsGo(e) }
