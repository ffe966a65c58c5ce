package linear

import (
	"fmt"

	"github.com/zoctree/zoctree/soa"
)

// View is an immutable look at a tree between two changes. It is a small value
// that every query takes, valid until the next change of the tree; using it
// later panics. Any number of goroutines may use views of one tree at a time.
type View struct {
	store *soa.Store
	life  *uint64 // counts what ends views: changes, or releases of what is held
	at    uint64  // of life; later the view is stale
	index *index  // where the objects live, by ID; four fields, so that a view is in registers
}

// View returns a look at the tree as it is now. It costs an atomic load if nothing
// waits. Otherwise it first makes the single moves that have been recorded, and flushes
// the pending list when it has become too long ([Config.PendingMin]): that takes the time
// of the moves, and of a [Tree.Flush], which may be that of a rebuild. A program that
// inserts much and is to query without delay calls [Tree.Tick] before. A list that
// finds no room stays pending, where queries see it.
//
// When views are taken is nothing to the tree, but that a look that flushes is one of the
// calls of which the tree is a function; [Work] counts these. After [Tree.Apply] and
// [Tree.Tick] there is nothing for a look to do. Any number of goroutines
// may take views between two changes: the first does what waits, the others wait for
// it. So it is with all that reads the tree.
func (t *Tree) View() View {
	t.look()
	return View{t.store, &t.store.Version, t.store.Version, &t.index}
}

// Store returns the columns that the view looks at. They are for reading only.
// It panics when the tree has changed since the view was taken, or when what it is a
// view of has been released.
func (v View) Store() *soa.Store {
	if v.life == nil || *v.life != v.at {
		v.stale()
	}
	return v.store
}

//go:noinline
func (v View) stale() {
	switch v.life {
	case nil:
		panic("linear: the zero View was used: take one with Tree.View")
	case &v.store.Version:
		if *v.life == closedVersion {
			panic("linear: a view of a snapshot was used after it was closed")
		}
		panic(fmt.Sprintf("linear: a view of version %d was used after the tree changed to version %d", v.at, *v.life))
	}
	panic(fmt.Sprintf("linear: a view of a version that was held was used after its release: turn %d, the holder is in turn %d", v.at, *v.life))
}

// Len returns the number of objects.
func (v View) Len() int { return v.Store().Count }

// IDs returns the IDs of the live lanes of a packet slot, without copying. The
// caller must not write to them. It panics if there is no such slot.
func (v View) IDs(slot uint32) []uint32 {
	p := &v.Store().Packets
	if uint64(slot) >= uint64(len(p.Counts)) {
		noSlot(slot, len(p.Counts))
	}
	return p.IDs[slot][:p.Counts[slot]:p.Counts[slot]]
}

// Slots returns the number of packet slots, used or not.
func (v View) Slots() int { return len(v.Store().Packets.Counts) }

//go:noinline
func noSlot(slot uint32, of int) {
	panic(fmt.Sprintf("linear: packet slot %d of a tree of %d", slot, of))
}

// Box returns the box of an object by the slot and lane it lives in. It panics if there is no such slot or lane.
func (v View) Box(slot uint32, lane int) soa.AABB {
	p := &v.Store().Packets
	if lane < 0 || lane >= soa.Lanes {
		panic(fmt.Sprintf("linear: lane %d of a packet of %d", lane, soa.Lanes))
	}
	if uint64(slot) >= uint64(len(p.Counts)) {
		noSlot(slot, len(p.Counts))
	}
	return p.Box(slot, lane)
}

// Object returns the object of that ID as the view has it: its box, its type mask and
// whether it is static; [View.Sphere] and [View.Oriented] have its bounds. ok is false when no object of the
// view has the ID. Any number of goroutines may ask.
//
// In a view of a tree it takes a look at the tree's index. A published version has an
// index of its own, and until somebody asks it for an object there is none, and none is
// made. The first who asks a version makes it, in time proportional to the objects, or
// renews that of an earlier version in the same memory, in time proportional to the
// packets that objects have come to or left since it was renewed last; a rebuild is such
// a change of all of them. Others who ask meanwhile wait for that; then it is a look at
// the index. An index takes 4 bytes for each ID up to the largest, which
// [Stats.VersionBytes] counts, and only its growth allocates.
func (v View) Object(id uint32) (o soa.Object, ok bool) {
	slot, lane, ok := v.Locate(id)
	if !ok {
		return o, false
	}
	return v.store.Packets.Object(slot, lane), true
}

// Sphere returns the bounding sphere x, y, z, radius of the object of that ID as the view
// has it; ok is false when no object of the view has the ID, or it has no sphere. It costs
// what [View.Object] does.
func (v View) Sphere(id uint32) (sphere [4]float32, ok bool) {
	slot, lane, ok := v.Locate(id)
	if !ok {
		return sphere, false
	}
	return v.store.Packets.Sphere(slot, lane)
}

// Oriented returns the oriented box of the object of that ID as the view has it; ok is
// false when no object of the view has the ID, or it has no oriented box. It costs what
// [View.Object] does.
func (v View) Oriented(id uint32) (b soa.OrientedBox, ok bool) {
	slot, lane, ok := v.Locate(id)
	if !ok {
		return b, false
	}
	return v.store.Packets.Oriented(slot, lane)
}

// Locate returns the slot and the lane of an object; ok is false when no object of the view
// has the ID. It costs what [View.Object] does; [View.Locator] is for those who ask for many.
func (v View) Locate(id uint32) (slot uint32, lane int, ok bool) {
	s := v.Store()
	return find(v.index.of(s), &s.Packets, id)
}
