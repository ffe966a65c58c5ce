package linear

import "github.com/zoctree/zoctree/soa"

// Changes returns the change log from change number since on, in the order of the changes, and the
// number of the next change, to be passed in the next call. If an object has changed several times,
// its last entry is its state; an entry records whether the object has an oriented box, which
// [View.Oriented] returns. ok is false if some of these changes are no longer in the log, or if the
// tree was made without [Config.Log]: then the caller must read the whole tree.
//
// The log holds the changes since the last [Tree.Tick] and those of the frame before it. It holds
// no changes of a frame that changed more than 1,024 objects and one in eight, and none after
// [Tree.Clear] or a batch into an empty tree. Internal work of the tree, such as a rebuild, is not
// logged.
//
// The slice belongs to the tree, is read-only, and is valid as long as the view. Changes takes
// constant time and allocates nothing.
func (v View) Changes(since uint64) (changes []Change, next uint64, ok bool) {
	l := v.Store().Log
	if l == nil {
		return nil, 0, false
	}
	changes, ok = l.Since(since)
	return changes, l.Next(), ok
}

// noteAll logs the states of live objects, if there is a log.
func (t *Tree) noteAll(ids []uint32) {
	if l := t.store.Log; l != nil && l.Takes(len(ids), t.Len()) {
		for _, id := range ids {
			t.record(id)
		}
	}
}

// note logs the state of a live object, if there is a log.
func (t *Tree) note(id uint32) { // separate from record, so that it is inlined
	if t.store.Log != nil {
		t.record(id)
	}
}

// noteBoxes logs the states of live objects at these locations with the boxes of bodies, and their
// bounds if there are any.
func (t *Tree) noteBoxes(ids []uint32, at []soa.Location, boxes []soa.AABB, to *bodies) {
	l, p, sphere := t.store.Log, &t.store.Packets, &noSphere
	for i, id := range ids {
		if !l.Takes(1, t.Len()) {
			continue
		}
		slot, lane := at[i].Slot(), at[i].Lane()
		if to.spheres != nil {
			sphere = &to.spheres[i]
		}
		// Log.Set, inlined.
		l.Changes = append(l.Changes, soa.Change{ID: id, Sphere: *sphere, Oriented: to.oriented != nil, Object: soa.Object{
			Box: boxes[i], Mask: p.Masks[slot][lane], Static: p.Moving[slot]>>lane&1 == 0,
		}})
	}
}

func (t *Tree) record(id uint32) {
	slot, lane := t.locate(id)
	p := &t.store.Packets
	_, oriented := p.Oriented(slot, lane)
	t.store.Log.Set(id, p.Object(slot, lane), sphereOf(p, slot, lane), oriented, t.Len())
}

// dropOldChanges drops the changes of the frame before this one from the log.
func (t *Tree) dropOldChanges() {
	l := t.store.Log
	if l == nil {
		return
	}
	if l.Frame > 0 {
		t.beginChange() // views may have returned them
	}
	l.Tick()
}
