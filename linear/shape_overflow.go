package linear

import (
	"github.com/zoctree/zoctree/soa"
)

// An object that comes into a full packet needs room. What keeps packets and
// nodes full, and so queries fast, comes first: a packet nearby in the node that has
// room takes some objects, the packets of the node are cut anew, a new one takes
// half of the objects; only then the node is parted in two.

// makeRoom changes the tree so that the home of a full slot, or of some of what would
// go there, has room. It may have to be called again.
func (t *Tree) makeRoom(slot uint32) {
	node := t.store.Packets.Owner[slot].Node()
	t.cuts++
	t.buffers().cuts.add(node)
	switch {
	case !t.hasBlock(node):
		t.giveBlock(node)
	case t.evenOut(slot):
	case t.recut(node):
	case t.store.Nodes.Used[node] < soa.Fan:
		t.splitPacket(slot)
	default:
		t.splitNode(node)
	}
}

// easy is how full packets are after objects have been shared out: 3/4.
func (t *Tree) easy(packets int) int { return packets * t.cfg.SplitAbove * 3 / 4 }

// roomy is easy if each packet is to have room for an object then.
func (t *Tree) roomy(packets int) int {
	return min(t.easy(packets), packets*(t.cfg.SplitAbove-1))
}

// evenOut shares the objects of a full packet and of another one in the node out to
// both: of those that have room enough, the one that grows least to hold the box of
// the full one.
func (t *Tree) evenOut(slot uint32) bool {
	n, p := &t.store.Nodes, &t.store.Packets
	node, lane := p.Owner[slot].Node(), p.Owner[slot].Lane()
	most := t.roomy(2) - int(p.Counts[slot])
	box := laneBox(&n.Hot[node], lane)
	best, least := -1, float32(0)
	for l, ref := range n.Hot[node].Child[:n.Used[node]] {
		if l == lane || int(p.Counts[ref.Index()]) > most {
			continue
		}
		other := laneBox(&n.Hot[node], l)
		if by := growth(&other, &box); best < 0 || by < least {
			best, least = l, by
		}
	}
	if best < 0 {
		return false
	}
	both := [2]uint32{slot, n.Hot[node].Child[best].Index()}
	t.deal(both[:], both[:])
	return true
}

// recut fills as few packets of a node as hold its objects easily, as a build does. It
// reports false when they are too many.
func (t *Tree) recut(node uint32) bool {
	lanes := int(t.store.Nodes.Used[node])
	total := int(t.store.Nodes.Below[node])
	if total > t.roomy(lanes) {
		return false
	}
	t.cutAnew(node, min(total/t.easy(1)+1, lanes, total))
	t.work.Splits++
	return true
}

// cutAnew shares the objects of a node out to its first want packets, and takes the
// others away.
func (t *Tree) cutAnew(node uint32, want int) {
	var room [soa.Fan]uint32
	slots := t.slotsOf(room[:0], node)
	t.deal(slots, slots[:want])
	if want < len(slots) {
		t.dropPackets(node, want)
	}
	t.setArea(node)
}
