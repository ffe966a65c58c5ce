//go:build (!amd64 && !arm64) || purego

package asm

import "github.com/zoctree/zoctree/soa"

func sphereNodes(w *VolumeWalk, nodes []soa.Node, p *Sphere, filter *NodeFilter, budget int) {
	sphereNodesGo(w, nodes, p, filter, budget)
}

func spherePackets(out []Range, packets []soa.Packet, slots []uint32, p *Sphere) int {
	return spherePacketsGo(out, packets, slots, p)
}

func sphereSweep(out []Range, packets []soa.Packet, first int, p *Sphere) int {
	return sphereSweepGo(out, packets, first, p)
}
