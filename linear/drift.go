package linear

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

// When most objects move in a frame their boxes are written in the order of
// packets, and one pass finds those that are away from home. If these are many
// they would not stay at home for long, and to find homes for them costs more than
// it gains: the tree drifts. Objects stay in their packets, whose boxes are
// refitted, until the boxes have grown so much that a rebuild pays. When the
// objects come to rest, strays are found by one more pass.
//
// While the tree drifts the list of strays is empty and any object may be one.

const (
	// mostShare is the share of objects, in percent, that is most of them.
	mostShare = 30

	// driftGrowth is the growth of the summed area of all boxes, in percent,
	// at which a drifting tree is rebuilt.
	driftGrowth = 20
)

// most reports whether n are most objects.
func (t *Tree) most(n int) bool {
	return 100*n >= mostShare*t.Len() && len(t.store.Nodes.Hot) > 0
}

// drift begins a drift from where the boxes had an area.
func (t *Tree) drift(area float64) {
	t.drifting, t.area = true, area
	t.strays = t.strays[:0]
}

// refitOnly begins a drift before a move if that is the way of change.
func (t *Tree) refitOnly() {
	if t.cfg.Changes == ChangesRefit && !t.drifting && len(t.store.Nodes.Hot) > 0 {
		t.drift(t.totalArea())
	}
}

// comeHome ends the drift when the objects have come to rest.
func (t *Tree) comeHome() {
	if t.drifting && t.cfg.Changes != ChangesRefit && !t.most(t.work.Moved) {
		t.findStrays()
	}
}

// driftedFar reports whether the boxes of a drifting tree have grown too much.
func (t *Tree) driftedFar() bool {
	return t.drifting && 100*t.totalArea() > (100+driftGrowth)*t.area
}

// totalArea returns half of the summed surface of the tight boxes of all lanes.
func (t *Tree) totalArea() (sum float64) {
	for i := range t.store.Nodes.Hot {
		b := &t.store.Nodes.Hot[i].Bounds
		for l := range int(t.store.Nodes.Lanes[i]) {
			x := float64(b[asm.MaxX][l]) - float64(b[asm.MinX][l])
			y := float64(b[asm.MaxY][l]) - float64(b[asm.MinY][l])
			z := float64(b[asm.MaxZ][l]) - float64(b[asm.MinZ][l])
			if x >= 0 { // else it is empty
				sum += float64(x*y) + float64(y*z) + float64(z*x)
			}
		}
	}
	return sum
}

// ahead is how many packets ahead of the one that it writes moveMost asks for
// boxes.
const ahead = 4

// moveMost overwrites the boxes of most objects in the order of packets, so that
// these come from memory one after the other, refits them and finds out whether
// the tree drifts.
func (t *Tree) moveMost(ids []uint32, boxes []soa.AABB) {
	area := 0.0
	if !t.drifting {
		area = t.totalArea()
	}
	which := t.indexOf(ids)
	p := &t.store.Packets
	var ring [ahead][asm.Lanes]uint32 // index of each lane's box, or None
	for slot := -ahead; slot < len(p.Counts); slot++ {
		if slot >= 0 {
			t.writeBoxes(uint32(slot), ring[slot%ahead][:p.Counts[slot]], boxes)
		}
		if next := slot + ahead; next < len(p.Counts) {
			index := ring[next%ahead][:copy(ring[next%ahead][:], p.IDs[next][:p.Counts[next]])]
			if which != nil {
				for l, id := range index {
					index[l] = which[id]
				}
			}
			asm.Prefetch(boxes, index, 0)
		}
	}
	if t.store.Log != nil {
		t.noteAll(ids)
	}
	t.Refit() // a query may come at once
	if t.drifting {
		return
	}
	t.findStrays()
	if t.cfg.Changes == ChangesAuto && len(t.strays) > t.Len()/rebuildShare(t.Len()) {
		t.drift(area)
	}
}

// writeBoxes overwrites the boxes of a packet by those at the indices that are
// not None.
func (t *Tree) writeBoxes(slot uint32, index []uint32, boxes []soa.AABB) {
	p := &t.store.Packets
	moved := false
	for l, i := range index {
		if i != soa.None {
			p.SetBox(slot, l, &boxes[i])
			p.DropSphere(slot, l)
			moved = true
		}
	}
	if !moved {
		return
	}
	t.touchBoxes(slot)
	if p.Owner[slot] != soa.None { // else it is pending
		t.dirty.add(slot)
	}
}

// indexOf returns the index in the batch of each object, None for one that is
// not in it. It returns nil when each object is at the index of its ID.
func (t *Tree) indexOf(ids []uint32) []uint32 {
	inOrder := len(ids) == t.ids.Cap()
	for i, id := range ids {
		if id != uint32(i) {
			inOrder = false
			break
		}
	}
	if inOrder {
		return nil
	}
	sc := &t.scratch
	sc.which = soa.Fresh(sc.which, t.ids.Cap())
	for i := range sc.which {
		sc.which[i] = soa.None
	}
	for i, id := range ids {
		sc.which[id] = uint32(i)
	}
	return sc.which
}
