//go:build !amd64 || purego

package asm

func multiNodes(w *Multi, nodes []Node, sift *Sift, budget int) { multiNodesGo(w, nodes, sift, budget) }

func multiPackets(e *seeing) { multiPacketsGo(e) }
