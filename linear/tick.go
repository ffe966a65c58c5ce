package linear

import (
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear/internal/octree"
)

// Work counts the work of the changes since the last [Tree.Tick] and of that tick. It is a function of the calls,
// not of time.
type Work struct {
	Moved          int // new boxes of objects
	Placed         int // objects inserted in the cell of their key
	Shifted        int // objects moved to other packets, and packets moved whole, to make or save room
	Splits         int // packets and nodes split
	Merges         int // packets and nodes merged
	Allocated      int // nodes allocated by splits
	Emptied        int // nodes of packets that became empty
	Reused         int // emptied nodes used again in their lifespan
	Freed          int // nodes freed at the end of their lifespan, including those above
	Views          int // views that flushed the pending list: see [Tree.View]
	RemovedOutside int // objects removed because they had left the world
	Grown          int // doublings of the world
	Shrunk         int // halvings of the world
	RefitPackets   int
	RefitNodes     int
	Recut          int // nodes of packets that were partitioned anew: degraded ones, and those of CutAuto
	Rebuilt        int // objects moved by rebuilds
}

// Work returns the work of the last tick and of the changes before it.
func (t *Tree) Work() Work { return Work(t.octree.LastWork) }

// Tick ends a frame and keeps the tree in shape. It flushes as [Tree.Flush] does, refits, and re-splits degraded
// nodes, and nodes that the last build has left to it ([CutAuto]). It merges underfull packets and nodes, and frees
// nodes that have been empty for their lifespan. It fits the world to the objects when many have left it or all are
// in a small part of it.
//
// A tree that most objects have left is rebuilt; under [PolicyIncremental] only into a single node. An
// empty tree frees its nodes at once. A tree that is ticked each frame stays as fast as a new one, and does not
// grow when objects leave.
//
// With [Config.TickBudget] it does a part of that work, and later ticks do the rest.
//
// The errors are those of [Tree.Flush]. If there was something to do, Tick invalidates all views: an iteration in
// progress panics.
func (t *Tree) Tick() error {
	defer phase.Enter(phase.Flush).Leave()
	defer t.settleFrame()
	t.applyBeforeFlush()
	return t.octree.EndFrame()
}

// Flush inserts pending objects and reinserts displaced ones: one by one in the order of their keys, or by a
// rebuild when they are many, as [Config.Policy] determines. Before that it doubles the world towards objects that
// have left it, or removes them with [OutsideRemove]. While most objects move in each frame it does not reinsert
// displaced objects: see [PolicyAuto]. Apart from removals it does not change the set of objects that any query
// returns.
//
// The error is [ErrFull], when the tree needs more packets or nodes than can be numbered. The tree is then
// unchanged, apart from removals. If there was something to do, Flush invalidates all views: an iteration in
// progress panics.
func (t *Tree) Flush() error {
	defer phase.Enter(phase.Flush).Leave()
	t.applyBeforeFlush()
	if t.octree.RemoveOutside() {
		t.deferred.markUnsynced()
	}
	return t.octree.Flush()
}

// RemovedOutside returns handles of the objects that the last [Tree.Flush] or [Tree.Tick] removed because they were
// outside the world ([OutsideRemove]): each once, in the order of their IDs. Only calls by the program count. The
// handles are stale, and equal to those that [Tree.Handle] returned for the objects. The IDs are free until an
// insertion uses them again.
//
// The slice belongs to the tree and must not be written to. It is valid until the next Flush or Tick.
// RemovedOutside takes constant time and allocates nothing.
func (t *Tree) RemovedOutside() []Handle { return t.octree.RemovedOutside }

// Refit recomputes the bounds of a changed tree: it shrinks the tight boxes, masks and flags that
// changes have left too large, and counts the objects below nodes. It visits the packets that
// changed, in the order of memory, and the nodes above them, lowest first. Boxes are exact
// afterwards. It costs nothing when nothing changed; otherwise it invalidates all views: an
// iteration that is still running panics.
func (t *Tree) Refit() {
	t.applyDeferred()
	t.octree.Refit()
}

// Validate checks all invariants of the tree. It derives every stored fact again and returns an error with the
// first wrong ones, or nil if the tree is sound. It is for tests and bug reports: it takes time proportional to the
// tree, and allocates.
//
// It checks that:
//
//   - each object is in exactly one lane, the one of its location;
//   - packets and the pending list are dense, and free lanes empty;
//   - spheres and oriented boxes are inside the boxes of their objects;
//   - each slot has the owner that refers to it, and each node one parent;
//   - tight boxes, masks, flags, heights and slot ranges are exact unions of those below, except
//     above a packet or a node with a pending refit, where they may be larger;
//   - numbers of objects are exact sums;
//   - each packet is below one cell, and the intervals of cells are in order;
//   - each box is in the placement box of its packet, or its object is listed as displaced;
//   - the bounds of coordinates hold;
//   - objects outside a world that removes them are recorded;
//   - a tree that thins holds points without bounds, and the table of its cells holds them all;
//   - free lists and counts add up.
func (t *Tree) Validate() error {
	t.sync()
	return t.octree.Validate(octree.MaxErrors)
}
