//go:build (!amd64 && !arm64) || purego

package asm

import "github.com/zoctree/zoctree/soa"

func volumeNodes(w *VolumeWalk, nodes []soa.Node, v *Volume, filter *NodeFilter, budget int) {
	volumeNodesGo(w, nodes, v, filter, budget)
}

func volumePackets(out []Range, packets []soa.Packet, slots []uint32, v *Volume) int {
	return volumePacketsGo(out, packets, slots, v)
}

func volumeIDs([]uint32, []soa.Packet, [][soa.Lanes]uint32, []uint32, *Volume) (done, wrote int) {
	return 0, 0
}

func volumeWhole(*VolumeWalk, *soa.Store, *Volume, *NodeFilter, int, *uint32, *uint32, int, int) (done, wrote int) {
	return -1, 0
}

func volumeScan(out []Range, packets []soa.Packet, first int, v *Volume) int {
	return volumeScanGo(out, packets, first, v)
}
