package linear

import (
	"fmt"
	"iter"

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
// Otherwise it first applies the deferred moves, and flushes the pending list when that has become too long
// ([Config.PendingMin]). This takes the time of the moves and of a [Tree.Flush], which may be that of a rebuild. A
// program that inserts many objects and must query without delay calls [Tree.Tick] first, or sets
// [Config.TickBudget], with which a view places at most a quarter of the budget. If the flush finds no room, the list
// stays pending; queries see pending objects.
//
// The times at which views are taken do not affect the tree, except that a view which applies removals or moves, or
// flushes, is one of the calls that determine its structure. After [Tree.Apply] and [Tree.Tick] nothing is deferred.
// Any number of goroutines may take views between two changes: the first applies the deferred changes while the
// others block. The same holds for all methods that read the tree.
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
		panic(fmt.Sprintf("linear: a view of version %d was used after the tree changed to version %d: call View after each change, or keep a version of a Publisher", v.at, *v.validity))
	}
	panic(fmt.Sprintf("linear: a view of a version was used after the version was released: release it after its last query (turn %d, the version is in turn %d)", v.at, *v.validity))
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
	if h.Gen&1 == 0 || !v.index.HasHandle(h) { // a live object has an odd one
		return 0, 0, false
	}
	return octree.Locate(v.index.Locations(s), &s.Packets, h.ID)
}

// Handle returns the generational handle of an object of the view, which [Tree.Resolve] of the tree and
// [View.LocateHandle] of its views accept. ok is false when no object of the view has the ID, and
// in the shards of a [Directory]. It costs as much as [View.Object].
func (v View) Handle(id uint32) (h Handle, ok bool) {
	if _, _, ok = v.Locate(id); !ok {
		return Handle{}, false
	}
	return v.index.Handle(id)
}

// String returns the numbers of objects and slots, for people: the text may change. It does not panic; the text
// says if the view is stale, closed or released. As for all methods of a view, the tree must not change meanwhile.
func (v View) String() string {
	switch {
	case v.validity == nil:
		return "the zero View"
	case *v.validity != v.at:
		return "a stale View"
	}
	return fmt.Sprintf("View of %d objects in %d slots", v.store.Count, len(v.store.Packets.Counts))
}

// String returns the numbers of objects and instances, for people: the text may change. It does not panic; the text
// says if the view is stale. As for all methods of a view, the scene must not change meanwhile.
func (v SceneView) String() string {
	switch {
	case v.validity == nil:
		return "the zero SceneView"
	case *v.validity != v.at:
		return "a stale SceneView"
	}
	return fmt.Sprintf("SceneView of %v, instances: %v", v.Objects(), v.Instances())
}

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

// Locator maps object IDs to their locations in memory. Make one with [View.Locator].
type Locator struct {
	view  View
	where []soa.Location // location of each live ID; undefined for others
}

// Locator returns a map from object ID to location in the view. The view of a tree shares the tree's own index at
// no cost. For a view without an index the map is written to buf, which grows to the largest ID, in time
// proportional to the objects. The Locator is valid as long as the view; using it later panics. Any number of
// goroutines may read it.
func (v View) Locator(buf *[]Location) Locator {
	p := &v.Store().Packets
	if v.index.IDs != nil {
		return Locator{v, v.index.IDs.Where}
	}
	where := (*buf)[:0]
	for slot := range p.Counts {
		where = octree.AppendLocations(where, p, uint32(slot))
	}
	*buf = where
	return Locator{v, where}
}

// Locate returns the slot and the lane of an object. ok is false when no object of the view has this ID.
func (p *Locator) Locate(id uint32) (slot uint32, lane int, ok bool) {
	return octree.Locate(p.where, &p.view.Store().Packets, id)
}

// All returns an iterator over the objects of the view, with their IDs. It is the same for views of trees,
// snapshots, published versions and the parts of scenes ([SceneView.Objects]).
//
// The order is that of memory, slot by slot, as in [Tree.Order]; [Tree.All] iterates in the order of IDs. All reads
// the packets in sequence, once each, and needs no index of IDs.
//
// It takes time proportional to the number of slots and allocates nothing. Any number of goroutines may iterate at a
// time. As other reads do, it panics when the view is stale: also when the tree changes, or the version is released,
// during the iteration. Record changes in a [Batch], and apply it afterwards.
func (v View) All() iter.Seq2[uint32, Object] {
	return func(yield func(uint32, Object) bool) { v.each(yield) } // short enough to be inlined
}

func (v View) each(yield func(uint32, Object) bool) {
	p := &v.Store().Packets
	for slot := range uint32(len(p.Counts)) {
		for lane := range int(p.Counts[slot]) {
			if !yield(p.IDs[slot][lane], p.Object(slot, lane)) {
				return
			}
			v.Store() // panics if the view is stale
		}
	}
}

// All returns an iterator over the instances of the scene in the order of their IDs, with their parts.
// [Scene.Instance] returns the transform of each. The boxes and masks of instances are the objects of
// [SceneView.Instances].
//
// It applies deferred changes as [Scene.View] does. After that it takes time proportional to the largest ID ever
// assigned and allocates nothing. A change of the scene, or of any part below it, during the iteration makes it
// panic.
func (s *Scene) All() iter.Seq2[uint32, Part] {
	return func(yield func(uint32, Part) bool) { s.each(yield) } // short enough to be inlined
}

func (s *Scene) each(yield func(uint32, Part) bool) {
	v := s.View()
	for id, entry := range s.scene.In {
		if entry == None {
			continue
		}
		if !yield(uint32(id), faceOf(s.scene.Entries[entry].Part)) {
			return
		}
		v.seen() // panics if the scene has changed
	}
}

// Stamp identifies the state of a view, for caches of query results. Two views with the same stamp have the same
// objects with the same boxes and bounds, and instances with the same transforms. A program that keeps results
// compares stamps to detect whether they are still valid.
//
// Stamps are comparable, and valid in the process that made them. A stamp stays valid when its view has ended. A
// tree that changes and changes back has another stamp, and a view of a published version may have another stamp
// than the view of the tree from which it was published.
type Stamp struct {
	Source  uint64 // ID of the tree, scene, snapshot or directory; the same in its versions
	Version uint64 // version of the source
	Part    uint32 // number of the part if the view is of a part in a scene; else 0
}

// Stamp returns the stamp of the view's state. It reads two numbers and allocates nothing. It panics when the view
// has ended.
func (v View) Stamp() Stamp {
	s := v.Store()
	return Stamp{Source: s.Tree, Version: s.Version}
}

// Stamp returns the stamp of the state of the scene and of all its parts at any depth, or of the part that the view
// is of. It reads a few numbers and allocates nothing. It panics when the view has ended.
func (v SceneView) Stamp() Stamp {
	v.seen()
	t := v.level.Table
	if t.Version != 0 {
		return Stamp{t.Source, published | t.Version, v.level.Number}
	}
	return Stamp{t.Levels[0].State.Objects.Store.Tree, v.at, v.level.Number}
}

// published is a bit in the version numbers of published states: changes of a scene are counted from 0.
const published = 1 << 63
