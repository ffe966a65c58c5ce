package linear

import (
	"github.com/zoctree/zoctree/internal/phase"
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
func (t *Tree) Work() Work { return Work(t.octree.LastWork) }

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
	return t.octree.EndFrame()
}
