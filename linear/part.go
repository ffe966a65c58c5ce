package linear

import (
	"sync"
	"sync/atomic"

	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// Part is an element that a [Scene] instances under transforms: a *[Tree], a *[Snapshot] or a *[Scene]. No other
// type implements it.
type Part interface {
	// Bounds returns the smallest known box that contains the whole part; it is empty for an empty part. It
	// reads the part like [Tree.View], and so applies deferred changes.
	Bounds() AABB

	// Radius returns an upper bound of the distance of the part's content from the origin of the part's space;
	// 0 for an empty part. It reads the part like [Tree.View].
	Radius() float64

	asPart() *partNode
}

// partNode links a part and the scenes that hold it. Changes propagate upwards, reads downwards:
//
//	change   the first one since the last read marks each scene that holds the part, which counts
//	         as a change of that scene; later ones find the part stale and all holders marked
//	read     renews the state of stale parts only, inner parts first
//
// So all holders of a stale part are marked as changed since their last read. A part with deferred work ([deferred])
// is stale, because a read marks no holder.
//
// A snapshot never changes and has no list of holders. So goroutines that change otherwise independent scenes may
// share it.
type partNode struct {
	tree  *Tree // tree, scene or snap is the part; the others are nil
	scene *Scene
	snap  *Snapshot // nil unless the part is a snapshot
	by    []use     // holders of the part; empty for a snapshot

	stale atomic.Bool // the part has changed since the state was written
	lock  sync.Mutex  // guards the writing of state
	state state
}

// use identifies an entry of a scene that holds a part.
type use struct {
	scene *Scene
	entry uint32
}

// state is the part of a scene level that queries read. A tree has the state of a scene without instances.
type state struct {
	bounds             AABB
	total              uint64 // number of objects, counted through all instances
	objects, instances View
	in                 []uint32    // by instance ID: its entry, or None
	transforms         []Transform // by instance ID
	still              []state     // instead of both, by instance ID: states of trees under the identity, levels 1, 2, …
	outgrown           []uint32    // IDs of instances that may extend beyond their boxes, ascending
	radius             float64
	shape              uint64 // changes when the set of parts below changes
}

// Changed marks the scenes that hold a part whose content changes.
func (u *partNode) Changed() {
	if !u.stale.Load() {
		u.notify()
	}
}

//go:noinline
func (u *partNode) notify() {
	u.stale.Store(true)
	for _, by := range u.by {
		by.scene.notifyHolders(by.entry)
		by.scene.change()
	}
}

// sync returns the current state of a part. Any number of goroutines may call it.
func (u *partNode) sync() *state {
	if u.stale.Load() {
		u.renew()
	}
	return &u.state
}

func (u *partNode) renew() {
	u.lock.Lock()
	defer u.lock.Unlock()
	if !u.stale.Load() {
		return // another goroutine has renewed it
	}
	if u.scene != nil {
		u.scene.renew(&u.state)
		u.stale.Store(false)
		return
	}
	v := u.view()
	if u.tree != nil && !u.tree.deferred.synced.Load() {
		// The tree would stay stale, and the scenes that hold it would not: later changes would not mark
		// them.
		panic("linear: a scene was viewed during a build of a tree in it: a Progress function must not use the tree")
	}
	s := v.Store()
	u.state.objects, u.state.instances = v, emptyBounds
	u.state.bounds, u.state.radius, u.state.total = octree.BoundsOf(s), octree.RadiusOf(s), uint64(s.Count)
	u.stale.Store(false)
}

// view returns the view of a part that is not a scene.
func (u *partNode) view() View {
	if u.snap != nil {
		return u.snap.View()
	}
	return u.tree.View()
}

// add registers a holder of a part, and returns its index in the list of holders.
func (u *partNode) add(by use) (at uint32) {
	if u.snap != nil {
		return 0
	}
	u.by = append(u.by, by)
	return uint32(len(u.by) - 1)
}

// remove removes a holder of a part.
func (u *partNode) remove(at uint32) {
	if u.snap != nil {
		return
	}
	last := len(u.by) - 1
	u.by[at] = u.by[last]
	u.by[last] = use{}
	u.by = u.by[:last]
	if int(at) < last {
		moved := u.by[at]
		moved.scene.entries[moved.entry].at = at
	}
	u.forget()
}

// renumber sets the entry of a holder of a part, given the index in the list of holders.
func (u *partNode) renumber(at, entry uint32) {
	if u.snap == nil {
		u.by[at].entry = entry
	}
}

// forget drops the uses of a tree that no scene holds.
func (u *partNode) forget() {
	if u.tree != nil && len(u.by) == 0 {
		u.tree.octree.Observer = nil
	}
}

// part returns the part.
func (u *partNode) part() Part {
	switch {
	case u.scene != nil:
		return u.scene
	case u.snap != nil:
		return u.snap
	}
	return u.tree
}

// depth returns the number of instance levels below the part.
func (u *partNode) depth() int {
	if u.scene != nil {
		return u.scene.depth
	}
	return 0
}

// emptyBounds is a view without objects.
var emptyBounds = func() View {
	s := octree.NewStore()
	return View{s, &s.Version, 0, &octree.Index{IDs: &soa.IDs{}}}
}()

func (t *Tree) asPart() *partNode {
	if t == nil {
		return nil
	}
	if u, ok := t.octree.Observer.(*partNode); ok {
		return u
	}
	u := &partNode{tree: t}
	u.stale.Store(true)
	t.octree.Observer = u
	return u
}

func (s *Snapshot) asPart() *partNode {
	if s == nil {
		return nil
	}
	s.opened()
	return &s.partNode
}

// Bounds returns the smallest known bounding box of all objects, pending ones included. It is exact after a
// [Tree.Tick], and empty, as [EmptyBox] is, without objects. It takes a [Tree.View], constant time, and time
// proportional to the pending objects.
func (t *Tree) Bounds() AABB { return t.View().Bounds() }

// Bounds returns the smallest known bounding box of all objects of the view: see [Tree.Bounds].
func (v View) Bounds() AABB { return octree.BoundsOf(v.Store()) }

// Radius returns an upper bound of the distance of all boxes from the origin. It is the distance of the farthest
// corner of 16 boxes that contain the tree, and of the boxes of pending objects. It is 0 without objects. It takes
// a [Tree.View], constant time, and time proportional to the pending objects.
func (t *Tree) Radius() float64 { return octree.RadiusOf(t.View().Store()) }

// Bounds returns the [Tree.Bounds] of the tree that was saved. The first call takes the same time as that method.
// It panics when the snapshot has been closed before.
func (s *Snapshot) Bounds() AABB {
	s.opened()
	return s.partNode.sync().bounds
}

// Radius returns the [Tree.Radius] of the tree that was saved: see [Snapshot.Bounds].
func (s *Snapshot) Radius() float64 {
	s.opened()
	return s.partNode.sync().radius
}
