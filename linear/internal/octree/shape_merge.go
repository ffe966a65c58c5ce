package octree

import (
	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/soa"
)

// Limits of the lifespan of an emptied node of packets, in ticks. The lifespan starts at
// Config.Lifespan, by default emptyTicksMin, and doubles each time the node is used again, up to emptyTicksMax
// (E. Nevala, Introduction to Octrees, 2014). A stream of objects through the same cells then finds
// its nodes in place.
const (
	emptyTicksMin = 8
	emptyTicksMax = 64
)

// joinedPackets is the number of packets that hold the objects of two leaf nodes to be merged easily. A node is split
// when 16 do not: between a split and a merge a node loses or gains an eighth of its objects. With 10 packets, a city
// of 10,000 objects of which one in 100 moves a frame had 1.28 times as many nodes as a new tree, with 14 it has 1.14
// times as many, for the same number of shifted objects; queries visit as much (go test ./linear -run TestAge).
const joinedPackets = soa.Fan * 7 / 8

// EmptyNode is an empty node that is freed at a tick unless it is used before.
type EmptyNode struct {
	node uint32
	tick uint32
}

// emptyTicks returns the number of ticks that an empty node is kept.
func (t *Tree) emptyTicks(node uint32) int {
	return max(int(t.Store.Nodes.MinTicks[node]), t.Config.Lifespan, 0)
}

// prune merges packets and nodes that are underfull after removals, and frees nodes that have been
// empty for their lifespan. It visits only nodes that lost objects, and leaves some to later ticks when it has moved
// most objects.
func (t *Tree) prune(most int) {
	var some bitset.Some
	moved := t.Work.Shifted
	for from := 0; t.Underfull.Len() > 0 && t.Work.Shifted-moved < most; {
		for _, node := range t.Underfull.Take(&some, &from) {
			t.mergeUnderfull(node)
		}
	}
	// The list is in the order in which nodes became empty, not in that of their ticks.
	kept := t.EmptyNodes[:0]
	for _, g := range t.EmptyNodes {
		n := &t.Store.Nodes
		if int(g.node) >= len(n.Hot) || n.Used[g.node] == 0 || n.FreeAtTick[g.node] != g.tick {
			continue // used since
		}
		if g.tick > t.Tick {
			kept = append(kept, g)
			continue
		}
		t.setMinTicks(g.node, n.MinTicks[g.node], 0)
		t.removeNode(g.node)
	}
	t.EmptyNodes = kept
}

// objectsOf returns the number of objects in a node of packets.
func (t *Tree) objectsOf(node uint32) (k int) {
	s := t.Store
	for l := range s.Nodes.Used[node] {
		k += int(s.Packets.Counts[s.Nodes.Hot[node].Child[l].Index()])
	}
	return k
}

// mergeUnderfull merges underfull packets of a node, and the node with a neighbour. An empty node is
// scheduled to be freed.
func (t *Tree) mergeUnderfull(node uint32) {
	n := &t.Store.Nodes
	if int(node) >= len(n.Hot) || n.Used[node] == 0 || n.Height[node] != 0 {
		return // freed, or no longer a node of packets
	}
	k := int(n.Below[node])
	t.mergePackets(node, k)
	if k == 0 {
		if n.FreeAtTick[node] == 0 {
			dies := t.Tick + uint32(t.emptyTicks(node))
			t.setMinTicks(node, n.MinTicks[node], dies)
			t.EmptyNodes = append(t.EmptyNodes, EmptyNode{node, dies})
			t.Work.Emptied++
		}
		return
	}
	t.joinNodes(node)
}

// joinNodes merges a node with a neighbour below the same parent, and continues with the parent,
// which has lost a lane. It merges leaf nodes whose objects fit joinedPackets easily, and other nodes
// that together have lanes to spare. It removes the root's level if the root is left with one node
// below it.
func (t *Tree) joinNodes(node uint32) {
	n := &t.Store.Nodes
	for n.Parents[node] != soa.NoParent {
		parent, l := n.Parents[node].Node(), n.Parents[node].Lane()
		if l+1 == int(n.Used[parent]) || !t.mergeable(parent, l) {
			if l--; l < 0 || !t.mergeable(parent, l) {
				break
			}
		}
		t.mergeNodes(parent, l)
		node = parent
	}
	t.flatten()
}

// mergeable reports whether lanes l and l+1 of a parent are nodes to be merged.
func (t *Tree) mergeable(parent uint32, l int) bool {
	n := &t.Store.Nodes
	left, right := n.Hot[parent].Child[l], n.Hot[parent].Child[l+1]
	if (left | right).IsPacket() || outlierBorder(&n.Keys[parent], l) {
		return false
	}
	a, b := left.Index(), right.Index()
	if n.Height[a] != n.Height[b] || n.FreeAtTick[a] != 0 || n.FreeAtTick[b] != 0 || t.isGraft(a) || t.isGraft(b) {
		return false
	}
	if n.Height[a] > 0 {
		return n.Used[a]+n.Used[b] <= soa.Fan*3/4 && IsCell(t.Store, a) == IsCell(t.Store, b)
	}
	ka, kb := int(n.Below[a]), int(n.Below[b])
	return n.Used[a]+n.Used[b] <= soa.Fan && ka > 0 && kb > 0 && ka+kb <= t.roomyCapacity(joinedPackets)
}

// mergePackets cuts the packets of a node of k objects anew when they are half empty, or else joins
// neighbours that together hold few.
func (t *Tree) mergePackets(node uint32, k int) {
	n, p := &t.Store.Nodes, &t.Store.Packets
	if want := (k + t.Config.MergeBelow - 1) / t.Config.MergeBelow; want > 0 && want < int(n.Used[node]) &&
		2*k <= int(n.Used[node])*t.Config.SplitAbove {
		t.recutInto(node, want)
		t.Work.Merges++
		return
	}
	child := &n.Hot[node].Child
	before := p.Counts[child[0].Index()] // objects of the previous lane
	for l := 1; l < int(n.Used[node]); {
		both := before + p.Counts[child[l].Index()]
		if int(both) > t.Config.MergeBelow {
			before = p.Counts[child[l].Index()]
			l++
			continue
		}
		t.joinPackets(node, l-1)
		t.Work.Merges++
		before = both
	}
}

// mergeNodes moves the lanes of the node at lane l+1 of a parent into the node at lane l.
func (t *Tree) mergeNodes(parent uint32, l int) {
	n := &t.Store.Nodes
	a, b := n.Hot[parent].Child[l].Index(), n.Hot[parent].Child[l+1].Index()
	leaf := n.Height[a] == 0
	if IsCell(t.Store, b) {
		t.setHigh(a, n.Cells[b].High)
	}
	t.moveLanes(a, b, 0)
	if leaf {
		t.joinSlots(a, b)
	} else {
		t.setSlots(a, soa.Span{})
	}
	t.freeNode(b)
	t.removeLane(parent, l+1)
	if leaf {
		t.mergePackets(a, t.objectsOf(a))
		t.setArea(a)
	}
	t.setNodeLane(a)
	t.regroup(a)
	t.scatter(soa.MakeUp(parent, 0))
	t.Work.Merges++
}

// flatten removes nodes, except leaf nodes, between the root and its only descendant with several
// lanes. The root stays node 0.
func (t *Tree) flatten() {
	n := &t.Store.Nodes
	if t.forked() {
		t.flattenBranches()
	}
	for n.Used[0] == 1 && n.Height[0] > 1 {
		child := n.Hot[0].Child[0].Index()
		t.clearLanes(0, 0)
		t.moveLanes(0, child, 0)
		t.setHeight(0, n.Height[child])
		t.setSlots(0, n.Slots[child])
		if !IsCell(t.Store, 0) {
			t.setCell(0, n.Cells[child])
		}
		t.freeNode(child)
		t.Work.Merges++
		if n.Height[0] == 0 { // siblings of the child were higher
			t.recount(0)
		}
	}
}

// retireNode frees a node of packets, whose packets are empty, and its slots.
func (t *Tree) retireNode(node uint32) {
	t.dropPackets(node, 0)
	t.releaseSlots(node)
	t.freeNode(node)
}

// removeNode frees an empty node of packets, and the nodes above it that hold nothing else. Its
// keys are given to the previous cell below the same parent, or else to the next one. The last node
// of the tree stays.
func (t *Tree) removeNode(node uint32) {
	n := &t.Store.Nodes
	top := node
	for n.Parents[top] != soa.NoParent && n.Used[n.Parents[top].Node()] == 1 {
		top = n.Parents[top].Node()
	}
	if n.Parents[top] == soa.NoParent {
		return
	}
	up := n.Parents[top]
	t.giveKeysToNeighbour(top)
	for above := n.Parents[node]; ; above = n.Parents[above.Node()] {
		done := node == top
		if n.Height[node] == 0 {
			t.retireNode(node)
		} else {
			t.freeNode(node)
		}
		t.Work.Freed++
		if done {
			break
		}
		node = above.Node()
	}
	parent, l := up.Node(), up.Lane()
	t.removeLane(parent, l)
	t.scatter(up)
	// The nodes before and after it are neighbours now.
	if ref := n.Hot[parent].Child[max(l-1, 0)]; !ref.IsPacket() {
		parent = ref.Index()
	}
	t.joinNodes(parent)
}

// giveKeysToNeighbour gives the keys of a branch that is to be removed to the previous cell below the same
// parent, or else to the next one. A branch below a cell has none.
func (t *Tree) giveKeysToNeighbour(top uint32) {
	n := &t.Store.Nodes
	first, last := top, top
	for !IsCell(t.Store, first) {
		if n.Height[first] == 0 {
			return
		}
		first = n.Hot[first].Child[0].Index()
	}
	for !IsCell(t.Store, last) {
		last = n.Hot[last].Child[n.Used[last]-1].Index()
	}
	up := n.Parents[top]
	if up.Lane() > 0 {
		prev := n.Hot[up.Node()].Child[up.Lane()-1].Index()
		for !IsCell(t.Store, prev) {
			prev = n.Hot[prev].Child[n.Used[prev]-1].Index()
		}
		if end := up.Lane()+1 == int(n.Used[up.Node()]); end || !t.isGraft(prev) {
			t.setHigh(prev, max(n.Cells[prev].High, n.Cells[last].High))
			return
		}
	}
	next := n.Hot[up.Node()].Child[up.Lane()+1].Index()
	for !IsCell(t.Store, next) {
		next = n.Hot[next].Child[0].Index()
	}
	t.setLow(next, n.Cells[first].Low)
}

// eachCell calls f with the cells below a node in the order of keys.
func (t *Tree) eachCell(node uint32, f func(cell uint32)) {
	if IsCell(t.Store, node) {
		f(node)
		return
	}
	n := &t.Store.Nodes
	for _, ref := range n.Hot[node].Child[:n.Used[node]] {
		t.eachCell(ref.Index(), f)
	}
}
