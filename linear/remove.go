package linear

import (
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// removalsMax is the maximum number of deferred removals.
const removalsMax = 512

// removeAll removes live objects. It returns true if some of them were in packets of the tree.
func (t *Tree) removeAll(ids []uint32) (placed bool) {
	for i, id := range ids {
		if i%batchStride == 0 {
			mem.Prefetch(t.ids.Where, ids[min(i+batchStride, len(ids)):min(i+2*batchStride, len(ids))], 0)
		}
		if t.remove(id) {
			placed = true
		}
	}
	t.applyRemovals()
	return placed
}

// remove frees the ID of an object. Its removal from a packet of the tree is deferred until applyRemovals: then it
// returns true.
func (t *Tree) remove(id uint32) (deferred bool) {
	t.peak = max(t.peak, t.ids.Len())
	deferred = t.deferRemoval(id)
	t.ids.Free(id)
	t.store.Count--
	t.store.Log.Remove(id, t.ids.Len())
	return deferred
}

// deferRemoval defers the removal of a live object from its packet. A pending object is removed at
// once: then it returns false.
func (t *Tree) deferRemoval(id uint32) bool {
	if len(t.removed) == removalsMax {
		t.applyRemovals() // this may change the object's location
	}
	at := t.ids.Where[id]
	if t.store.Packets.Parents[at.Slot()] == soa.NoParent {
		t.lift(at, nil)
		return false
	}
	t.removed = append(t.removed, at)
	return true
}

// reserveRemovals reserves memory for removals if the tree has more than 16 objects.
func (t *Tree) reserveRemovals(objects int) {
	if n := min(objects, removalsMax); objects > soa.Lanes && n > cap(t.removed) {
		t.removed = append(make([]soa.Location, 0, n), t.removed...)
	}
}

// applyRemovals applies deferred removals in strides. While one stride is processed, the objects that
// fill the gaps of the next are read, and the packets of the one after that are prefetched.
func (t *Tree) applyRemovals() {
	gone := t.removed
	part := func(i int) []soa.Location {
		return gone[max(min(i, len(gone)), 0):max(min(i+batchStride, len(gone)), 0)]
	}
	for i := -2 * batchStride; i < len(gone); i += batchStride {
		fetchRemoved(t, part(i+2*batchStride))
		fetchLast(t, part(i+batchStride))
		for j := range part(i) {
			t.lift(gone[i+j], gone[i+j+1:])
		}
	}
	t.removed = gone[:0]
}
