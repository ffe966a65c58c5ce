//go:build (!amd64 && !arm64) || purego

package asm

import "github.com/zoctree/zoctree/soa"

func boxNodes(w *VolumeWalk, nodes []soa.Node, p *Box, filter *NodeFilter, budget int) {
	boxNodesGo(w, nodes, p, filter, budget)
}

func boxPackets(out []Range, packets []soa.Packet, slots []uint32, p *Box) int {
	return boxPacketsGo(out, packets, slots, p)
}

func boxSweep(out []Range, packets []soa.Packet, first int, p *Box) int {
	return boxSweepGo(out, packets, first, p)
}
