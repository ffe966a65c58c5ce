package octree

import "github.com/zoctree/zoctree/soa"

// noteAll logs the states of live objects, if there is a log.
func (t *Tree) noteAll(ids []uint32) {
	if l := t.Store.Log; l != nil && l.Takes(len(ids), t.IDs.Len()) {
		for _, id := range ids {
			t.record(id)
		}
	}
}

// note logs the state of a live object, if there is a log.
func (t *Tree) note(id uint32) { // separate from record, so that it is inlined
	if t.Store.Log != nil {
		t.record(id)
	}
}

// noteBoxes logs the states of live objects at these locations with the boxes of bodies of one kind,
// and their bounds if there are any.
func (t *Tree) noteBoxes(ids []uint32, at []soa.Location, boxes []soa.AABB, to *Bodies) {
	l, p, sphere := t.Store.Log, &t.Store.Packets, &NoSphere
	for i, id := range ids {
		if !l.Takes(1, t.IDs.Len()) {
			continue
		}
		slot, lane := at[i].Slot(), at[i].Lane()
		if len(to.Spheres) > 0 {
			sphere = &to.Spheres[i]
		}
		// Log.Set, inlined.
		l.Changes = append(l.Changes, soa.Change{ID: id, Sphere: *sphere, Oriented: len(to.Oriented) > 0, Object: soa.Object{
			Box: boxes[i], Mask: p.MaskAt(slot, lane), Static: p.Moving[slot]>>lane&1 == 0,
		}})
	}
}

func (t *Tree) record(id uint32) {
	slot, lane := t.Locate(id)
	p := &t.Store.Packets
	_, oriented := p.Oriented(slot, lane)
	t.Store.Log.Set(id, p.Object(slot, lane), sphereOf(p, slot, lane), oriented, t.IDs.Len())
}

// dropOldChanges drops the changes of the frame before this one from the log.
func (t *Tree) dropOldChanges() {
	l := t.Store.Log
	if l == nil {
		return
	}
	if l.Frame > 0 {
		t.BeginChange() // views may have returned them
	}
	l.Tick()
}
