package linear

import (
	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Tree is an octree over axis-aligned boxes with a 16-wide bounding volume hierarchy inside its cells. The package
// comment describes its structure. The zero Tree is empty and ready to use, with the zero [Config]; [New] makes a
// tree with another configuration.
//
// One goroutine may change a tree at a time, and none may query it during the change. Any number of goroutines may
// query it between changes. A tree must not be copied: use [Tree.Clone].
type Tree struct {
	cfg   Config
	world morton.World
	code  coder // encodes keys of the world

	store *soa.Store
	spare *soa.Store // destination of the next build; nil before the second build
	ids   soa.IDs
	index index // locations by ID, shared with views

	centres    soa.AABB   // contains the centres of all objects
	fastBounds fastBounds // bounds of boxes that need no further check
	frozen     bool
	pending    int // objects in pending packets
	arrived    int // objects inserted one by one since the last build
	base       int // object count at the last build
	peak       int // largest object count at a removal since then
	dead       int // slots of a frozen build that no packet uses any more

	// A tick visits all underfull nodes, the empty nodes whose time is over, and a few degraded nodes. One set
	// for them would be visited as a whole: of 1,664 nodes of 200,000 objects, of which 2,000 move in each frame,
	// 351 are underfull, and 691 wait as degraded while a tick re-splits 2 of them.
	dirty          bitset.Set   // slots whose lanes may have larger bounds than necessary
	refitByHeight  []bitset.Set // nodes to refit, by height
	underfull      bitset.Set   // nodes of packets that lost objects
	emptyNodes     []emptyNode
	degraded       bitset.Set // nodes of packets to re-split
	recutCursor    uint32     // node at which the next tick resumes re-splitting
	placedThisTick int        // objects inserted one by one since the last tick
	tick           uint32
	ticked         uint64 // the version after the last tick
	tightened      uint64 // version at which another tightenWorld would change nothing; 0: none
	built          uint32 // tick of the last build
	moves          int    // boxes set from the last build to the last tick
	work           Work   // work since the last tick
	done           Work   // result of Work: the work of the last tick

	bulkMotion bool    // objects stay pending during bulk motion: see placement_bulk.go
	area       float64 // total area of all boxes when the bulk motion began

	outside int // placements outside the world since they were last counted

	leaving        bitset.Set   // IDs of objects that moved out and will be removed
	removedOutside []soa.Handle // objects of leaving removed by the last flush or tick

	arrangement uint64 // number of changes to object locations

	cuts      uint32   // number of changes to the key intervals of packets
	displaced []uint32 // objects whose key may be outside their packet's interval

	scratch *scratch // nil until first use
	tidy    bool     // a build has released its buffers: later builds keep them

	deferred deferred // deferred changes

	partNode *partNode  // state of the tree as a part of scenes; nil if no scene holds it
	shared   *Publisher // nil if the tree is not published
	touched  *touched   // changes since the last publication; nil: not published
}

// buffers returns the buffers of the tree. Workers may call it after their caller has.
func (t *Tree) buffers() *scratch {
	if t.scratch == nil {
		t.scratch = new(scratch)
	}
	return t.scratch
}

// scratch holds the reusable buffers of builds and of changes.
type scratch struct {
	job       job // current build
	sort      radix.Scratch
	keys      []uint64
	locations []soa.Location // of each key, when packets are the source
	topo      topology
	cutters   []cellCutter        // one per worker
	list      []uint32            // nodes, children first
	at        []soa.Location      // locations of the objects of a batch
	which     [][soa.Lanes]uint32 // index in a batch by location
	order     []uint32            // IDs in memory order
	away      []uint64            // one bit per slot that objects may have left
	unplaced  []unplaced
	leaf      *leaf // nil until a packet overflows

	cuts, oldCuts cutNodes     // of the current stride and the one before it
	sample        [3][]float32 // coordinates of centres

	boxes   []soa.AABB   // of a stride of a batch of spheres
	balls   []soa.Object // of a batch of balls or points
	spheres [][4]float32 // spheres of balls

	oriented []soa.OrientedBox // of the queue

	dirty []uint32   // IDs of a batch that was passed as bits
	moved []soa.AABB // boxes of dirty

	tracked []soa.AABB // boxes of the batch under check
	latest  []uint32   // 1 + index of the last entry of tracked by ID; 0: none. All zero between two checks
}

// Len returns the number of objects.
func (t *Tree) Len() int { return t.ids.Len() }

// Config returns the configuration with defaults filled in. Its World is the box that was configured; [Tree.World]
// returns the cube of the keys.
func (t *Tree) Config() Config {
	t.sync()
	return t.cfg
}

// World returns the cube that keys resolve.
func (t *Tree) World() morton.World {
	t.sync()
	return t.world
}

// Handle returns a generational handle of a live object. It stays valid until the object is removed. ok is false
// when the ID is not live.
func (t *Tree) Handle(id uint32) (h Handle, ok bool) { return t.ids.Handle(id) }

// Resolve returns the ID of a handle, or [ErrStale] when its object has been removed.
func (t *Tree) Resolve(h Handle) (id uint32, err error) { return t.ids.Resolve(h) }

// Object returns a live object. ok is false when the ID is not live.
func (t *Tree) Object(id uint32) (o Object, ok bool) {
	if !t.ids.Alive(id) {
		return o, false
	}
	t.sync()
	w := t.ids.Where[id]
	return t.store.Packets.Object(w.Slot(), w.Lane()), true
}
