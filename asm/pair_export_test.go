package asm

// The pair kernels for a test that bounds the calls itself.
func PairNodesCall(w *PairWalk, budget int)      { pairNodes(w, budget) }
func PairPacketsCall(w *PairWalk, n, budget int) { pairPackets(w, n, budget) }
func PairObjectsCall(w *PairWalk, n, budget int) { pairObjects(w, n, budget) }
