//go:build (!amd64 && !arm64) || purego

package cull

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

func volumeNodes(w *asm.VolumeWalk, nodes []soa.Node, v *Volume, filter *asm.NodeFilter, budget int) {
	volumeNodesGo(w, nodes, v, filter, budget)
}

func volumePackets(out []asm.Range, packets []soa.Packet, slots []uint32, v *Volume) int {
	return volumePacketsGo(out, packets, slots, v)
}

func volumeIDs([]uint32, []soa.Packet, [][soa.Lanes]uint32, []uint32, *Volume) (done, wrote int) {
	return 0, 0
}

func volumeWhole(*asm.VolumeWalk, *soa.Store, *Volume, *asm.NodeFilter, int, *uint32, *uint32, int, int) (done, wrote int) {
	return -1, 0
}

func volumeScan(out []asm.Range, packets []soa.Packet, first int, v *Volume) int {
	return volumeScanGo(out, packets, first, v)
}
