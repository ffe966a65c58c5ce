package octree

import (
	"github.com/zoctree/zoctree/soa"
)

// A full packet needs room for an object that is inserted. Steps that keep packets and nodes full,
// and so queries fast, are tried first: a nearby packet of the node that has room takes some
// objects, the packets of the node are cut anew, a new packet takes half of the objects. Only then
// the node is split.

// makeRoom changes the tree so that a full slot, or the slot that replaces it for some of its
// objects, has room. It may have to be called again.
func (t *Tree) makeRoom(slot uint32) {
	node := t.Store.Packets.Parents[slot].Node()
	t.Buffers().cuts.add(node)
	switch {
	case t.redistribute(slot):
	case t.recut(node):
	case t.Store.Nodes.Used[node] == soa.Fan:
		t.splitNode(node)
	default:
		t.splitPacket(slot)
	}
}

// easyCapacity returns the number of objects in packets that are filled to 3/4, as after a redistribution.
func (t *Tree) easyCapacity(packets int) int { return packets * t.Config.SplitAbove * 3 / 4 }

// roomyCapacity returns easyCapacity, limited so that each packet then has room for an object.
func (t *Tree) roomyCapacity(packets int) int {
	return min(t.easyCapacity(packets), packets*(t.Config.SplitAbove-1))
}

// redistribute distributes the objects of a full packet and of another one in the node evenly to both.
// Among those with enough room it takes the one that grows least to contain the box of the full
// one.
func (t *Tree) redistribute(slot uint32) bool {
	n, p := &t.Store.Nodes, &t.Store.Packets
	node, lane := p.Parents[slot].Node(), p.Parents[slot].Lane()
	most := t.roomyCapacity(2) - int(p.Counts[slot])
	box := LaneBox(&n.Hot[node], lane)
	best, least := -1, float32(0)
	for l, ref := range n.Hot[node].Child[:n.Used[node]] {
		if l == lane || int(p.Counts[ref.Index()]) > most {
			continue
		}
		other := LaneBox(&n.Hot[node], l)
		if by := growth(&other, &box); best < 0 || by < least {
			best, least = l, by
		}
	}
	if best < 0 {
		return false
	}
	both := [2]uint32{slot, n.Hot[node].Child[best].Index()}
	t.distribute(both[:], both[:])
	return true
}

// recut redistributes the objects of a node to as few packets as hold them easily, as a build does.
// It returns false when there are too many objects.
func (t *Tree) recut(node uint32) bool {
	lanes := int(t.Store.Nodes.Used[node])
	total := int(t.Store.Nodes.Below[node])
	if total > t.roomyCapacity(lanes) {
		return false
	}
	t.recutInto(node, min(total/t.easyCapacity(1)+1, lanes, total))
	t.Work.Splits++
	return true
}

// recutInto distributes the objects of a node to its first want packets, and removes the others.
func (t *Tree) recutInto(node uint32, want int) {
	var room [soa.Fan]uint32
	slots := t.slotsOf(room[:0], node)
	t.distribute(slots, slots[:want])
	if want < len(slots) {
		t.dropPackets(node, want)
	}
	t.setArea(node)
}
