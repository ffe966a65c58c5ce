package linear

import (
	"github.com/zoctree/zoctree/soa"
)

// An object that comes into a full packet needs room. What keeps packets and
// nodes full, and so queries fast, comes first (as in a B*-tree): a neighbour
// in the node that has room takes some objects, the lanes of the node are filled
// evenly, a new lane of the node takes half of them, a neighbour of the node takes
// some of its packets; only then the node is parted in two.

// makeRoom changes the tree so that the packet of a full slot, or another one
// that now has its keys, has room. It may have to be called again.
func (t *Tree) makeRoom(slot uint32) {
	node := t.store.Packets.Owner[slot].Node()
	t.cuts++
	switch {
	case !t.hasBlock(node):
		t.giveBlock(node)
	case t.evenOut(slot):
	case t.recut(node):
	case t.store.Nodes.Used[node] < soa.Fan:
		t.splitPacket(slot)
	case t.lend(node):
	default:
		t.splitNode(node)
	}
}

// easy is how full packets are after objects have been shared out: 3/4.
func (t *Tree) easy(packets int) int { return packets * t.cfg.SplitAbove * 3 / 4 }

// evenOut evens out a full packet and the emptier of its neighbours in the node, if
// the two have room enough. Without it an aged tree has as many packets, but a large
// box in a uniform scene tests 1 % more of them, and a frame of moves takes 3 % more
// instructions: nodes are cut anew in its place.
func (t *Tree) evenOut(slot uint32) bool {
	n, p := &t.store.Nodes, &t.store.Packets
	node, l := p.Owner[slot].Node(), p.Owner[slot].Lane()
	room := t.cfg.SplitAbove - max(t.cfg.SplitAbove/8, 1) // for each, afterwards
	best, most := -1, min(t.easy(2), 2*room)
	for _, k := range [2]int{l - 1, l + 1} {
		if k < 0 || k >= int(n.Used[node]) {
			continue
		}
		if sum := int(p.Counts[slot]) + int(p.Counts[n.Hot[node].Child[k].Index()]); sum <= most {
			best, most = k, sum
		}
	}
	if best < 0 {
		return false
	}
	a, b := n.Hot[node].Child[min(l, best)].Index(), n.Hot[node].Child[max(l, best)].Index()
	var keys [2 * soa.Lanes]keyed
	na := t.laneKeys(a, keys[:])
	nb := t.laneKeys(b, keys[na:])
	all := keys[:na+nb]
	cut, low := cutKeys(all, max(len(all)-room, 1))
	if cut < na {
		t.shift(a, b, all[cut:na], all[:cut])
	} else {
		t.shift(b, a, all[na:cut], all[cut:])
	}
	t.cutInterval(a, b, all[cut-1].key, low)
	return true
}

// recut fills as few packets of a node as hold its objects easily, in the
// order of keys, as a build does. It reports false when they are too many.
func (t *Tree) recut(node uint32) bool {
	lanes := int(t.store.Nodes.Used[node])
	total := t.objectsOf(node)
	want := min(total/t.easy(1)+1, lanes, total)
	if total > t.easy(lanes) || total > want*(t.cfg.SplitAbove-1) {
		return false
	}
	t.cutAnew(node, total, want)
	t.work.Splits++
	return true
}

// cutAnew shares the objects of a node out to the slots of its first want lanes, in
// the order of keys, and takes the other lanes away.
func (t *Tree) cutAnew(node uint32, total, want int) {
	n, p := &t.store.Nodes, &t.store.Packets
	c := t.copyLeaf(node)
	lanes := int(n.Used[node])
	slotOf := func(l int) uint32 { return n.Hot[node].Child[l].Index() }
	t.setHigh(slotOf(want-1), p.Keys[slotOf(lanes-1)].High)
	at := 0
	for l := range want {
		end := total * (l + 1) / want
		t.refill(slotOf(l), c, c.keys[at:end])
		if l+1 < want {
			last := c.keys[end-1].key
			t.setBorder(slotOf(l), slotOf(l+1), last, faceOr(last, c.keys[end].key))
		}
		at = end
	}
	if want < lanes {
		t.dropPackets(node, want)
	}
	for l := range want {
		t.setPacketLane(slotOf(l))
		t.recheck(slotOf(l))
	}
}

// cutInterval ends the interval of a packet and begins that of the next one in the
// node at low. last is the largest key in the first.
func (t *Tree) cutInterval(a, b uint32, last, low uint64) {
	t.setBorder(a, b, last, low)
	for _, slot := range [2]uint32{a, b} {
		t.setPacketLane(slot)
		t.recheck(slot)
	}
}

// lend moves packets from the end of a full node to a neighbour below the same
// parent that has two lanes to spare.
func (t *Tree) lend(node uint32) bool {
	n := &t.store.Nodes
	up := n.Up[node]
	if up == soa.NoUp {
		return false
	}
	parent, l := up.Node(), up.Lane()
	to, least, right := soa.None, uint8(soa.Fan-1), false
	for _, k := range [2]int{l - 1, l + 1} {
		if k < 0 || k >= int(n.Used[parent]) || farBorder(&n.Keys[parent], min(k, l)) {
			continue
		}
		ref := n.Hot[parent].Child[k]
		if other := ref.Index(); !ref.IsPacket() && n.Height[other] == 0 &&
			n.Used[other] < least && n.Dies[other] == 0 && t.hasBlock(other) {
			to, least, right = other, n.Used[other], k > l
		}
	}
	if to == soa.None {
		return false
	}
	for range (soa.Fan - int(least)) / 2 {
		from, at := 0, int(n.Used[to])
		if right {
			from, at = int(n.Used[node])-1, 0
		}
		slot, low := n.Hot[node].Child[from].Index(), n.Keys[node][from]
		free := t.freeSlot(to)
		t.movePacket(slot, free)
		child := n.Hot[node].Child[from]
		t.insertLane(to, at, child, low)
		t.removeLane(node, from)
		t.setPacketLane(free)
	}
	second := l // the later one of the two lanes
	if right {
		second++
	}
	t.setLaneLow(soa.MakeUp(parent, second))
	t.setNodeLane(node)
	t.setNodeLane(to)
	t.regroup(node)
	t.regroup(to)
	t.work.Splits++
	return true
}
