package octree

import (
	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Only this file defines where an object may be stored, and which objects are displaced. A packet has a placement
// box: the tight box that it had when it was split, grown by the slack, and by objects inserted later. An object is
// in place while its box is inside: then a move computes no key. To insert an object, its key selects the cell, and
// in the cell the boxes select the packet: see placement_find.go.

// isPlaced reports whether an object with that box may be stored in a packet. Cells without far keys hold no far
// objects, and cells with far keys only hold objects that have such keys.
func (t *Tree) isPlaced(slot uint32, box *soa.AABB) bool {
	placement := &t.Store.Packets.PlacementBoxes[slot]
	if !holds(placement, box) {
		return false
	}
	if t.Code.Near(placement) {
		return true // and so are all boxes in it
	}
	switch cell := &t.Store.Nodes.Cells[t.cellAbove(slot)]; {
	case cell.High < outlierLow:
		return t.Code.Near(box)
	case cell.Low >= outlierLow:
		return !t.Code.Near(box) || t.Code.Key(box) >= outlierLow
	}
	return true
}

// holds is a.Contains(*b) without a copy.
func holds(a, b *soa.AABB) bool {
	return a.Min[0] <= b.Min[0] && b.Max[0] <= a.Max[0] &&
		a.Min[1] <= b.Min[1] && b.Max[1] <= a.Max[1] &&
		a.Min[2] <= b.Min[2] && b.Max[2] <= a.Max[2]
}

// placementBox returns the placement box of a packet that has been split, whose objects have the tight box. It is grown
// on each side by the slack, in per cent of the length on that axis or of the mean length. The larger of the two is
// used, so that flat packets have slack too.
func (t *Tree) placementBox(tight *soa.AABB) (box soa.AABB) {
	if t.Config.Slack <= 0 || *tight == soa.Empty() {
		return *tight
	}
	addSlack(&box, float32(t.Config.Slack)/100, tight.Min[0], tight.Min[1], tight.Min[2], tight.Max[0], tight.Max[1], tight.Max[2])
	return box
}

// slack returns the slack of placement boxes as a share, 0 if there is none.
func (t *Tree) slack() float32 { return float32(max(t.Config.Slack, 0)) / 100 }

// placeAround sets box to the placementBox of the tight box in a lane, which may be empty.
func placeAround(box *soa.AABB, share float32, b *soa.Packet, l int) {
	minX, minY, minZ := b[soa.MinX][l], b[soa.MinY][l], b[soa.MinZ][l]
	maxX, maxY, maxZ := b[soa.MaxX][l], b[soa.MaxY][l], b[soa.MaxZ][l]
	if share > 0 {
		addSlack(box, share, minX, minY, minZ, maxX, maxY, maxZ)
	} else {
		box.Min, box.Max = [3]float32{minX, minY, minZ}, [3]float32{maxX, maxY, maxZ}
	}
}

// addSlack sets box to a box grown on each side by a share of its length on that axis or of its mean length.
func addSlack(box *soa.AABB, share, minX, minY, minZ, maxX, maxY, maxZ float32) {
	x, y, z := maxX-minX, maxY-minY, maxZ-minZ
	mean := (x + y + z) / 3
	x, y, z = float32(share*max(x, mean)), float32(share*max(y, mean)), float32(share*max(z, mean))
	box.Min = [3]float32{minX - x, minY - y, minZ - z}
	box.Max = [3]float32{maxX + x, maxY + y, maxZ + z}
}

// widenPlacementBox grows a placement box to include that of a packet of one box alone. It reports whether it had to
// grow.
func (t *Tree) widenPlacementBox(placement, box *soa.AABB) (wider bool) {
	var side [3]float32
	if t.Config.Slack > 0 { // a share of 0 of an infinite length would be a NaN
		for a := range side {
			side[a] = box.Max[a] - box.Min[a]
		}
	}
	mean, share := (side[0]+side[1]+side[2])/3, float32(t.Config.Slack)/100
	for a, by := range side {
		if by < mean {
			by = mean
		}
		by = float32(share * by)
		if lo := box.Min[a] - by; lo < placement.Min[a] {
			placement.Min[a], wider = lo, true
		}
		if hi := box.Max[a] + by; hi > placement.Max[a] {
			placement.Max[a], wider = hi, true
		}
	}
	return wider
}

// growPlacementBox replaces the placement box of a packet by a larger one. In a near box all objects are in place
// whatever their keys. So when the box becomes far, some objects may be displaced although they have not moved.
func (t *Tree) growPlacementBox(slot uint32, placement soa.AABB) {
	t.setPlacementBox(slot, placement)
	if !t.BulkMotion && !t.Code.Near(&placement) {
		t.listDisplaced(slot)
	}
}

// cellAbove returns the cell of a packet.
func (t *Tree) cellAbove(slot uint32) (node uint32) {
	n := &t.Store.Nodes
	node = t.Store.Packets.Parents[slot].Node()
	for n.Cells[node] == soa.NoSpan {
		node = n.Parents[node].Node()
	}
	return node
}

// storesOutliers reports whether a packet stores far objects.
func (t *Tree) storesOutliers(slot uint32) bool {
	return t.Store.Nodes.Cells[t.cellAbove(slot)].Low >= outlierLow
}

// leaves reports whether an object of a packet becomes displaced by its next box; then the caller calls displace. A
// pending object is never displaced, and during bulk motion displaced objects are not listed.
func (t *Tree) leaves(slot uint32, box *soa.AABB) bool {
	return !t.BulkMotion && t.Store.Packets.Parents[slot] != soa.NoParent && !t.isPlaced(slot, box)
}

// strictPlacement reports whether an object inside the placement box may still be displaced: there are far objects, or
// cells of their keys.
func (t *Tree) strictPlacement() bool {
	s := t.Store
	return t.Code.Outlier || len(s.Nodes.Hot) > 0 && s.Nodes.Cells[LastCell(s, uint64(morton.MaxKey))].Low >= outlierLow
}

// strayMax is the number of objects that move far, and become pending, after which a flush places them: a query
// scans pending packets one by one, and a few cost it as much as the nodes that it visits.
const strayMax = 64

// strays lists the objects of a stride that move far.
type strays struct {
	ids    []uint32
	at     []soa.Location
	slots  bitset.Set // the slots that they leave
	shared []uint32   // slots that they leave, in which another object has moved
}

func (s *strays) bytes() int {
	return mem.Bytes(s.ids) + mem.Bytes(s.at) + mem.Bytes(s.slots.Words()) + mem.Bytes(s.shared)
}

// isStray reports whether an object of a packet moves so far that it becomes pending: its box is further from the
// placement box than the longest edge of that. In its packet it would enlarge all boxes above until the next flush.
// Under PolicyRebuild the flush would be a rebuild, however few they are.
func (t *Tree) isStray(slot uint32, box *soa.AABB) bool {
	p := &t.Store.Packets.PlacementBoxes[slot]
	reach := max(p.Max[0]-p.Min[0], p.Max[1]-p.Min[1], p.Max[2]-p.Min[2])
	far := false
	for a := range 3 {
		far = far || p.Min[a]-box.Min[a] > reach || box.Max[a]-p.Max[a] > reach
	}
	return far && !t.BulkMotion && t.Config.Policy != PolicyRebuild && t.AdmitsPending(len(t.scratch.strays.ids)+1) == nil
}

// takeStrays makes the objects of a stride pending that have moved far.
func (t *Tree) takeStrays() {
	l, p := &t.Buffers().strays, &t.Store.Packets
	if len(l.ids) == 0 {
		return
	}
	fetchLabels(t, l.at, 4)
	fetchLast(t, l.at)
	for k, id := range l.ids {
		l.slots.Remove(l.at[k].Slot())
		slot, lane := t.Locate(id)
		if p.Parents[slot] == soa.NoParent {
			continue // it has moved twice
		}
		o, sphere := p.Object(slot, lane), sphereOf(p, slot, lane)
		oriented, ok := p.Oriented(slot, lane)
		t.takeOut(id, slot, lane)
		t.place(t.openPending(), id, &o, &sphere)
		if ok {
			t.keepOriented(id, &oriented)
		}
		t.Strayed++
	}
	// Other objects may have moved inside the box of a stray one.
	for _, slot := range l.shared {
		if up := p.Parents[slot]; anyExceeds(&p.Bounds[slot], &t.Store.Nodes.Hot[up.Node()].Bounds, up.Lane()) {
			for lane := range int(p.Counts[slot]) {
				b := p.Box(slot, lane)
				t.grow(up, &b)
			}
		}
	}
	l.ids, l.at, l.shared = l.ids[:0], l.at[:0], l.shared[:0]
}

// displaceAll lists the objects at the locations that become displaced by their next boxes.
func (t *Tree) displaceAll(ids []uint32, at []soa.Location, boxes []soa.AABB) {
	for i, id := range ids {
		if slot := at[i].Slot(); t.leaves(slot, &boxes[i]) {
			t.displace(id, slot, at[i].Lane())
		}
	}
}

// displaceMoved is displaceAll for boxes that have been written. It must not be called when strictPlacement is true.
func (t *Tree) displaceMoved(ids []uint32, at []soa.Location, moved []build.Moved) {
	if t.BulkMotion {
		return
	}
	for i := range moved {
		m := &moved[i]
		if m.Flags&(build.MovedLeaves|build.MovedAway) == build.MovedLeaves && t.Store.Packets.Parents[at[m.Index].Slot()] != soa.NoParent {
			t.Displaced = append(t.Displaced, ids[m.Index])
		}
	}
}

// displace lists an object of the tree that becomes displaced by its next box. If it was displaced before, it is in
// the list already.
func (t *Tree) displace(id, slot uint32, lane int) {
	if old := t.Store.Packets.Box(slot, lane); t.isPlaced(slot, &old) {
		t.Displaced = append(t.Displaced, id)
	}
}

// listDisplaced lists the displaced objects of a packet. Objects may be listed twice, which is harmless.
func (t *Tree) listDisplaced(slot uint32) {
	p := &t.Store.Packets
	for l := range int(p.Counts[slot]) {
		if b := p.Box(slot, l); !t.isPlaced(slot, &b) {
			t.Displaced = append(t.Displaced, p.IDs[slot][l])
		}
	}
}

// findDisplaced lists all displaced objects of the tree and ends bulk motion. It reads the slots whose bit is set in
// away; objects of other slots must be in place. If away is nil, it reads all slots. If more than most objects are
// displaced, it returns false soon, lists none, and leaves bulk motion as it is.
func (t *Tree) findDisplaced(away []uint64, most int) bool {
	t.Displaced = t.Displaced[:0]
	s := t.Store
	for slot, up := range s.Packets.Parents {
		if up == soa.NoParent {
			continue
		}
		// Most packets have no displaced object.
		placement, left := &s.Packets.PlacementBoxes[slot], true
		if away != nil {
			left = away[slot/64]>>(slot%64)&1 != 0
		} else {
			left = !placement.Contains(LaneBox(&s.Nodes.Hot[up.Node()], up.Lane()))
		}
		if left || !t.Code.Near(placement) {
			t.listDisplaced(uint32(slot))
		}
		if len(t.Displaced) > most {
			t.Displaced = t.Displaced[:0]
			return false
		}
	}
	t.BulkMotion = false
	return true
}
