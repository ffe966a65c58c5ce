package query

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

// shape says which kernels a volume uses.
type shape uint8

const (
	shapeFrustum shape = iota
	shapeBox
	shapeSphere
	shapeConvex
)

// volume is a volume prepared for one tree: the field that its shape names, the
// others being left over from former queries. A plain switch on the shape keeps
// the arguments of kernels on the stack.
type volume struct {
	shape  shape
	box    asm.Box
	sphere asm.Sphere
	planes asm.Planes
	convex asm.Convex
}

// nodes tests the children of some queued nodes.
func (q *volume) nodes(w *asm.VolumeWalk, nodes []soa.Node, filter *asm.NodeFilter) {
	switch q.shape {
	case shapeFrustum:
		asm.FrustumNodes(w, nodes, &q.planes, filter)
	case shapeBox:
		asm.BoxNodes(w, nodes, &q.box, filter)
	case shapeSphere:
		asm.SphereNodes(w, nodes, &q.sphere, filter)
	default:
		asm.ConvexNodes(w, nodes, &q.convex, filter)
	}
}

// packets appends the hits among the listed slots.
func (q *volume) packets(out []asm.Range, packets []soa.Packet, slots []uint32) []asm.Range {
	switch q.shape {
	case shapeFrustum:
		return asm.FrustumPackets(out, packets, slots, &q.planes)
	case shapeBox:
		return asm.BoxPackets(out, packets, slots, &q.box)
	case shapeSphere:
		return asm.SpherePackets(out, packets, slots, &q.sphere)
	default:
		return asm.ConvexPackets(out, packets, slots, &q.convex)
	}
}

// sweep appends the hits among the n slots from first.
func (q *volume) sweep(out []asm.Range, packets []soa.Packet, first, n int) []asm.Range {
	switch q.shape {
	case shapeFrustum:
		return asm.FrustumSweep(out, packets, first, n, &q.planes)
	case shapeBox:
		return asm.BoxSweep(out, packets, first, n, &q.box)
	case shapeSphere:
		return asm.SphereSweep(out, packets, first, n, &q.sphere)
	default:
		return asm.ConvexSweep(out, packets, first, n, &q.convex)
	}
}
