//go:build (!amd64 && !arm64) || purego

package asm

func sphereNodes(w *Walk, nodes []Node, p *Sphere, sift *Sift, budget int) {
	sphereNodesGo(w, nodes, p, sift, budget)
}

func spherePackets(out []Range, packets []Packet, slots []uint32, p *Sphere) int {
	return spherePacketsGo(out, packets, slots, p)
}

func sphereSweep(out []Range, packets []Packet, first int, p *Sphere) int {
	return sphereSweepGo(out, packets, first, p)
}
