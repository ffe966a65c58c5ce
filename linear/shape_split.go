package linear

import (
	"math/bits"

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
	t.setHigh(to, p.Keys[slot].High)
	t.insertLane(up.Node(), up.Lane()+1, soa.PacketRef(to), low)
	t.cutInterval(slot, to, keys[cut-1].key, low)
	t.work.Splits++
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

// hasBlock reports whether a node of packets owns a block of slots, as
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
	t.setSlots(node, soa.Span{First: first, End: first + soa.BlockSlots})
	t.scatter(n.Up[node])
}

// splitNode parts a full node in two, its parents first where they
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
	next := t.newNode(n.Height[node])
	t.setLife(next, n.Life[node], 0)
	t.work.Splits++
	if n.Height[node] == 0 {
		t.splitBlock(node, next, cut)
	} else {
		t.setSlots(node, soa.Span{})
	}
	t.moveLanes(next, node, cut)
	t.insertLane(up.Node(), up.Lane()+1, soa.Ref(next), n.Keys[next][0])
	t.setNodeLane(node)
	t.setNodeLane(next)
	t.regroup(node)
	t.regroup(next)
	t.scatter(up)
}

// splitBlock moves the packets from lane cut of a node on to a block for node next.
func (t *Tree) splitBlock(node, next uint32, cut int) {
	n := &t.store.Nodes
	if !t.hasBlock(node) {
		t.giveBlock(node)
	}
	first := t.allocBlock()
	t.setSlots(next, soa.Span{First: first, End: first + soa.BlockSlots})
	for l := cut; l < soa.Fan; l++ {
		t.movePacket(n.Hot[node].Child[l].Index(), first+uint32(l-cut))
	}
}

// deepen puts a new node between the root and its lanes, and returns it. The
// root stays node 0.
func (t *Tree) deepen() uint32 {
	n := &t.store.Nodes
	child := t.newNode(n.Height[0])
	t.setSlots(child, n.Slots[0])
	t.moveLanes(child, 0, 0)
	t.setHeight(0, n.Height[0]+1)
	t.insertLane(0, 0, soa.Ref(child), n.Keys[child][0])
	t.setNodeLane(child)
	t.regroup(child)
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
