//go:build (!amd64 && !arm64) || purego

package asm

//go:noinline
func rayNext(w *RayWalk, nodes []Node, packets []Packet, budget int) {
	rayNextGo(w, nodes, packets, budget)
}

//go:noinline
func rayNodes(w *RayWalk, nodes []Node, budget int) { rayNodesGo(w, nodes, budget) }

//go:noinline
func rayPackets(w *RayWalk, packets []Packet, ids [][Lanes]uint32, slots []uint32) {
	rayPacketsGo(w, packets, slots)
}
