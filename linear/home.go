package linear

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// What is a home, and who is away from it, is known here alone. A packet has a home
// box: the tight box that it had when it was cut, grown by the slack, and what has
// found a home there since. An object is at home while its box is in it: then a move
// asks for no key. When one is to find a home, its key names the cell, and in the cell
// the boxes name the packet: see home_find.go.

// isHome reports whether an object with that box may live in a packet. Cells that have
// no far keys hold no far objects, and cells that have no others only what has them.
func (t *Tree) isHome(slot uint32, box *soa.AABB) bool {
	home := &t.store.Packets.Homes[slot]
	if !home.Contains(*box) {
		return false
	}
	if t.code.near(home) {
		return true // and so is all that is in it
	}
	switch cell := &t.store.Nodes.Cells[t.cellAbove(slot)]; {
	case cell.High < farLow:
		return t.code.near(box)
	case cell.Low >= farLow:
		return !t.code.near(box) || t.code.key(box) >= farLow
	}
	return true
}

// homeBox returns the home box of a packet that has been cut, whose objects have the
// tight box: grown on each side by the slack, in per cent of the length on that axis or
// of the mean length, whichever is more, so that flat packets are not left without.
func (t *Tree) homeBox(tight soa.AABB) soa.AABB {
	if t.cfg.Slack <= 0 || tight == soa.Empty() {
		return tight
	}
	share := float32(t.cfg.Slack) / 100
	var side [3]float32
	for a := range 3 {
		side[a] = tight.Max[a] - tight.Min[a]
	}
	mean := (side[0] + side[1] + side[2]) / 3
	for a := range 3 {
		by := float32(share * max(side[a], mean))
		tight.Min[a] -= by
		tight.Max[a] += by
	}
	return tight
}

// widenHome makes the home box of a packet hold that of a packet of one box alone. It
// reports whether it has to.
func (t *Tree) widenHome(home, box *soa.AABB) (wider bool) {
	var side [3]float32
	if t.cfg.Slack > 0 { // a share of 0 of an infinite length would be a NaN
		for a := range side {
			side[a] = box.Max[a] - box.Min[a]
		}
	}
	mean, share := (side[0]+side[1]+side[2])/3, float32(t.cfg.Slack)/100
	for a, by := range side {
		if by < mean {
			by = mean
		}
		by = float32(share * by)
		if lo := box.Min[a] - by; lo < home.Min[a] {
			home.Min[a], wider = lo, true
		}
		if hi := box.Max[a] + by; hi > home.Max[a] {
			home.Max[a], wider = hi, true
		}
	}
	return wider
}

// growHome gives a packet a home box that holds the one it had. What lies in one that is
// near is at home whatever its key, so when the box becomes that of far objects, some of
// it may be away from home though it has not moved.
func (t *Tree) growHome(slot uint32, home soa.AABB) {
	t.setHome(slot, home)
	if !t.drifting && !t.code.near(&home) {
		t.listStrays(slot)
	}
}

// cellAbove returns the cell of a packet.
func (t *Tree) cellAbove(slot uint32) (node uint32) {
	n := &t.store.Nodes
	node = t.store.Packets.Owner[slot].Node()
	for n.Cells[node] == soa.NoSpan {
		node = n.Up[node].Node()
	}
	return node
}

// farHome reports whether a packet is the home of far objects.
func (t *Tree) farHome(slot uint32) bool {
	return t.store.Nodes.Cells[t.cellAbove(slot)].Low >= farLow
}

// leaves reports whether a box takes an object of a packet away from home: whoever
// gets yes calls stray. A pending object has no home, and while the tree drifts nobody
// is to be listed.
func (t *Tree) leaves(slot uint32, box *soa.AABB) bool {
	return !t.drifting && t.store.Packets.Owner[slot] != soa.NoUp && !t.isHome(slot, box)
}

// strictHomes reports whether an object may be away from home in the home box: there are
// far objects, or cells of their keys. Else whatever is in the box is at home.
func (t *Tree) strictHomes() bool {
	s := t.store
	return t.code.far || len(s.Nodes.Hot) > 0 && s.Nodes.Cells[lastCell(s, uint64(morton.MaxKey))].Low >= farLow
}

// strayAll lists those of the objects at places that their next boxes take away from home.
func (t *Tree) strayAll(ids []uint32, at []soa.Location, boxes []soa.AABB) {
	for i, id := range ids {
		if slot := at[i].Slot(); t.leaves(slot, &boxes[i]) {
			t.stray(id, slot, at[i].Lane())
		}
	}
}

// strayMoved is strayAll for boxes that have been written, unless homes are strict.
func (t *Tree) strayMoved(ids []uint32, at []soa.Location, moved []asm.Moved) {
	if t.drifting {
		return
	}
	for i := range moved {
		m := &moved[i]
		if m.Flags&(asm.MovedLeaves|asm.MovedAway) == asm.MovedLeaves && t.store.Packets.Owner[at[m.Index].Slot()] != soa.NoUp {
			t.strays = append(t.strays, ids[m.Index])
		}
	}
}

// stray lists an object of the tree that its next box takes away from home. One that
// was not at home before is in the list already.
func (t *Tree) stray(id, slot uint32, lane int) {
	if old := t.store.Packets.Box(slot, lane); t.isHome(slot, &old) {
		t.strays = append(t.strays, id)
	}
}

// listStrays lists the objects of a packet that are not at home. A stray may then
// be listed again, which does no harm.
func (t *Tree) listStrays(slot uint32) {
	p := &t.store.Packets
	for l := range int(p.Counts[slot]) {
		if b := p.Box(slot, l); !t.isHome(slot, &b) {
			t.strays = append(t.strays, p.IDs[slot][l])
		}
	}
}

// findStrays lists all objects of the tree that are not at home: in slots whose bit is set
// in away, which no object has left otherwise, or wherever they are, if that is nil. A
// drift ends.
func (t *Tree) findStrays(away []uint64) {
	t.drifting = false
	t.strays = t.strays[:0]
	s := t.store
	for slot, up := range s.Packets.Owner {
		if up == soa.NoUp {
			continue
		}
		// Most packets are at home as a whole.
		home, left := &s.Packets.Homes[slot], true
		if away != nil {
			left = away[slot/64]>>(slot%64)&1 != 0
		} else {
			left = !home.Contains(laneBox(&s.Nodes.Hot[up.Node()], up.Lane()))
		}
		if left || !t.code.near(home) {
			t.listStrays(uint32(slot))
		}
	}
}
