package octree

import (
	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/soa"
)

// removalsMax is the maximum number of deferred removals, and removalsRoom that for which a tree reserves memory.
const (
	removalsMax  = 4096
	removalsRoom = 512
)

// RemoveAll removes live objects. It returns true if some removals from packets of the tree are deferred.
func (t *Tree) RemoveAll(ids []uint32) (deferred bool) {
	t.dropVoxelsBefore(len(ids))
	t.leaveVoxels(ids)
	for i := 0; i < len(ids); {
		if i%BatchStride == 0 {
			fetch(t, t.IDs.Where, ids[min(i+BatchStride, len(ids)):min(i+2*BatchStride, len(ids))], 0)
		}
		n := t.deferRemovals(ids[i:min(i/BatchStride*BatchStride+BatchStride, len(ids))])
		if i += n; n == 0 {
			t.removeObject(ids[i])
			i++
		}
	}
	return len(t.Removed) > 0
}

// deferRemovals is removeObject for as many objects, from the first one on, as are in packets of the tree, unless
// removals are logged. It returns their number.
func (t *Tree) deferRemovals(ids []uint32) (n int) {
	if t.Store.Log != nil {
		return 0
	}
	where, parents, room := t.IDs.Where, t.Store.Packets.Parents, removalsMax-len(t.Removed)
	for _, id := range ids[:min(len(ids), room)] {
		at := where[id]
		if at == unplacedLocation || parents[at.Slot()] == soa.NoParent {
			break
		}
		t.Removed = append(t.Removed, at)
		n++
	}
	t.Peak = max(t.Peak, t.IDs.Len())
	t.IDs.FreeBatch(ids[:n])
	t.Store.Count -= n
	return n
}

// Remove frees the ID of an object. Its removal from a packet of the tree is deferred until ApplyRemovals: then it
// returns true.
func (t *Tree) Remove(id uint32) (deferred bool) {
	if v := t.voxels; v != nil && v.valid {
		v.remove(id)
	}
	return t.removeObject(id)
}

// removeObject is Remove without the table of cells.
func (t *Tree) removeObject(id uint32) (deferred bool) {
	t.Peak = max(t.Peak, t.IDs.Len())
	if at := t.IDs.Where[id]; len(t.Removed) < removalsMax && !t.isPending(at) {
		t.Removed = append(t.Removed, at)
		deferred = true
	} else {
		deferred = t.deferRemoval(id)
	}
	t.IDs.Free(id)
	t.Store.Count--
	if l := t.Store.Log; l != nil {
		l.Remove(id, t.IDs.Len())
	}
	return deferred
}

// deferRemoval defers the removal of a live object from its packet. A pending object is removed at
// once: then it returns false.
func (t *Tree) deferRemoval(id uint32) bool {
	if len(t.Removed) == removalsMax {
		t.ApplyRemovals() // this may change the object's location
	}
	at := t.IDs.Where[id]
	if t.isPending(at) {
		t.Pack() // the last pending object fills the gap
		t.lift(t.IDs.Where[id], nil)
		return false
	}
	t.Removed = append(t.Removed, at)
	return true
}

// isPending reports whether the object at a location is pending.
func (t *Tree) isPending(at soa.Location) bool {
	return at == unplacedLocation || t.Store.Packets.Parents[at.Slot()] == soa.NoParent
}

// reserveRemovals reserves memory for removals if the tree has more than 16 objects.
func (t *Tree) reserveRemovals(objects int) {
	if n := min(objects, removalsRoom); objects > soa.Lanes && n > cap(t.Removed) {
		t.Removed = append(make([]soa.Location, 0, n), t.Removed...)
	}
}

// ApplyRemovals applies deferred removals. Some new objects take the places of removed ones (reuseLanes); the other
// removals are made in strides. While one stride is processed, the objects that
// fill the gaps of the next are read, and the packets of the one after that are prefetched.
func (t *Tree) ApplyRemovals() {
	if len(t.Removed) == 0 {
		return
	}
	t.reuseLanes()
	gone := t.Removed
	part := func(i int) []soa.Location {
		return gone[max(min(i, len(gone)), 0):max(min(i+BatchStride, len(gone)), 0)]
	}
	t.numberRemoved()
	for i := -2 * BatchStride; i < len(gone); i += BatchStride {
		fetchRemoved(t, part(i+2*BatchStride))
		fetchLast(t, part(i+BatchStride))
		for j := range part(i) {
			t.lift(gone[i+j], gone)
		}
	}
	t.Removed = gone[:0]
}

// WillRemoveOutside records an object that moves out of a world with OutsideRemove. RemoveOutside checks the object
// again, because another move may return it, or a call remove it, before then.
func (t *Tree) WillRemoveOutside(id uint32, box *soa.AABB) {
	if t.Config.Outside == OutsideRemove && t.LeftWorld(box.Center()) {
		t.Leaving.Add(id)
	}
}

// RemoveOutside removes the objects that have left the world. It returns true if some of them were in packets of the
// tree.
func (t *Tree) RemoveOutside() (placed bool) {
	t.RemovedOutside = t.RemovedOutside[:0]
	if t.Leaving.Len() == 0 {
		return false
	}
	t.Pack()
	var some bitset.Some
	for from := 0; t.Leaving.Len() > 0; {
		ids := t.Leaving.Take(&some, &from)
		gone := ids[:0]
		for _, id := range ids {
			h, ok := t.IDs.Handle(id)
			if !ok {
				continue
			}
			slot, lane := t.Locate(id)
			if !t.LeftWorld(t.Store.Packets.Box(slot, lane).Center()) {
				continue
			}
			gone = append(gone, id)
			t.RemovedOutside = append(t.RemovedOutside, h)
		}
		if t.RemoveAll(gone) {
			placed = true
		}
		t.ApplyRemovals()
	}
	if len(t.RemovedOutside) > 0 {
		t.BeginChange()
		t.Work.RemovedOutside += len(t.RemovedOutside)
	}
	return placed
}

// leaving checks that each object outside a world with OutsideRemove is recorded for removal.
func (c *checker) leaving() {
	t := c.t
	if t.Config.Outside != OutsideRemove {
		return
	}
	for id := range uint32(t.IDs.Cap()) {
		if !t.IDs.Alive(id) {
			continue
		}
		slot, lane := t.Locate(id)
		box := t.Store.Packets.Box(slot, lane)
		if t.LeftWorld(box.Center()) && !t.Leaving.Has(id) {
			w := &t.Config.World
			c.fail("object %d with the box %v to %v is outside the world %v to %v, and is not recorded for removal", id, box.Min, box.Max, w.Min, w.Max)
		}
	}
}

// Clear removes all objects: see linear.Tree.Clear.
func (t *Tree) Clear() {
	t.DropVoxels()
	t.IDs.Clear()
	t.Store.Log.Clear()
	t.vacate()
}

// vacate removes all nodes and packets.
func (t *Tree) vacate() {
	t.BeginChange()
	t.Arrangement++
	t.clearStore()
	t.Centres, t.FastBounds = soa.Empty(), none
	t.Code.Outlier = false
	t.Frozen = false
	t.forget()
	t.forgetFree()
}

// forget resets the lists and numbers of pending flushes, refits and ticks.
func (t *Tree) forget() {
	t.Pending, t.Arrived, t.Base, t.Peak = 0, 0, t.IDs.Len(), t.IDs.Len()
	t.Lists.forget()
	t.RecutCursor, t.Uncut, t.PlacedThisTick = 0, 0, 0
	t.Outside, t.SingleMoves, t.Strayed, t.Grafted = 0, 0, 0, 0
	t.BulkMotion = false
}
