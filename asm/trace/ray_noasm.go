//go:build (!amd64 && !arm64) || purego

package trace

import "github.com/zoctree/zoctree/soa"

//go:noinline
func rayNext(w *RayWalk, nodes []soa.Node, packets []soa.Packet, budget int) {
	rayNextGo(w, nodes, packets, budget)
}

func rayFirst(w *RayWalk, nodes []soa.Node, packets []soa.Packet, ids [][soa.Lanes]uint32, budget int) {
	rayFirstGo(w, nodes, packets, ids, budget)
}

//go:noinline
func rayNodes(w *RayWalk, nodes []soa.Node, budget int) { rayNodesGo(w, nodes, budget) }

//go:noinline
func rayPackets(w *RayWalk, packets []soa.Packet, ids [][soa.Lanes]uint32, slots []uint32) {
	rayPacketsGo(w, packets, slots)
}
