package octree

import (
	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Tree is the structure of an octree of boxes, with a BVH below its cells. The zero Tree must be initialized with
// Begin. Its methods expect valid arguments, and a caller who has invalidated the views with BeginChange.
type Tree struct {
	Config Config
	World  morton.World
	Code   Coder // encodes keys of the world

	Store *soa.Store
	Spare *soa.Store // destination of the next build; nil before the second build
	IDs   soa.IDs
	Index Index // locations by ID, shared with views

	Centres    soa.AABB   // contains the centres of all objects
	FastBounds FastBounds // bounds of boxes that need no further check
	Frozen     bool
	Pending    int // objects in pending packets
	Arrived    int // objects inserted one by one since the last build
	Base       int // object count at the last build
	Peak       int // largest object count at a removal since then
	Dead       int // slots of a frozen build that no packet uses any more

	// A tick visits all underfull nodes, the empty nodes whose time is over, and a few degraded nodes. One set
	// for them would be visited as a whole: of 1,664 nodes of 200,000 objects, of which 2,000 move in each frame,
	// 351 are underfull, and 691 wait as degraded while a tick re-splits 2 of them.
	Dirty          bitset.Set   // slots whose lanes may have larger bounds than necessary
	RefitByHeight  []bitset.Set // nodes to refit, by height
	Underfull      bitset.Set   // nodes of packets that lost objects
	EmptyNodes     []EmptyNode
	Degraded       bitset.Set // nodes of packets to re-split
	RecutCursor    uint32     // node at which the next tick resumes re-splitting
	PlacedThisTick int        // objects inserted one by one since the last tick
	Tick           uint32
	Ticked         uint64 // the version after the last tick
	tightened      uint64 // version at which another tightenWorld would change nothing; 0: none
	BuiltAtTick    uint32 // tick of the last build
	Moves          int    // boxes set from the last build to the last tick
	Work           Work   // work since the last tick
	LastWork       Work   // result of Work: the work of the last tick

	BulkMotion bool    // objects stay pending during bulk motion: see placement_bulk.go
	Area       float64 // total area of all boxes when the bulk motion began

	Outside int // placements outside the world since they were last counted

	Leaving        bitset.Set   // IDs of objects that moved out and will be removed
	RemovedOutside []soa.Handle // objects of leaving removed by the last flush or tick

	Arrangement uint64 // number of changes to object locations

	cuts      uint32   // number of changes to the key intervals of packets
	Displaced []uint32 // objects whose key may be outside their packet's interval

	scratch *Scratch // nil until first use
	Tidy    bool     // a build has released its buffers: later builds keep them

	Removed     []soa.Location // locations of removed objects that are still in packets of the tree
	SingleMoves int            // single moves since displaced objects were last counted

	Observer Observer // nil if no scene holds the tree
	Touched  *Touched // changes since the last publication; nil: not published
}
