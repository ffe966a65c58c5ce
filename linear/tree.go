package linear

import (
	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Tree is an octree over boxes. See the package comment for its structure. The zero Tree is
// empty and ready, with the zero [Config]; [New] makes one with another.
//
// One goroutine may change a tree at a time, and none while others query it.
// Any number of goroutines may query it between changes. A tree must not be copied:
// see [Tree.Clone].
type Tree struct {
	cfg   Config
	world morton.World
	code  coder // of the world

	store *soa.Store
	spare *soa.Store // what the next build writes; nil before the second
	ids   soa.IDs
	index index // of views

	centres soa.AABB // holds the centres of all objects
	door    door     // what needs no check
	frozen  bool
	pending int // objects in pending packets
	arrived int // objects that found homes one by one since the last build
	base    int // objects at the last build
	peak    int // most objects at a removal since then
	dead    int // slots that a frozen build had and that nobody owns any more

	dirty   bitset.Set   // slots whose lanes may be larger than they need to be
	tall    []bitset.Set // nodes to refit, by height
	thin    bitset.Set   // nodes of packets that lost objects
	graves  []grave
	worn    bitset.Set // nodes of packets to be cut anew
	mended  uint32     // where the next tick goes on with these
	settled int        // objects that found homes one by one since the last tick
	tick    uint32
	ticked  uint64 // the version after the last tick
	healed  uint64 // the version that another healWorld would leave alone; 0: none
	built   uint32 // the tick of the last build
	moves   int    // boxes given from the last build to the last tick
	work    Work   // since the last tick
	done    Work   // what Work returns: that of the last tick

	drifting bool    // objects are not given homes: see home_drift.go
	area     float64 // of all boxes when the drift began

	outside int // placements outside the world since they were last counted

	leaving  bitset.Set   // IDs of objects that have moved out and are to go
	departed []soa.Handle // what the last flush or tick has removed of them

	arrangement uint64 // changes of where objects live

	cuts   uint32   // changes of which packet is the home of which keys
	strays []uint32 // objects whose key may be outside their packet's interval

	scratch *scratch // nil until something needs it
	tidy    bool     // a build has given its buffers back: the next ones keep them

	waits waiting // what has been called and is not done

	uses    *uses      // of the tree as a part of scenes; nil: of none
	shared  *Publisher // unless nil
	touched *touched   // what changed since the last publication; nil: not shared
}

// buffers returns the buffers of the tree. Workers may call it once its caller has.
func (t *Tree) buffers() *scratch {
	if t.scratch == nil {
		t.scratch = new(scratch)
	}
	return t.scratch
}

// scratch are the buffers of a build, kept for the next one, and of changes.
type scratch struct {
	job     job // the build at hand
	sort    radix.Scratch
	keys    []uint64
	places  []soa.Location // of each key, when packets are the source
	topo    topology
	cutters []cellCutter        // one for each worker
	list    []uint32            // nodes, children first
	at      []soa.Location      // places of the objects of a batch
	which   [][soa.Lanes]uint32 // index in a batch by place
	order   []uint32            // IDs in the order of memory
	away    []uint64            // a bit for each slot that objects may have left
	queue   []homeless
	leaf    *leaf // nil until a packet overflows

	cuts, oldCuts cutNodes     // of the stride that is inserted and the one before it
	sample        [3][]float32 // coordinates of centres

	boxes   []soa.AABB   // of a stride of a batch of spheres
	balls   []soa.Object // of a batch of balls or points
	spheres [][4]float32 // of these

	oriented []soa.OrientedBox // of the queue

	dirty []uint32   // IDs of a batch that came as bits
	moved []soa.AABB // and the boxes of these

	tracked []soa.AABB // that the batch which is checked gives
	latest  []uint32   // 1 + the number of the last of these by ID; 0: none, as all are between two checks
}

// Len returns the number of objects.
func (t *Tree) Len() int { return t.ids.Len() }

// Config returns the configuration, with defaults in place. Its World is the box that was
// given: [Tree.World] returns the cube of the keys.
func (t *Tree) Config() Config {
	t.look()
	return t.cfg
}

// World returns the cube that keys resolve.
func (t *Tree) World() morton.World {
	t.look()
	return t.world
}

// Handle returns a handle of a live object, which stays valid until the object
// is removed. ok is false when the ID is not live.
func (t *Tree) Handle(id uint32) (h soa.Handle, ok bool) { return t.ids.Handle(id) }

// Resolve returns the ID of a handle, or [soa.ErrStale] when its object has
// been removed.
func (t *Tree) Resolve(h soa.Handle) (id uint32, err error) { return t.ids.Resolve(h) }

// Object returns a live object. ok is false when the ID is not live.
func (t *Tree) Object(id uint32) (o soa.Object, ok bool) {
	if !t.ids.Alive(id) {
		return o, false
	}
	t.look()
	w := t.ids.Where[id]
	return t.store.Packets.Object(w.Slot(), w.Lane()), true
}
