//go:build (!amd64 && !arm64) || purego

package pair

func pairNodes(w *PairWalk, budget int) { pairNodesGo(w, budget) }

func pairPackets(w *PairWalk, n int) { pairPacketsGo(w, n) }

func pairObjects(w *PairWalk, n int) { pairObjectsGo(w, n) }

func pairEmit(e *pairEmitArgs) { pairEmitGo(e) }
