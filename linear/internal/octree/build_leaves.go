package octree

import (
	"unsafe"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// The end of a build, after packets are filled and the lanes of their nodes hold their boxes: the
// columns of these nodes, which workers share, and the boxes of the nodes above.

// close writes the remaining columns.
func (j *job) close() {
	topo, nodes := &j.t.Buffers().topo, &j.into.Nodes
	j.t.Buffers().list = mem.Fresh(j.t.Buffers().list, topo.n)
	j.inParts(0, topo.n, LeafMin, (*job).closeLeaves)
	// Nodes are in depth-first order, parents first, so boxes are reduced in descending order.
	above := j.t.Buffers().list[:0]
	for i := topo.n - 1; i > 0; i-- {
		if nodes.Height[i] > 0 {
			above = append(above, uint32(i))
		}
	}
	build.ReduceNodes(nodes.Hot, nodes.Parents, above)
}

// closeLeaves completes nodes lo to hi-1 of height 0, and writes their boxes into their parents.
// Each node has its own lane there, so workers do not conflict.
func (j *job) closeLeaves(lo, hi int) {
	nodes, placements := &j.into.Nodes, j.into.Packets.PlacementBoxes
	leaves := j.t.Buffers().list[lo:lo:hi]
	for i := lo; i < hi; i++ {
		nodes.Area[i] = 0
		if nodes.Height[i] != 0 {
			continue
		}
		node, lanes, slots := &nodes.Hot[i], int(nodes.Used[i]), nodes.Slots[i]
		nodes.Area[i] = packetArea(node, lanes)
		j.t.placementBoxes(placements[slots.First:slots.End], node, lanes)
		if i > 0 {
			leaves = append(leaves, uint32(i))
		}
	}
	build.ReduceNodes(nodes.Hot, nodes.Parents, leaves)
}

// placementBoxes writes the placement boxes of the first lanes of a node, equal to those of placementBox, and
// empty boxes after them.
func (t *Tree) placementBoxes(placements []soa.AABB, node *soa.Node, lanes int) {
	share := t.slack()
	b := &node.Bounds
	for l := range placements {
		placement := &placements[l]
		if l >= lanes || l >= soa.Fan {
			*placement = soa.Empty()
			continue
		}
		placeAround(placement, share, b, l)
	}
}

// records returns objects as the eight-word records of the fill kernel, without a copy.
func records(objects []soa.Object) [][8]float32 {
	return unsafe.Slice((*[8]float32)(unsafe.Pointer(unsafe.SliceData(objects))), len(objects))
}
