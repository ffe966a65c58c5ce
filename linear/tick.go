package linear

import (
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/soa"
)

// Work counts the work of the changes since the last [Tree.Tick] and of that tick. It is a function of the calls,
// not of time.
type Work struct {
	Moved          int // new boxes of objects
	Placed         int // objects inserted in the cell of their key
	Shifted        int // objects moved to other packets, to make or save room
	Splits         int // packets and nodes split
	Merges         int // packets and nodes merged
	Allocated      int // nodes allocated by splits
	Emptied        int // nodes of packets that became empty
	Reused         int // emptied nodes used again in their lifespan
	Freed          int // nodes freed at the end of their lifespan, including those above
	Views          int // views that flushed: see [Tree.View]
	RemovedOutside int // objects removed because they had left the world
	Grown          int // doublings of the world
	Shrunk         int // halvings of the world
	RefitPackets   int
	RefitNodes     int
	Recut          int // degraded nodes of packets that were re-split
	Rebuilt        int // objects moved by rebuilds
}

// Work returns the work of the last tick and of the changes before it.
func (t *Tree) Work() Work { return t.done }

// Tick ends a frame and keeps the tree in shape. It flushes as [Tree.Flush] does, refits, and re-splits degraded
// nodes. It merges underfull packets and nodes, and frees nodes that have been empty for their lifespan. It fits
// the world to the objects when many have left it or all are in a small part of it.
//
// A tree that most objects have left is rebuilt; under [PolicyIncremental] only into a single node. An
// empty tree frees its nodes at once. A tree that is ticked each frame stays as fast as a new one, and does not
// grow when objects leave.
//
// The errors are those of [Tree.Flush]. If there was something to do, Tick invalidates all views: an iteration in
// progress panics.
func (t *Tree) Tick() error {
	defer phase.Enter(phase.Flush).Leave()
	defer t.settleFrame()
	t.applyDeferred()
	t.tick++
	if t.partNode != nil {
		t.partNode.notifyHolders()
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if err := t.shrink(); err != nil {
		return err
	}
	t.Refit()
	t.recutDegraded()
	t.placedThisTick = 0
	t.Refit()
	if err := t.endBulkMotion(); err != nil {
		return err
	}
	if err := t.tightenWorld(); err != nil {
		return err
	}
	t.moves += t.work.Moved
	t.done, t.work = t.work, Work{}
	t.dropOldChanges()
	t.ticked = t.store.Version
	return nil
}

// shrink makes the tree smaller after removals. A tree that most objects have left is rebuilt: the rebuild moves
// fewer objects than were removed since the last one. Under PolicyIncremental it is rebuilt only as a single node:
// that costs about as much as to cut a node anew, and each tick may do that anyway.
func (t *Tree) shrink() error {
	switch {
	case t.Len() == 0:
		if len(t.store.Packets.Counts) > 0 {
			t.vacate()
		}
	case 2*t.Len() < t.peak && (t.cfg.Policy != PolicyIncremental || t.shouldFlatten()):
		before := t.bytes()
		if err := t.Rebuild(nil, RebuildOptions{}); err != nil {
			return err
		}
		if t.bytes() > before {
			t.dropBuffers()
		}
	case t.underfull.Len() > 0 || len(t.emptyNodes) > 0:
		t.beginChange()
		t.prune()
	}
	return nil
}

// shouldFlatten reports whether a tree that most objects have left becomes a single node under PolicyIncremental: its
// root has one child, or three of four objects have been removed. Outliers have a node of their own.
func (t *Tree) shouldFlatten() bool {
	return t.Len() <= soa.Fan*roomyFill && !t.strictPlacement() && (t.store.Nodes.Used[0] == 1 || 4*t.Len() < t.peak)
}
