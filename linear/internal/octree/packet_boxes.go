package octree

import (
	"math"
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// bulkMove is a batch that moves most or all objects.
type bulkMove struct {
	ids   []uint32  // of the moves; nil: those of the calls, or all in memory order
	calls *Deferred // deferred moves
	index []uint32  // 1 + index in the batch by ID; nil: all move, each to the entry at its ID, or in memory order
	to    Bodies
	out   bool // some centres may be outside the world, and must be counted
	jump  bool // many become displaced: the tree is rebuilt
}

// rowsStride is the number of slots whose rows of an index are made at a time.
const rowsStride = 8 * build.WritePackets

// writeBoxes overwrites boxes, packet by packet in memory order, and the spheres and oriented boxes of their
// objects; objects without new ones lose them. Afterwards the lanes above are exact; the caller updates the nodes
// above and the log. It returns a bit for each slot whose tight box is not inside the placement box.
func (t *Tree) writeBoxes(h *bulkMove) (away []uint64) {
	p, nodes := &t.Store.Packets, t.Store.Nodes.Hot
	words := soa.BoxWords(h.to.Boxes)
	nBoxes, nSpheres := len(h.to.Boxes), len(h.to.Spheres)
	ordered := h.ids == nil && h.calls == nil
	away = t.Buffers().away[:0]
	var rows [][soa.Lanes]uint32
	for first := 0; first < len(p.Counts); first += build.WritePackets {
		n := min(build.WritePackets, len(p.Counts)-first)
		index := p.IDs[first:]
		switch {
		case ordered:
			index = nil
		case h.index != nil:
			if first%rowsStride == 0 {
				rows = t.indexRows(h.index, first)
			}
			index = rows[first%rowsStride:]
		}
		if nSpheres > 0 {
			build.WriteBalls(p.Bounds[first:first+n], p.Spheres[first:], p.Counts[first:], t.indexFrom(nBoxes, index, n), h.to.Spheres)
		}
		if len(h.to.Oriented) > 0 {
			t.writeOriented(first, t.indexFrom(nBoxes+nSpheres, index, n), h.to.Oriented)
		}
		written, left := build.WriteBoxes(p, nodes, first, n, index, words)
		switch {
		case h.to.bounded():
			for i := range n {
				if slices.ContainsFunc(index[i][:p.Counts[first+i]], inBatch) {
					written |= 1 << i
				}
			}
		case ordered:
			for _, k := range p.Counts[first : first+n] {
				words = words[6*int(k):]
			}
		}
		away = append(away, left)
		t.written(first, written)
		if p.Bounded() {
			t.dropBounds(first, written, index, &h.to)
		}
	}
	t.Buffers().away = away
	return away
}

func inBatch(index uint32) bool { return index != soa.None }

// indexRows returns rows of an index by ID, less 1, for slots from first on. The rows are valid until the next call.
func (t *Tree) indexRows(index []uint32, first int) [][soa.Lanes]uint32 {
	p, sc := &t.Store.Packets, t.Buffers()
	n := min(rowsStride, len(p.Counts)-first)
	sc.indexRows = mem.Fresh(sc.indexRows, rowsStride)
	for i := range n {
		row := &sc.indexRows[i]
		for l, id := range p.IDs[first+i][:p.Counts[first+i]] {
			row[l] = index[id] - 1
		}
	}
	return sc.indexRows[:n]
}

// written records that boxes have been written in slots from first on, a bit for each.
func (t *Tree) written(first int, slots uint64) {
	last := soa.None
	for ; slots != 0; slots &= slots - 1 {
		slot := uint32(first + bits.TrailingZeros64(slots))
		t.touchBoxes(slot)
		up := t.Store.Packets.Parents[slot]
		if up == soa.NoParent {
			continue // pending
		}
		if !t.Dirty.Has(slot) {
			t.Work.RefitPackets++ // else the refit will count it
		}
		if node := up.Node(); node != last {
			t.refitLater(node)
			last = node
		}
	}
}

// indexFrom returns n rows of an index less a number. Entries below the number, and soa.None, are then
// beyond the bodies of any batch. The rows are valid until the next call.
func (t *Tree) indexFrom(less int, index [][soa.Lanes]uint32, n int) [][soa.Lanes]uint32 {
	if less == 0 {
		return index[:n]
	}
	rows := mem.Fresh(t.Buffers().rows, build.WritePackets)
	t.Buffers().rows = rows
	for i := range index[:n] {
		for l, k := range index[i] {
			rows[i][l] = k - uint32(less)
		}
	}
	return rows[:n]
}

// writeOriented is build.WriteBalls for oriented boxes.
func (t *Tree) writeOriented(first int, index [][soa.Lanes]uint32, boxes []soa.OrientedBox) {
	p := &t.Store.Packets
	for i := range index {
		slot := uint32(first + i)
		for l, k := range index[i][:p.Counts[slot]] {
			if uint64(k) < uint64(len(boxes)) {
				box := boxes[k].Box()
				p.SetBox(slot, l, &box)
				p.SetOriented(slot, l, &boxes[k])
			}
		}
	}
}

// dropBounds removes the old spheres and oriented boxes of written objects in slots from first on, except the kind
// that each of them gets. Without an index all objects of the slots get boxes.
func (t *Tree) dropBounds(first int, slots uint64, index [][soa.Lanes]uint32, to *Bodies) {
	p := &t.Store.Packets
	nBoxes, nSpheres, nOriented := uint32(len(to.Boxes)), uint32(len(to.Spheres)), uint32(len(to.Oriented))
	if (len(p.Spheres) == 0 || int(nSpheres) == to.Len()) && (len(p.OrientedBoxes) == 0 || int(nOriented) == to.Len()) {
		return
	}
	var first0 [soa.Lanes]uint32 // boxes alone
	for ; slots != 0; slots &= slots - 1 {
		i := bits.TrailingZeros64(slots)
		slot, row := uint32(first+i), &first0
		if index != nil {
			row = &index[i]
		}
		if len(p.Spheres) > 0 {
			for stale := staleSpheres(&p.Spheres[slot][3], row[:p.Counts[slot]], nBoxes, nSpheres); stale != 0; stale &= stale - 1 {
				p.DropSphere(slot, bits.TrailingZeros16(stale))
			}
		}
		if len(p.OrientedBoxes) > 0 {
			for l, k := range row[:p.Counts[slot]] {
				if inBatch(k) && k-nBoxes-nSpheres >= nOriented {
					p.DropOriented(slot, l)
				}
			}
		}
	}
}

// staleSpheres returns the lanes of a packet that have spheres, given their radii, and are in a batch, given their
// indices, but not with one of n spheres from an index on. Kinds change from lane to lane, so branches would be
// mispredicted.
func staleSpheres(radii *[soa.Lanes]float32, index []uint32, from, n uint32) (lanes uint16) {
	none := math.Float32bits(NoSphere[3])
	for l, k := range index {
		has := uint64(math.Float32bits(radii[l]) ^ none)
		moves := uint64(k ^ soa.None)
		stays := uint64(k-from) - uint64(n) // negative if it gets one
		lanes |= uint16((-has&-moves&^stays)>>63) << l
	}
	return lanes
}
