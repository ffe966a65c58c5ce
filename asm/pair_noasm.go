//go:build !amd64 || purego

package asm

func pairNodes(w *PairWalk, budget int) { pairNodesGo(w, budget) }

func pairPackets(w *PairWalk, n, budget int) { pairPacketsGo(w, n, budget) }

func pairObjects(w *PairWalk, n, budget int) { pairObjectsGo(w, n, budget) }
