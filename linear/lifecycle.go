package linear

import (
	"iter"

	"github.com/zoctree/zoctree/soa"
)

// Has reports whether an object has this ID now.
func (t *Tree) Has(id uint32) bool { return t.octree.IDs.Alive(id) }

// All returns an iterator over the live objects in the order of their IDs. It takes time proportional to the
// largest ID ever assigned and allocates nothing. Changing the tree during the iteration makes it panic: record the
// changes in a [Batch]. [View.All] iterates in the order of memory, which is faster in a large tree.
func (t *Tree) All() iter.Seq2[uint32, Object] {
	v := t.View()
	return func(yield func(uint32, soa.Object) bool) {
		s := v.Store()
		for id := range uint32(t.octree.IDs.Cap()) {
			if !t.octree.IDs.Alive(id) {
				continue
			}
			slot, lane := t.octree.Locate(id)
			if !yield(id, s.Packets.Object(slot, lane)) {
				return
			}
			v.Store() // panics if the tree has changed
		}
	}
}

// Clear removes all objects, as [Batch.RemoveAll] does. Their handles become stale; the next IDs are 0, 1, 2, … again.
// The tree keeps its memory, its world and its work counters: to fill it again allocates nothing. Clear takes time
// proportional to the largest ID ever assigned, and invalidates all views: an iteration in progress panics.
func (t *Tree) Clear() {
	t.applyDeferred()
	t.octree.Clear()
}

// Clone returns an independent deep copy: the same objects with the same IDs and handles at the same locations. Queries
// and changes have the same results in both. It takes time and memory proportional to the tree; buffers and slack are
// not copied. It reads the tree like [Tree.View], so any number of goroutines may query or clone the tree at a time.
func (t *Tree) Clone() *Tree {
	c := new(Tree)
	t.cloneTo(c)
	return c
}

// cloneTo writes a copy to a zero tree.
func (t *Tree) cloneTo(c *Tree) {
	t.sync()
	t.octree.CopyTo(&c.octree)
	c.deferred.synced.Store(true)
}

// Trim releases unused memory: the buffers that builds keep for the next one, IDs that can never be used again, and
// memory that the log does not need. The next build allocates its buffers again. Columns with room for at least
// four times as many objects as there are, are replaced by new ones. If the packets in them could hold that many,
// the tree is rebuilt, regardless of [Config.Policy]. Trim invalidates all views: an iteration in progress panics.
// Handles of removed objects stay stale.
//
// Afterwards, an empty tree takes some kilobytes. So do the versions of a published tree from the next
// [Publisher.Publish] on, except versions that readers hold.
//
// Trim takes time proportional to the largest ID ever assigned, and that of a rebuild.
func (t *Tree) Trim() {
	t.applyDeferred()
	t.deferred.free()
	t.octree.Trim()
	if t.shared != nil {
		t.shared.dropFree()
	}
}
