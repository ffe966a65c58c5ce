package instance

import (
	"sync"
	"sync/atomic"

	"github.com/zoctree/zoctree/linear/internal/octree"
)

// Part links a part and the scenes that hold it. Changes propagate upwards, reads downwards:
//
//	change   the first one since the last read marks each scene that holds the part, which counts
//	         as a change of that scene; later ones find the part stale and all holders marked
//	read     renews the state of stale parts only, inner parts first
//
// So all holders of a stale part are marked as changed since their last read. A part with deferred changes is stale,
// because a read marks no holder.
//
// A snapshot never changes and has no list of holders. So goroutines that change otherwise independent scenes may
// share it.
type Part struct {
	Scene  *Scene       // nil: the part is a tree or a snapshot
	Source Source       // nil: the part is a scene
	Tree   *octree.Tree // structure of the source
	Fixed  bool         // the part is a snapshot
	By     []Use        // holders of the part; empty for a snapshot

	Stale atomic.Bool // the part has changed since the state was written
	lock  sync.Mutex  // guards the writing of state
	State State
}

// Use identifies an entry of a scene that holds a part.
type Use struct {
	Scene *Scene
	Entry uint32
}

// Source is a tree whose caller may defer its changes, or a snapshot.
type Source interface {
	// View applies deferred changes and returns the present content.
	View() View

	// Synced reports whether no change is deferred.
	Synced() bool

	// Tick ends a frame of a tree.
	Tick() error
}

// PartOf returns the part of a tree, which observes the tree from now on.
func PartOf(t *octree.Tree, source Source) *Part {
	if u, ok := t.Observer.(*Part); ok {
		return u
	}
	u := &Part{Source: source, Tree: t}
	u.Stale.Store(true)
	t.Observer = u
	return u
}

// SetFixed makes a zero part that of a snapshot.
func (u *Part) SetFixed(t *octree.Tree, source Source) {
	u.Source, u.Tree, u.Fixed = source, t, true
	u.Stale.Store(true)
}

// Changed marks the scenes that hold a part whose content changes.
func (u *Part) Changed() {
	if !u.Stale.Load() {
		u.notify()
	}
}

//go:noinline
func (u *Part) notify() {
	u.Stale.Store(true)
	for _, by := range u.By {
		by.Scene.notifyHolders(by.Entry)
		by.Scene.change()
	}
}

// Sync returns the current state of a part. Any number of goroutines may call it.
func (u *Part) Sync() *State {
	if u.Stale.Load() {
		u.renew()
	}
	return &u.State
}

func (u *Part) renew() {
	u.lock.Lock()
	defer u.lock.Unlock()
	if !u.Stale.Load() {
		return // another goroutine has renewed it
	}
	if u.Scene != nil {
		u.Scene.renew(&u.State)
		u.Stale.Store(false)
		return
	}
	v := u.Source.View()
	if !u.Source.Synced() {
		// The tree would stay stale, and the scenes that hold it would not: later changes would not mark them.
		panic("linear: a scene was viewed during a build of a tree in it: a Progress function must not use the tree")
	}
	s := v.Store
	u.State.Objects, u.State.Instances = v, Empty
	u.State.Bounds, u.State.Radius, u.State.Total = octree.BoundsOf(s), octree.RadiusOf(s), uint64(s.Count)
	u.Stale.Store(false)
}

// Add registers a holder of a part, and returns its index in the list of holders.
func (u *Part) Add(by Use) (at uint32) {
	if u.Fixed {
		return 0
	}
	u.By = append(u.By, by)
	return uint32(len(u.By) - 1)
}

// remove removes a holder of a part.
func (u *Part) remove(at uint32) {
	if u.Fixed {
		return
	}
	last := len(u.By) - 1
	u.By[at] = u.By[last]
	u.By[last] = Use{}
	u.By = u.By[:last]
	if int(at) < last {
		moved := u.By[at]
		moved.Scene.Entries[moved.Entry].At = at
	}
	u.Forget()
}

// renumber sets the entry of a holder of a part, given the index in the list of holders.
func (u *Part) renumber(at, entry uint32) {
	if !u.Fixed {
		u.By[at].Entry = entry
	}
}

// Forget ends the observation of a tree that no scene holds.
func (u *Part) Forget() {
	if u.Scene == nil && !u.Fixed && len(u.By) == 0 {
		u.Tree.Observer = nil
	}
}

// Depth returns the number of instance levels below the part.
func (u *Part) Depth() int {
	if u.Scene != nil {
		return u.Scene.Depth
	}
	return 0
}

// Ticked adds a part to the sets of the scenes that hold it.
func (u *Part) Ticked() {
	for _, by := range u.By {
		by.Scene.notifyHolders(by.Entry)
	}
}

// ticks returns the number of ticks of the part.
func (u *Part) ticks() uint32 {
	switch {
	case u.Scene != nil:
		return u.Scene.Ticks
	case u.Fixed:
		return 0
	}
	return u.Tree.Tick
}

func (u *Part) tick() error {
	if u.Scene != nil {
		return u.Scene.Tick()
	}
	return u.Source.Tick()
}

// IsIdle reports whether another tick would have no work.
func (u *Part) IsIdle() bool {
	if u.Scene != nil {
		return u.Scene.Due.Len() == 0
	}
	return u.Fixed || IsIdle(u.Tree)
}

// IsIdle reports whether a tree has not changed since the last tick, and another one would have no work.
func IsIdle(t *octree.Tree) bool {
	l := t.Store.Log
	return t.Store.Version == t.Ticked && !t.BulkMotion && len(t.EmptyNodes) == 0 && t.Underfull.Len() == 0 && t.Degraded.Len() == 0 &&
		len(t.RemovedOutside) == 0 && (l == nil || l.Frame == 0)
}
