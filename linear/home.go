package linear

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// What is a home, and who is away from it, is known here alone. Others ask for
// packets by their slot.

// isHome reports whether an object with that box, which has the key, may live in a
// packet: its key lies in the packet's interval, or the cube of the slack about its
// centre has a grid cell whose key does. A larger interval is a home to no fewer.
func (t *Tree) isHome(slot uint32, key uint64, box *soa.AABB) bool {
	return t.holdsKey(slot, key) || t.cfg.Slack > 0 && t.inSlack(slot, box)
}

// holdsKey reports whether a key lies in the interval of a packet.
func (t *Tree) holdsKey(slot uint32, key uint64) bool {
	k := &t.store.Packets.Keys[slot]
	return key >= k.Low && key <= k.High
}

// inSlack reports whether the cube of the slack about the centre of a box has a
// grid cell of the interval of a packet.
func (t *Tree) inSlack(slot uint32, box *soa.AABB) bool {
	if t.code.far && !t.code.near(box) {
		return false
	}
	k := t.store.Packets.Keys[slot]
	k.High |= t.code.drop // all of its last smallest cell
	// The largest j with 2^(3j) <= the number of keys.
	j := (bits.Len64(k.High-k.Low+1) - 1) / 3
	s := float32(math.Ldexp(float64(t.cfg.Slack)/100, t.world.Exp()+j))
	c := box.Center()
	cells, err := t.world.BoxOf([3]float32{c[0] - s, c[1] - s, c[2] - s}, [3]float32{c[0] + s, c[1] + s, c[2] + s})
	if err != nil {
		return false
	}
	first, ok := cells.Next(morton.Key(k.Low))
	return ok && uint64(first) <= k.High
}

// farHome reports whether a packet is the home of far objects.
func (t *Tree) farHome(slot uint32) bool { return t.store.Packets.Keys[slot].Low >= farLow }

// leaves reports whether a box that has the key takes an object of a packet away
// from home, but for the slack: whoever gets yes calls stray. A pending object has no
// home, and while the tree drifts nobody is to be listed.
func (t *Tree) leaves(slot uint32, key uint64) bool {
	return !t.drifting && t.store.Packets.Owner[slot] != soa.NoUp && !t.holdsKey(slot, key)
}

// stray lists an object of the tree that its next box takes away from home, unless
// the slack keeps it. One that was not at home before is in the list already.
func (t *Tree) stray(id, slot uint32, lane int, box *soa.AABB) {
	if t.cfg.Slack > 0 && t.inSlack(slot, box) {
		return
	}
	old := t.store.Packets.Box(slot, lane)
	if key := t.code.key(&old); t.holdsKey(slot, key) || t.cfg.Slack > 0 && t.inSlack(slot, &old) {
		t.strays = append(t.strays, id)
	}
}

// recheck lists as strays the objects that a smaller interval of their packet
// has put beyond its slack.
func (t *Tree) recheck(slot uint32) {
	if t.cfg.Slack > 0 { // else all keys are in their parts of the interval
		t.listStrays(slot)
	}
}

// listStrays lists the objects of a packet that are not at home. A stray may then
// be listed again, which does no harm.
func (t *Tree) listStrays(slot uint32) {
	p := &t.store.Packets
	for l := range int(p.Counts[slot]) {
		if b := p.Box(slot, l); !t.isHome(slot, t.code.key(&b), &b) {
			t.strays = append(t.strays, p.IDs[slot][l])
		}
	}
}

// findStrays lists all objects of the tree that are not at home. A drift ends.
func (t *Tree) findStrays() {
	t.drifting = false
	const step = 1 << 10
	p, sc := &t.store.Packets, &t.scratch
	sc.keys, sc.places = soa.Fresh(sc.keys, step*soa.Lanes), soa.Fresh(sc.places, step*soa.Lanes)
	t.strays = t.strays[:0]
	for i := 0; i < len(p.Counts); i += step {
		k := min(step, len(p.Counts)-i)
		n := t.code.packets(sc.keys, sc.places, p, i, k, i)
		for j, key := range sc.keys[:n] {
			slot, lane := sc.places[j].Slot(), sc.places[j].Lane()
			if p.Owner[slot] == soa.NoUp || t.holdsKey(slot, key) {
				continue
			}
			if b := p.Box(slot, lane); !t.isHome(slot, key, &b) {
				t.strays = append(t.strays, p.IDs[slot][lane])
			}
		}
	}
}
