package octree

import (
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// removalsMax is the maximum number of deferred removals.
const removalsMax = 512

// RemoveAll removes live objects. It returns true if some of them were in packets of the tree.
func (t *Tree) RemoveAll(ids []uint32) (placed bool) {
	for i, id := range ids {
		if i%BatchStride == 0 {
			mem.Prefetch(t.IDs.Where, ids[min(i+BatchStride, len(ids)):min(i+2*BatchStride, len(ids))], 0)
		}
		if t.Remove(id) {
			placed = true
		}
	}
	t.ApplyRemovals()
	return placed
}

// Remove frees the ID of an object. Its removal from a packet of the tree is deferred until ApplyRemovals: then it
// returns true.
func (t *Tree) Remove(id uint32) (deferred bool) {
	t.Peak = max(t.Peak, t.IDs.Len())
	deferred = t.deferRemoval(id)
	t.IDs.Free(id)
	t.Store.Count--
	t.Store.Log.Remove(id, t.IDs.Len())
	return deferred
}

// deferRemoval defers the removal of a live object from its packet. A pending object is removed at
// once: then it returns false.
func (t *Tree) deferRemoval(id uint32) bool {
	if len(t.Removed) == removalsMax {
		t.ApplyRemovals() // this may change the object's location
	}
	at := t.IDs.Where[id]
	if t.Store.Packets.Parents[at.Slot()] == soa.NoParent {
		t.lift(at, nil)
		return false
	}
	t.Removed = append(t.Removed, at)
	return true
}

// reserveRemovals reserves memory for removals if the tree has more than 16 objects.
func (t *Tree) reserveRemovals(objects int) {
	if n := min(objects, removalsMax); objects > soa.Lanes && n > cap(t.Removed) {
		t.Removed = append(make([]soa.Location, 0, n), t.Removed...)
	}
}

// ApplyRemovals applies deferred removals in strides. While one stride is processed, the objects that
// fill the gaps of the next are read, and the packets of the one after that are prefetched.
func (t *Tree) ApplyRemovals() {
	gone := t.Removed
	part := func(i int) []soa.Location {
		return gone[max(min(i, len(gone)), 0):max(min(i+BatchStride, len(gone)), 0)]
	}
	for i := -2 * BatchStride; i < len(gone); i += BatchStride {
		fetchRemoved(t, part(i+2*BatchStride))
		fetchLast(t, part(i+BatchStride))
		for j := range part(i) {
			t.lift(gone[i+j], gone[i+j+1:])
		}
	}
	t.Removed = gone[:0]
}
