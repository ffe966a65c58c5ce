package linear

import "github.com/zoctree/zoctree/soa"

// noteAll logs the states of live objects, if there is a log.
func (t *Tree) noteAll(ids []uint32) {
	if l := t.store.Log; l != nil && l.Takes(len(ids), t.ids.Len()) {
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
		if !l.Takes(1, t.ids.Len()) {
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
	t.store.Log.Set(id, p.Object(slot, lane), sphereOf(p, slot, lane), oriented, t.ids.Len())
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
