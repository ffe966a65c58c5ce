package octree

import (
	"math/bits"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/soa"
)

// Removal by region frees whole subtrees, and all lanes of a packet together. It leaves emptied packets to the next
// tick, which merges them, as a removal by ID does. IDs are freed in ascending order, so the IDs of later objects do
// not depend on the structure of the tree.

// RemoveRegion removes the objects of a region from a tree without deferred removals and moves, and returns their
// number. It appends their IDs to dst in ascending order, unless dst is nil. If there are none the tree is unchanged.
func (t *Tree) RemoveRegion(dst []uint32, r *Region) (ids []uint32, n int) {
	x := t.regionSearch()
	x.set(r)
	x.find(t.Store)
	x.collect(t.Store)
	if t.Unpacked() > 0 {
		x.findRecords(t.records.list())
	}
	if n = x.gone.Len(); n == 0 {
		return dst, 0
	}
	t.BeginChange()
	t.Peak = max(t.Peak, t.IDs.Len())
	dst = t.freeIDs(dst, &x.gone)
	if t.IDs.Len() == 0 {
		t.clearRecords()
		t.vacate()
		return dst, n
	}
	t.growRecords(0)
	t.addRecordPackets() // see removePending
	for _, r := range x.some {
		t.dropLanes(r.First, r.N&^asm.RangeHit)
	}
	x.parents = x.parents[:0]
	for _, ref := range x.whole {
		if ref.IsPacket() {
			t.dropLanes(ref.Index(), 1<<soa.Lanes-1)
		} else {
			t.removeSubtree(x, ref.Index())
		}
	}
	t.joinParents(x.parents)
	t.removePending(x)
	return dst, n
}

// removePending removes the selected pending objects, whose IDs have been freed, from the end of the list on: the last
// object of the list, which stays, fills each gap. The result does not depend on how many objects are records: these
// have the packets that Pack would fill, which it frees.
func (t *Tree) removePending(x *search) {
	r := t.records
	for i := len(x.records) - 1; i >= 0; i-- {
		k := x.records[i]
		r.n--
		r.objects[k], r.ids[k] = r.objects[r.n], r.ids[r.n]
	}
	t.Pending -= len(x.records)
	t.Arrangement += uint64(len(x.records))
	for i := len(x.pending) - 1; i >= 0; i-- {
		slot := x.pending[i].First
		for lanes := x.pending[i].N &^ asm.RangeHit; lanes != 0; {
			lane := bits.Len32(lanes) - 1
			lanes &^= 1 << lane
			t.fillGap(soa.MakeLocation(slot, lane))
			t.Arrangement++
		}
	}
	t.freeTail()
}

// freeIDs frees the IDs of a set, which it empties, in ascending order. It appends them to dst unless that is nil.
func (t *Tree) freeIDs(dst []uint32, ids *bitset.Set) []uint32 {
	t.dropVoxelsBefore(ids.Len())
	var some bitset.Some
	for from := 0; ids.Len() > 0; {
		list := ids.Take(&some, &from)
		t.leaveVoxels(list)
		for _, id := range list {
			t.IDs.Free(id)
			t.Store.Count--
			t.Store.Log.Remove(id, t.IDs.Len())
		}
		if dst != nil {
			dst = append(dst, list...)
		}
	}
	return dst
}

// removeSubtree removes a subtree whose objects have been removed, with its slots, nodes, and the nodes above that hold
// nothing else. Its keys are given to a neighbour. If the tree has no other node, it is kept with empty packets.
func (t *Tree) removeSubtree(x *search, top uint32) {
	n := &t.Store.Nodes
	for n.Parents[top] != soa.NoParent && n.Used[n.Parents[top].Node()] == 1 {
		top = n.Parents[top].Node()
	}
	up := n.Parents[top]
	if up == soa.NoParent {
		x.eachPacket(t.Store, soa.Ref(top), func(slot uint32) { t.dropLanes(slot, 1<<soa.Lanes-1) })
		return
	}
	t.giveKeysToNeighbour(top)
	t.count(up.Node(), 0) // the refit counts anew
	t.freeSubtree(x, top)
	t.removeLane(up.Node(), up.Lane())
	t.scatter(up)
	x.parents = append(x.parents, up.Node())
}

// freeSubtree frees the nodes and slots of a subtree.
func (t *Tree) freeSubtree(x *search, top uint32) {
	n := &t.Store.Nodes
	x.below = append(x.below[:0], top)
	for len(x.below) > 0 {
		node := x.below[len(x.below)-1]
		x.below = x.below[:len(x.below)-1]
		t.Work.Freed++
		if n.Height[node] == 0 {
			t.dropPackets(node, 0)
			t.retireNode(node)
			continue
		}
		for _, child := range n.Hot[node].Child[:n.Used[node]] {
			x.below = append(x.below, child.Index())
		}
		t.freeNode(node)
	}
	t.Arrangement++
}

// joinParents merges nodes that have lost lanes with their neighbours.
func (t *Tree) joinParents(parents []uint32) {
	n := &t.Store.Nodes
	for _, node := range parents {
		if n.Used[node] > 0 && n.Height[node] > 0 { // else it has been freed or merged
			t.joinNodes(node)
		}
	}
}
