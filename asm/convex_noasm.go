//go:build (!amd64 && !arm64) || purego

package asm

import "github.com/zoctree/zoctree/soa"

func convexNodes(w *VolumeWalk, nodes []soa.Node, p *Convex, filter *NodeFilter, budget int) {
	convexNodesGo(w, nodes, p, filter, budget)
}

func convexPackets(out []Range, packets []soa.Packet, slots []uint32, p *Convex) int {
	return convexPacketsGo(out, packets, slots, p)
}

func convexSweep(out []Range, packets []soa.Packet, first int, p *Convex) int {
	return convexSweepGo(out, packets, first, p)
}
