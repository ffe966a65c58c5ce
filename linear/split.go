package linear

import (
	"math/bits"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

// keyed is a lane of a packet with its key.
type keyed struct {
	key  uint64
	lane uint8
}

// laneKeys writes the keys of the live lanes of a slot in ascending order,
// clamped to the slot's interval: where a stray would be if it stayed. It
// returns their number.
func (t *Tree) laneKeys(slot uint32, out []keyed) int {
	p := &t.store.Packets
	span := p.Keys[slot]
	var keys [soa.Lanes]uint64
	var places [soa.Lanes]soa.Place
	n := t.code.packets(keys[:], places[:], p, int(slot), 1, 0)
	for l, key := range keys[:n] {
		key = min(max(key, span.Low), span.High)
		i := l
		for ; i > 0 && out[i-1].key > key; i-- {
			out[i] = out[i-1]
		}
		out[i] = keyed{key, uint8(l)}
	}
	return n
}

// splitPacket moves the upper part of a packet to a free slot of its
// block, which becomes the next lane of the node. The node has a free lane.
func (t *Tree) splitPacket(slot uint32) {
	p := &t.store.Packets
	up := p.Owner[slot]
	to := t.freeSlot(up.Node())

	var keys [soa.Lanes]keyed
	n := t.laneKeys(slot, keys[:])
	cut, low := cutKeys(keys[:n], max(1, n/4))
	t.shift(slot, to, keys[cut:n], keys[:cut])
	p.Keys[to].High = p.Keys[slot].High
	t.insertLane(up.Node(), up.Lane()+1, soa.PacketRef(to), low)
	t.cutInterval(slot, to, keys[cut-1].key, low)
	t.work.Splits++
}

// put copies an object to a lane that is to be live, and counts it.
func (t *Tree) put(to uint32, lane int, from uint32, fromLane int) {
	p := &t.store.Packets
	p.Move(to, lane, from, fromLane)
	p.Counts[to] = uint8(lane + 1)
	t.touch(to)
	t.ids.Where[p.IDs[to][lane]] = soa.MakePlace(to, lane)
	t.work.Shifted++
}

// cutKeys returns where to part sorted keys, with at least margin on each side,
// and the first key of the upper part: at the highest key bit that changes
// there, or near the middle of equal keys.
func cutKeys(k []keyed, margin int) (cut int, low uint64) {
	n := len(k)
	cut = n / 2
	best := 0
	for i := margin; i <= n-margin; i++ {
		if b := bits.Len64(k[i-1].key ^ k[i].key); b > best || b == best && square(i-n/2) < square(cut-n/2) {
			best, cut = b, i
		}
	}
	return cut, faceOr(k[cut-1].key, k[cut].key)
}

func square(i int) int { return i * i }

// freeSlot returns the first of the node's slots that no lane refers to. There is
// one.
func (t *Tree) freeSlot(node uint32) uint32 {
	first := t.store.Nodes.Slots[node].First
	for slot := first; ; slot++ {
		if t.store.Packets.Owner[slot] == soa.NoUp {
			return slot
		}
	}
}

// freeSlots returns the number of slots of a node of packets that no lane refers
// to.
func (t *Tree) freeSlots(node uint32) int {
	n := &t.store.Nodes
	return int(n.Slots[node].End-n.Slots[node].First) - int(n.Used[node])
}

// hasBlock reports whether a node of packets owns a block of eight slots, as
// the nodes of a frozen build do not.
func (t *Tree) hasBlock(node uint32) bool {
	s := t.store.Nodes.Slots[node]
	return s.First%soa.BlockSlots == 0 && s.End-s.First == soa.BlockSlots
}

// giveBlock moves the packets of a node into a block of their own. The slots that
// it had are dead.
func (t *Tree) giveBlock(node uint32) {
	first := t.allocBlock()
	n := &t.store.Nodes
	for l := range n.Used[node] {
		t.movePacket(n.Hot[node].Child[l].Index(), first+uint32(l))
	}
	t.dead += int(n.Slots[node].End - n.Slots[node].First)
	n.Slots[node] = soa.Span{First: first, End: first + soa.BlockSlots}
	t.touchNode(node)
	t.scatter(n.Up[node])
}

// movePacket moves a whole packet to an empty slot, which takes its lane.
func (t *Tree) movePacket(from, to uint32) {
	p := &t.store.Packets
	p.CopyRow(to, from)
	for l := range p.Counts[to] {
		t.ids.Where[p.IDs[to][l]] = soa.MakePlace(to, int(l))
	}
	t.work.Shifted += int(p.Counts[to])
	p.Clear(from)
	up := p.Owner[to]
	child := &t.store.Nodes.Hot[up.Node()].Child[up.Lane()]
	*child = *child&^soa.RefIndex | soa.Ref(to)
	t.touch(from)
	t.touch(to)
	t.touchNode(up.Node())
	if t.dirty.Has(from) {
		t.dirty.Add(to)
	}
}

// scatter notes that the slots below a lane and those above it are no longer
// contiguous.
func (t *Tree) scatter(up soa.Up) {
	n := &t.store.Nodes
	for ; up != soa.NoUp && n.Slots[up.Node()].End != 0; up = n.Up[up.Node()] {
		n.Slots[up.Node()] = soa.Span{}
		t.touchNode(up.Node())
	}
}

// insertLane makes room for a child at lane l of a node that has a free lane.
// Box, mask and flags are the caller's to set.
func (t *Tree) insertLane(node uint32, l int, child soa.Ref, low uint64) {
	n := &t.store.Nodes
	h := &n.Hot[node]
	for i := int(n.Used[node]); i > l; i-- {
		t.copyLane(node, i, node, i-1)
	}
	h.Child[l] = child
	n.Keys[node][l] = low
	n.Used[node]++
	t.touchNode(node)
	t.adopt(node, l)
}

// copyLane copies a lane with all that belongs to it.
func (t *Tree) copyLane(to uint32, toLane int, from uint32, lane int) {
	n := &t.store.Nodes
	d, s := &n.Hot[to], &n.Hot[from]
	for c := range d.Bounds {
		d.Bounds[c][toLane] = s.Bounds[c][lane]
	}
	d.Child[toLane], d.Mask[toLane] = s.Child[lane], s.Mask[lane]
	n.Keys[to][toLane] = n.Keys[from][lane]
	t.touchNode(to)
	t.adopt(to, toLane)
}

// adopt tells the child of a lane who its parent is.
func (t *Tree) adopt(node uint32, l int) {
	ref := t.store.Nodes.Hot[node].Child[l]
	up := soa.MakeUp(node, l)
	if ref.IsPacket() {
		t.store.Packets.Owner[ref.Index()] = up
		t.touch(ref.Index())
	} else {
		t.store.Nodes.Up[ref.Index()] = up
		t.touchNode(ref.Index())
	}
}

// clearLanes empties the lanes of a node from l on.
func (t *Tree) clearLanes(node uint32, l int) {
	n := &t.store.Nodes
	h := &n.Hot[node]
	for i := l; i < soa.Fan; i++ {
		for c := range h.Bounds {
			h.Bounds[c][i] = soa.EmptyNode.Bounds[c][i]
		}
		h.Child[i], h.Mask[i] = 0, 0
		n.Keys[node][i] = soa.NoKey
	}
	n.Used[node] = uint8(l)
	t.touchNode(node)
}

// setPacketLane makes the lane of a slot, which has changed, describe it exactly.
func (t *Tree) setPacketLane(slot uint32) {
	list := [1]uint32{slot}
	asm.ReducePackets(&t.store.Packets, t.store.Nodes.Hot, list[:])
	t.touch(slot)
	t.touchNode(t.store.Packets.Owner[slot].Node())
}

// setNodeLane makes the lane of a node describe it exactly.
func (t *Tree) setNodeLane(node uint32) {
	list := [1]uint32{node}
	asm.ReduceNodes(t.store.Nodes.Hot, t.store.Nodes.Up, list[:])
	t.touchNode(t.store.Nodes.Up[node].Node())
}

// splitNode parts a node of eight lanes in two, its parents first where they
// are full too.
func (t *Tree) splitNode(node uint32) {
	n := &t.store.Nodes
	if n.Up[node] == soa.NoUp {
		node = t.deepen()
	} else if n.Up[node].Node() == 0 && t.forked() {
		t.deepenBranch(node)
	}
	if n.Used[n.Up[node].Node()] == soa.Fan {
		t.splitNode(n.Up[node].Node())
	}
	up := n.Up[node]
	cut := cutLanes(&n.Keys[node])
	next := t.allocNode()
	n.Height[next], n.Life[next] = n.Height[node], n.Life[node]
	t.work.Splits++
	if n.Height[node] == 0 {
		t.splitBlock(node, next, cut)
	} else {
		for l := cut; l < soa.Fan; l++ {
			t.copyLane(next, l-cut, node, l)
		}
		n.Used[next] = uint8(soa.Fan - cut)
	}
	t.clearLanes(node, cut)
	if n.Height[node] != 0 {
		n.Slots[node] = soa.Span{}
	}
	t.insertLane(up.Node(), up.Lane()+1, soa.Ref(next), n.Keys[next][0])
	t.setNodeLane(node)
	t.setNodeLane(next)
	t.regroup(node)
	t.regroup(next)
	t.scatter(up)
}

// splitBlock moves the packets from lane cut on to a block of node next.
func (t *Tree) splitBlock(node, next uint32, cut int) {
	n := &t.store.Nodes
	if !t.hasBlock(node) {
		t.giveBlock(node)
	}
	first := t.allocBlock()
	n.Slots[next] = soa.Span{First: first, End: first + soa.BlockSlots}
	for l := cut; l < soa.Fan; l++ {
		from, to := n.Hot[node].Child[l].Index(), first+uint32(l-cut)
		t.movePacket(from, to)
		t.copyLane(next, l-cut, node, l)
	}
	n.Used[next] = uint8(soa.Fan - cut)
}

// deepen puts a new node between the root and its lanes, and returns it. The
// root stays node 0.
func (t *Tree) deepen() uint32 {
	n := &t.store.Nodes
	child := t.allocNode()
	lanes := int(n.Used[0])
	for l := range lanes {
		t.copyLane(child, l, 0, l)
	}
	n.Used[child], n.Height[child], n.Slots[child] = uint8(lanes), n.Height[0], n.Slots[0]
	n.Below[child] = n.Below[0]
	t.clearLanes(0, 0)
	n.Height[0]++
	t.insertLane(0, 0, soa.Ref(child), n.Keys[child][0])
	t.setNodeLane(child)
	t.refitLater(child)
	return child
}

// cutLanes returns the lane at which to part a full node: at the highest key
// bit that changes in the middle.
func cutLanes(keys *[soa.Fan]uint64) int {
	cut, best := soa.Fan/2, 0
	for i := 2; i <= soa.Fan-2; i++ {
		if b := bits.Len64(keys[i-1] ^ keys[i]); b > best || b == best && square(i-soa.Fan/2) < square(cut-soa.Fan/2) {
			best, cut = b, i
		}
	}
	return cut
}
