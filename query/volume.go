package query

import "github.com/zoctree/zoctree/asm"

// shape says which kernels a volume uses.
type shape uint8

const (
	shapeFrustum shape = iota
)

// volume is a volume prepared for one tree. A plain switch on the shape keeps
// the arguments of kernels on the stack.
type volume struct {
	shape  shape
	planes asm.Planes
}

// nodes tests the children of some queued nodes.
func (q *volume) nodes(w *asm.Walk, nodes []asm.Node, sift *asm.Sift) {
	asm.FrustumNodes(w, nodes, &q.planes, sift)
}

// packets appends the hits among the listed slots.
func (q *volume) packets(out []asm.Range, packets []asm.Packet, slots []uint32) []asm.Range {
	return asm.FrustumPackets(out, packets, slots, &q.planes)
}

// sweep appends the hits among all slots.
func (q *volume) sweep(out []asm.Range, packets []asm.Packet) []asm.Range {
	return asm.FrustumSweep(out, packets, 0, len(packets), &q.planes)
}
