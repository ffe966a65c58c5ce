package asm

import "unsafe"

// What one call of a kernel takes at most, and the room around lists.
const (
	NodesPerCall   = nodesPerCall
	NodesRoom      = nodesRoom
	PacketsPerCall = packetsPerCall
	FillPerCall    = fillPerCall
	ReducePerCall  = reducePerCall
	EmitBudget     = emitBudget
	RangeSlack     = rangeSlack
)

// One call of the kernel of the active tier, on outputs of exactly the size
// that it may write.
var (
	FrustumNodesCall   = frustumNodes
	FrustumPacketsCall = frustumPackets
	FrustumSweepCall   = frustumSweep
	BoxNodesCall       = boxNodes
	BoxPacketsCall     = boxPackets
	BoxSweepCall       = boxSweep
	SphereNodesCall    = sphereNodes
	SpherePacketsCall  = spherePackets
	SphereSweepCall    = sphereSweep
	ConvexNodesCall    = convexNodes
	ConvexPacketsCall  = convexPackets
	ConvexSweepCall    = convexSweep
	ReduceNodesCall    = reduceNodes
)

// CountSlots is the sum of lane counts.
var CountSlots = countSlots

// EmitCall is one call of the emit kernel into a dst that has room for len(dst)
// IDs. It returns the ranges finished and the IDs written.
func EmitCall(dst []uint32, ids [][Lanes]uint32, counts []uint8, ranges []Range, budget int) (done, wrote int) {
	e := emission{
		dst: unsafe.SliceData(dst), room: len(dst),
		ids: unsafe.SliceData(ids), counts: unsafe.SliceData(counts),
		ranges: unsafe.SliceData(ranges), n: len(ranges), budget: budget,
	}
	emit(&e)
	return e.done, e.wrote
}
