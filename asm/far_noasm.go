//go:build (!amd64 && !arm64) || purego

package asm

import "github.com/zoctree/zoctree/soa"

func frustumNodesFar(w *VolumeWalk, nodes []soa.Node, p *Planes, filter *NodeFilter, budget int) {
	farNodesGo(w, nodes, p.rows(), filter, budget)
}

func frustumPacketsFar(out []Range, packets []soa.Packet, slots []uint32, p *Planes) int {
	return farPacketsGo(out, packets, slots, p.rows())
}

func frustumSweepFar(out []Range, packets []soa.Packet, first int, p *Planes) int {
	return farSweepGo(out, packets, first, p.rows())
}

func convexNodesFar(w *VolumeWalk, nodes []soa.Node, p *Convex, filter *NodeFilter, budget int) {
	farNodesGo(w, nodes, p.rows(), filter, budget)
}

func convexPacketsFar(out []Range, packets []soa.Packet, slots []uint32, p *Convex) int {
	return farPacketsGo(out, packets, slots, p.rows())
}

func convexSweepFar(out []Range, packets []soa.Packet, first int, p *Convex) int {
	return farSweepGo(out, packets, first, p.rows())
}
