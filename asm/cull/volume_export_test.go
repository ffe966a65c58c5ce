package cull

import (
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

// Bounds of one call of a kernel, and the room around lists.
const (
	NodesPerCall   = nodesPerCall
	NodesRoom      = nodesRoom
	PacketsPerCall = packetsPerCall
	EmitBudget     = emitBudget
)

// One call of the kernel of the active tier, on outputs of exactly the size
// that it may write.
var (
	VolumeNodesCall   = volumeNodes
	VolumePacketsCall = volumePackets
	VolumeScanCall    = volumeScan
	VolumeIDsCall     = volumeIDs // 0, 0 where the tier has none
)

// Hull is the box around the boxes of a packet, minx maxx miny maxy minz maxz.
var Hull = hull

// CountSlots is the sum of lane counts.
var CountSlots = countSlots

// EmitCall is one call of the emit kernel into a dst that has room for len(dst)
// IDs. It returns the ranges finished and the IDs written.
func EmitCall(dst []uint32, ids [][soa.Lanes]uint32, counts []uint8, ranges []asm.Range, budget int) (done, wrote int) {
	e := emitArgs{
		dst: unsafe.SliceData(dst), room: len(dst),
		ids: unsafe.SliceData(ids), counts: unsafe.SliceData(counts),
		ranges: unsafe.SliceData(ranges), n: len(ranges), budget: budget,
	}
	emit(&e)
	return e.done, e.wrote
}
