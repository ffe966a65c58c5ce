package octree

import (
	"unsafe"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// The end of a build, after packets are filled and the lanes of their nodes hold their boxes: the
// columns of these nodes, which workers share, and the boxes of the nodes above. Then the spheres and
// oriented boxes of the objects, and their locations.

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

// bringBounds copies the spheres and oriented boxes of the objects to their new packets. The
// locations of the objects are still those in the source.
func (j *job) bringBounds() {
	p := &j.into.Packets
	if j.from == nil {
		p.UseBoundsOf(new(soa.PacketColumns))
	} else {
		p.UseBoundsOf(j.from)
	}
	if j.spheres != nil {
		p.UseSpheres()
	}
	if p.Bounded() {
		j.inParts(0, len(p.Counts), FillMin, (*job).boundRange)
	}
}

// boundsAhead is the number of packets by which bounds are prefetched.
const boundsAhead = 2

// boundRange copies the bounds of the objects in slots lo to hi-1.
func (j *job) boundRange(lo, hi int) {
	p, from := &j.into.Packets, j.from
	if j.spheres != nil { // the IDs of objects are their indices
		for slot := lo; slot < hi; slot++ {
			if next := slot + boundsAhead; next < hi {
				mem.Prefetch(j.spheres, p.IDs[next][:p.Counts[next]], 0)
			}
			to := &p.Spheres[slot]
			for l, id := range p.IDs[slot][:p.Counts[slot]] {
				s := &j.spheres[id]
				to[0][l], to[1][l], to[2][l], to[3][l] = s[0], s[1], s[2], s[3]
			}
		}
		return
	}
	turned := eachOriented(from)
	var room [soa.Lanes]soa.Location
	for slot := lo; slot < hi; slot++ {
		if next := slot + boundsAhead; next < hi {
			at := j.placesIn(&room, next)
			mem.Prefetch(from.Spheres, at, 4)
			mem.Prefetch(turned, at, 0)
		}
		at := j.placesIn(&room, slot)
		if len(from.Spheres) > 0 {
			to := &p.Spheres[slot]
			for l, w := range at {
				s, k := &from.Spheres[w.Slot()], w.Lane()
				to[0][l], to[1][l], to[2][l], to[3][l] = s[0][k], s[1][k], s[2][k], s[3][k]
			}
		}
		if len(from.OrientedBoxes) > 0 {
			for l, w := range at {
				p.OrientedBoxes[slot][l] = turned[w]
			}
		}
	}
}

// eachOriented returns the oriented boxes of packets, by location.
func eachOriented(p *soa.PacketColumns) []soa.OrientedBox {
	return unsafe.Slice((*soa.OrientedBox)(unsafe.Pointer(unsafe.SliceData(p.OrientedBoxes))), soa.Lanes*len(p.OrientedBoxes))
}

// placesIn returns the locations in the source of the objects of a slot.
func (j *job) placesIn(room *[soa.Lanes]soa.Location, slot int) []soa.Location {
	ids := j.into.Packets.IDs[slot][:j.into.Packets.Counts[slot]]
	for l, id := range ids {
		room[l] = j.t.IDs.Where[id]
	}
	return room[:len(ids)]
}

// place records the new location of every object.
func (j *job) place() {
	j.bringBounds()
	j.inParts(0, len(j.into.Packets.Counts), FillMin, (*job).placeRange)
}

// placeRange records the locations of the objects in slots lo to hi-1.
func (j *job) placeRange(lo, hi int) {
	where := j.t.IDs.Where
	p := &j.into.Packets
	for slot := lo; slot < hi; slot++ {
		n, ids := p.Counts[slot], &p.IDs[slot]
		if j.ids != nil {
			for l, i := range ids[:n] {
				ids[l] = j.ids[i]
			}
		}
		for l := range int(n) & 31 {
			where[ids[l&(soa.Lanes-1)]] = soa.MakeLocation(uint32(slot), l)
		}
	}
}
