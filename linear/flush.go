package linear

import (
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear/internal/octree"
)

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
	t.applyDeferred()
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
//   - free lists and counts add up.
func (t *Tree) Validate() error {
	t.sync()
	return t.octree.Validate(octree.MaxErrors)
}
