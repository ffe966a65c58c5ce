//go:build (!amd64 && !arm64) || purego

package asm

func convexNodes(w *Walk, nodes []Node, p *Convex, sift *Sift, budget int) {
	convexNodesGo(w, nodes, p, sift, budget)
}

func convexPackets(out []Range, packets []Packet, slots []uint32, p *Convex) int {
	return convexPacketsGo(out, packets, slots, p)
}

func convexSweep(out []Range, packets []Packet, first int, p *Convex) int {
	return convexSweepGo(out, packets, first, p)
}
