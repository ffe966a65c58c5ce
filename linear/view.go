package linear

import (
	"fmt"

	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// View is an immutable snapshot of a tree between two changes. It is a small value that every query takes, valid
// until the next change of the tree; using it later panics. Any number of goroutines may use views of one tree at a
// time.
type View struct {
	store    *soa.Store
	validity *uint64       // counter that invalidates views: changes, or releases of a version
	at       uint64        // value of life; the view is stale once it differs
	index    *octree.Index // locations by ID; with four fields, a view fits in registers
}

// View returns a view of the current state of the tree. It costs one atomic load if no change is deferred.
// Otherwise it first applies the deferred single moves, and flushes the pending list when that has become too long
// ([Config.PendingMin]). This takes the time of the moves and of a [Tree.Flush], which may be that of a rebuild. A
// program that inserts many objects and must query without delay calls [Tree.Tick] first. If the flush finds no
// room, the list stays pending; queries see pending objects.
//
// The times at which views are taken do not affect the tree, except that a view which flushes is one of the calls
// that determine its structure; [Work] counts these. After [Tree.Apply] and [Tree.Tick] nothing is deferred. Any
// number of goroutines may take views between two changes: the first applies the deferred changes while the others
// block. The same holds for all methods that read the tree.
func (t *Tree) View() View {
	t.sync()
	return View{t.octree.Store, &t.octree.Store.Version, t.octree.Store.Version, &t.octree.Index}
}

// Store returns the columns of the view. The caller must not write to them. Store panics when the tree has changed
// since the view was taken, or when the version of the view has been released.
func (v View) Store() *soa.Store {
	if v.validity == nil || *v.validity != v.at {
		v.stale()
	}
	return v.store
}

//go:noinline
func (v View) stale() {
	switch v.validity {
	case nil:
		panic("linear: the zero View was used: make one with Tree.View")
	case &v.store.Version:
		if *v.validity == closedVersion {
			panic("linear: a view of a snapshot was used after it was closed")
		}
		panic(fmt.Sprintf("linear: a view of version %d was used after the tree changed to version %d", v.at, *v.validity))
	}
	panic(fmt.Sprintf("linear: a view of a version was used after the version was released: turn %d, the version is in turn %d", v.at, *v.validity))
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

// Box returns the box of an object by its slot and lane. It panics if there is no such slot or lane.
func (v View) Box(slot uint32, lane int) AABB {
	p := &v.Store().Packets
	if lane < 0 || lane >= soa.Lanes {
		panic(fmt.Sprintf("linear: lane %d of a packet of %d", lane, soa.Lanes))
	}
	if uint64(slot) >= uint64(len(p.Counts)) {
		noSlot(slot, len(p.Counts))
	}
	return p.Box(slot, lane)
}

// Object returns an object by its ID: its box, its type mask and whether it is static. [View.Sphere] and
// [View.Oriented] return its other bounds. ok is false when no object of the view has the ID. Any number of
// goroutines may call it.
//
// In a view of a tree it reads the tree's index. A published version has an index of its own, which is made only on
// demand. The first call on a version makes it, in time proportional to the objects. If an earlier version had one,
// the call updates that index in the same memory, in time proportional to the packets with objects added or removed
// since its last update. A rebuild changes all packets. Concurrent calls block meanwhile. Later calls read the
// index. An index takes 4 bytes for each ID up to the largest, which [Stats.VersionBytes] counts, and only its
// growth allocates.
func (v View) Object(id uint32) (o Object, ok bool) {
	slot, lane, ok := v.Locate(id)
	if !ok {
		return o, false
	}
	return v.store.Packets.Object(slot, lane), true
}

// Sphere returns the bounding sphere x, y, z, radius of an object by its ID. ok is false when no object of the view
// has the ID, or when the object has no sphere. It costs as much as [View.Object].
func (v View) Sphere(id uint32) (sphere [4]float32, ok bool) {
	slot, lane, ok := v.Locate(id)
	if !ok {
		return sphere, false
	}
	return v.store.Packets.Sphere(slot, lane)
}

// Oriented returns the oriented bounding box of an object by its ID. ok is false when no object of the view has the
// ID, or when the object has no oriented box. It costs as much as [View.Object].
func (v View) Oriented(id uint32) (b OrientedBox, ok bool) {
	slot, lane, ok := v.Locate(id)
	if !ok {
		return b, false
	}
	return v.store.Packets.Oriented(slot, lane)
}

// Locate returns the slot and the lane of an object. ok is false when no object of the view has the ID. It costs as
// much as [View.Object]; use [View.Locator] for many objects.
func (v View) Locate(id uint32) (slot uint32, lane int, ok bool) {
	s := v.Store()
	return octree.Locate(v.index.Locations(s), &s.Packets, id)
}

// LocateHandle returns the slot and the lane of the object of a handle. ok is false when the object is not in the
// view: for a stale handle, and for the zero Handle. In a published version it finds the objects that were in the
// tree when it was published, whose handles may be stale in the tree by now. It costs as much as [View.Object].
func (v View) LocateHandle(h Handle) (slot uint32, lane int, ok bool) {
	s := v.Store()
	gens := v.index.Generations()
	if h.Gen&1 == 0 || uint64(h.ID) >= uint64(len(gens)) || gens[h.ID] != h.Gen { // a live object has an odd one
		return 0, 0, false
	}
	return octree.Locate(v.index.Locations(s), &s.Packets, h.ID)
}
