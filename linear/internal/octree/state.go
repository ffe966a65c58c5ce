package octree

import (
	"slices"
	"sync/atomic"

	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Tree is the structure of an octree of boxes, with a BVH below its cells. The zero Tree must be initialized with
// Begin. Its methods expect valid arguments, and a caller who has invalidated the views with BeginChange.
type Tree struct {
	State

	Spare     *soa.Store // destination of the next build; nil before the second build
	Index     Index      // locations by ID, shared with views
	scratch   *Scratch   // nil until first use
	sampled   uint64     // version at which the boxes had not grown too much during bulk motion; 0: none
	tightened uint64     // version at which another tightenWorld would change nothing; 0: none
	ends      ends       // of the root at the last tightenWorld
	Tidy      bool       // a build has released its buffers: later builds keep them

	records *pendingRecords // tail of the pending list; nil before the first insertion

	Removed  []soa.Location // locations of removed objects that are still in packets of the tree
	Observer Observer       // nil if no scene holds the tree
	Touched  *Touched       // changes since the last publication; nil: not published

	Thinned []soa.Handle // objects that the last insertion has replaced, if the tree thins
	voxels  *voxels      // the cells of a tree that thins; nil until an insertion needs them
}

// State is the state of a tree on which later changes depend. A snapshot saves it.
type State struct {
	Config     Config
	World      morton.World
	Code       Coder // encodes keys of the world
	Store      *soa.Store
	IDs        soa.IDs
	Centres    soa.AABB   // contains the centres of all objects
	Free       SlotSet    // slots that are neither pending nor of a node
	FastBounds FastBounds // bounds of boxes that need no further check
	Ticked     uint64     // the version after the last tick
	Numbers
	Lists
}

// Numbers are the counters of a tree. A snapshot saves them under these names, in this order.
type Numbers struct {
	Frozen         bool
	Pending        int     // pending objects
	Arrived        int     // pending objects placed one by one since the last build
	Base           int     // object count at the last build
	Peak           int     // largest object count at a removal since then
	RecutCursor    uint32  // node at which the next tick resumes re-splitting
	PlacedThisTick int     // pending objects placed one by one since the last tick
	Tick           uint32  // number of ticks
	BuiltAtTick    uint32  // tick of the last build
	Work           Work    // work since the last tick
	LastWork       Work    // work of the last tick and of the changes before it
	BulkMotion     bool    // objects stay pending during bulk motion: see placement_bulk.go
	Visits         float64 // sampleVisits when the bulk motion began
	Outside        int     // placements outside the world since they were last counted
	Arrangement    uint64  // number of changes to object locations
	SingleMoves    int     // single moves since the last ones were applied; only with a tick budget
	Strayed        int     // objects that have become pending by moves since the last flush
	Grafted        int     // objects of grafts, or more; 0: there is no graft
	Uncut          uint32  // nodes below this number may be filled along the curve, and ticks cut them in space
}

// CopyTo writes a copy of a tree without deferred removals to a zero tree.
func (t *Tree) CopyTo(c *Tree) {
	c.State = t.State
	c.Store, c.IDs, c.Lists, c.Free = t.Store.Clone(), t.IDs.Clone(), t.Lists.clone(), t.Free.Clone()
	c.Store.Tree = NextSource()
	c.Index.IDs = &c.IDs
	c.Thinned = slices.Clone(t.Thinned)
}

var sources atomic.Uint64

// NextSource returns a number that no other stamp source and no published version has.
func NextSource() uint64 { return sources.Add(1) }

// NewStore returns the store of a new tree.
func NewStore() *soa.Store { return &soa.Store{Tree: NextSource()} }

// Observer is notified of the changes of a tree, for the scenes that hold it.
type Observer interface {
	Changed() // views of the tree become invalid
	Ticked()  // a frame of the tree ends
}

// BeginChange invalidates all views, and notifies the observer.
func (t *Tree) BeginChange() {
	t.Store.Version++
	if t.Observer != nil {
		t.Observer.Changed()
	}
}

// InvalidateViews invalidates all views although the objects are unchanged, because the columns are replaced.
func (t *Tree) InvalidateViews() {
	calm := t.Ticked == t.Store.Version
	t.BeginChange()
	if calm {
		t.Ticked = t.Store.Version
	}
}
