package asm

import (
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// What one call of a kernel takes at most, and the room around lists.
const (
	NodesPerCall   = nodesPerCall
	NodesRoom      = nodesRoom
	PacketsPerCall = packetsPerCall
	FillPerCall    = fillPerCall
	ReducePerCall  = reducePerCall
	EmitBudget     = emitBudget
	RangeSlack     = rangeSlack
	MultiPerCall   = multiPerCall
)

// One call of the kernel of the active tier, on outputs of exactly the size
// that it may write.
var (
	BoxNodesCall      = boxNodes
	BoxPacketsCall    = boxPackets
	BoxSweepCall      = boxSweep
	SphereNodesCall   = sphereNodes
	SpherePacketsCall = spherePackets
	SphereSweepCall   = sphereSweep
	ReduceNodesCall   = reduceNodes
)

// The same for planes, whose kernel is that of their bounds.

func FrustumNodesCall(w *VolumeWalk, nodes []soa.Node, p *Planes, filter *NodeFilter, budget int) {
	if p.Two {
		frustumNodesFar(w, nodes, p, filter, budget)
	} else {
		frustumNodes(w, nodes, p, filter, budget)
	}
}

func FrustumPacketsCall(out []Range, packets []soa.Packet, slots []uint32, p *Planes) int {
	if p.Two {
		return frustumPacketsFar(out, packets, slots, p)
	}
	return frustumPackets(out, packets, slots, p)
}

func FrustumSweepCall(out []Range, packets []soa.Packet, first int, p *Planes) int {
	if p.Two {
		return frustumSweepFar(out, packets, first, p)
	}
	return frustumSweep(out, packets, first, p)
}

func ConvexNodesCall(w *VolumeWalk, nodes []soa.Node, p *Convex, filter *NodeFilter, budget int) {
	if p.Two {
		convexNodesFar(w, nodes, p, filter, budget)
	} else {
		convexNodes(w, nodes, p, filter, budget)
	}
}

func ConvexPacketsCall(out []Range, packets []soa.Packet, slots []uint32, p *Convex) int {
	if p.Two {
		return convexPacketsFar(out, packets, slots, p)
	}
	return convexPackets(out, packets, slots, p)
}

func ConvexSweepCall(out []Range, packets []soa.Packet, first int, p *Convex) int {
	if p.Two {
		return convexSweepFar(out, packets, first, p)
	}
	return convexSweep(out, packets, first, p)
}

// CountSlots is the sum of lane counts.
var CountSlots = countSlots

// EmitCall is one call of the emit kernel into a dst that has room for len(dst)
// IDs. It returns the ranges finished and the IDs written.
func EmitCall(dst []uint32, ids [][soa.Lanes]uint32, counts []uint8, ranges []Range, budget int) (done, wrote int) {
	e := emitArgs{
		dst: unsafe.SliceData(dst), room: len(dst),
		ids: unsafe.SliceData(ids), counts: unsafe.SliceData(counts),
		ranges: unsafe.SliceData(ranges), n: len(ranges), budget: budget,
	}
	emit(&e)
	return e.done, e.wrote
}
