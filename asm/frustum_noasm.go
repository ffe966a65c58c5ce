//go:build (!amd64 && !arm64) || purego

package asm

import "github.com/zoctree/zoctree/soa"

func frustumNodes(w *VolumeWalk, nodes []soa.Node, p *Planes, filter *NodeFilter, budget int) {
	frustumNodesGo(w, nodes, p, filter, budget)
}

func frustumPackets(out []Range, packets []soa.Packet, slots []uint32, p *Planes) int {
	return frustumPacketsGo(out, packets, slots, p)
}

func frustumSweep(out []Range, packets []soa.Packet, first int, p *Planes) int {
	return frustumSweepGo(out, packets, first, p)
}
