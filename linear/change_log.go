package linear

import "github.com/zoctree/zoctree/soa"

// Changes returns the changes of objects from number since on, in the order in
// which they were made, and the number that the next change will have: what to
// ask from next time. Of an object that changed several times the last entry is
// its state; that it has an oriented box is told there, and [View.Oriented] has it. ok is
// false when some of these changes have been forgotten, or when
// the tree was made without [Config.Log]: then only the whole tree tells.
//
// The log holds the changes since the last [Tree.Tick] and those of the frame
// before it. Of a frame that changed more than 1,024 objects and one in eight it
// holds none, and neither does it after [Tree.Clear] or a batch into an empty
// tree. What a tree does by itself, such as a rebuild, is no change.
//
// The slice belongs to the tree and is for reading only, as long as the view is
// valid. It takes constant time and allocates nothing.
func (v View) Changes(since uint64) (changes []soa.Change, next uint64, ok bool) {
	l := v.Store().Log
	if l == nil {
		return nil, 0, false
	}
	changes, ok = l.Since(since)
	return changes, l.Next(), ok
}

// noteAll records the states of live objects, if there is a log.
func (t *Tree) noteAll(ids []uint32) {
	if l := t.store.Log; l != nil && l.Takes(len(ids), t.Len()) {
		for _, id := range ids {
			t.record(id)
		}
	}
}

// note records the state of a live object, if there is a log.
func (t *Tree) note(id uint32) { // apart from record, so that it is inlined
	if t.store.Log != nil {
		t.record(id)
	}
}

// noteBoxes records the states that live objects at these places get by the boxes of
// bodies, and by their bounds if there are any.
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
		// What Log.Set does, written in place.
		l.Changes = append(l.Changes, soa.Change{ID: id, Sphere: *sphere, Oriented: to.oriented != nil, Object: soa.Object{
			Box: boxes[i], Mask: p.Masks[slot][lane], Static: p.Moving[slot]>>lane&1 == 0,
		}})
	}
}

func (t *Tree) record(id uint32) {
	slot, lane := t.where(id)
	p := &t.store.Packets
	_, oriented := p.Oriented(slot, lane)
	t.store.Log.Set(id, p.Object(slot, lane), sphereOf(p, slot, lane), oriented, t.Len())
}

// endFrame lets the log drop the changes of the frame before this one.
func (t *Tree) endFrame() {
	l := t.store.Log
	if l == nil {
		return
	}
	if l.Frame > 0 {
		t.change() // views may have handed them out
	}
	l.Tick()
}
