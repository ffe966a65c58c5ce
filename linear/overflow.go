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
	case t.share(slot):
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

// share evens out a full packet and the emptier of its neighbours in the node,
// if the two have room enough.
func (t *Tree) share(slot uint32) bool {
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

// part ends the interval of a packet and begins that of the next one in the
// node at low. last is the largest key in the first.
func (t *Tree) cutInterval(a, b uint32, last, low uint64) {
	n, p := &t.store.Nodes, &t.store.Packets
	p.Keys[b].Low = low
	p.Keys[a].High = low // shared by equal keys, which may be 0
	if last < low {
		p.Keys[a].High--
	}
	up := p.Owner[b]
	n.Keys[up.Node()][up.Lane()] = low
	for _, slot := range [2]uint32{a, b} {
		t.dirty.Add(slot)
		t.setPacketLane(slot)
		t.recheck(slot)
	}
}

// shift moves some lanes of a packet to the end of another; the others close
// the gaps in their order.
func (t *Tree) shift(from, to uint32, move, stay []keyed) {
	p := &t.store.Packets
	for _, k := range move {
		t.put(to, int(p.Counts[to]), from, int(k.lane))
	}
	var stays [soa.Lanes]bool
	for _, k := range stay {
		stays[k.lane] = true
	}
	w := 0
	for l := range int(p.Counts[from]) {
		if !stays[l] {
			continue
		}
		if l != w {
			p.Move(from, w, from, l)
			t.ids.Where[p.IDs[from][w]] = soa.MakePlace(from, w)
		}
		w++
	}
	p.Drop(from, w)
}

// leaf is a copy of the packets of a node.
type leaf struct {
	packets soa.PacketColumns
	keys    [leafMax]leafKey
}

// leafKey is an object of a leaf with its key.
type leafKey struct {
	key uint64
	at  uint8 // packet<<4 | lane of the copy
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
	lanes := int(n.Used[node])

	// Copy the packets and list their objects in the order of keys.
	c := &t.scratch.leaf
	c.packets.Resize(soa.Fan)
	if len(p.Spheres) > 0 {
		c.packets.UseSpheres()
	}
	k := 0
	for l := range lanes {
		slot := n.Hot[node].Child[l].Index()
		c.packets.Bounds[l], c.packets.IDs[l] = p.Bounds[slot], p.IDs[slot]
		c.packets.Masks[l], c.packets.Moving[l] = p.Masks[slot], p.Moving[slot]
		if len(p.Spheres) > 0 {
			c.packets.Spheres[l] = p.Spheres[slot]
		}
		var keys [soa.Lanes]keyed
		for _, x := range keys[:t.laneKeys(slot, keys[:])] {
			c.keys[k] = leafKey{x.key, uint8(l)<<4 | x.lane}
			k++
		}
	}

	high := p.Keys[n.Hot[node].Child[lanes-1].Index()].High
	at := 0
	for l := range want {
		slot := n.Hot[node].Child[l].Index()
		end := total * (l + 1) / want
		w := 0
		for ; at < end; at++ {
			from := c.keys[at].at
			t.bring(slot, w, &c.packets, uint32(from>>4), int(from&(soa.Lanes-1)))
			w++
		}
		p.Drop(slot, w)
		if l+1 < want {
			last := c.keys[at-1].key
			low := faceOr(last, c.keys[at].key)
			next := n.Hot[node].Child[l+1].Index()
			n.Keys[node][l+1], p.Keys[next].Low = low, low
			p.Keys[slot].High = low
			if last < low {
				p.Keys[slot].High--
			}
		}
	}
	p.Keys[n.Hot[node].Child[want-1].Index()].High = high
	for l := want; l < lanes; l++ {
		slot := n.Hot[node].Child[l].Index()
		p.Clear(slot)
		t.touch(slot)
	}
	if want < lanes {
		t.clearLanes(node, want)
		t.refitLater(node)
	}
	for l := range want {
		slot := n.Hot[node].Child[l].Index()
		t.dirty.Add(slot)
		t.setPacketLane(slot)
		t.recheck(slot)
	}
}

// bring copies an object from a lane of other columns.
func (t *Tree) bring(to uint32, lane int, from *soa.PacketColumns, slot uint32, fromLane int) {
	p := &t.store.Packets
	b, d := &from.Bounds[slot], &p.Bounds[to]
	for k := range b {
		d[k][lane] = b[k][fromLane]
	}
	id := from.IDs[slot][fromLane]
	p.IDs[to][lane], p.Masks[to][lane] = id, from.Masks[slot][fromLane]
	p.Moving[to] = p.Moving[to]&^(1<<lane) | from.Moving[slot]>>fromLane&1<<lane
	if len(p.Spheres) > 0 {
		s, _ := from.Sphere(slot, fromLane)
		p.SetSphere(to, lane, s)
	}
	t.ids.Where[id] = soa.MakePlace(to, lane)
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
	if right {
		n.Keys[parent][l+1] = n.Keys[to][0]
	} else {
		n.Keys[parent][l] = n.Keys[node][0]
	}
	t.setNodeLane(node)
	t.setNodeLane(to)
	t.regroup(node)
	t.regroup(to)
	t.work.Splits++
	return true
}
