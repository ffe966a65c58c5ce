package octree

import "github.com/zoctree/zoctree/soa"

// Work counts the work of a tree: linear.Work documents the fields. A snapshot saves them under these names, in this
// order.
type Work struct {
	Moved          int
	Placed         int
	Shifted        int
	Splits         int
	Merges         int
	Allocated      int
	Emptied        int
	Reused         int
	Freed          int
	Views          int
	RemovedOutside int
	Grown          int
	Shrunk         int
	RefitPackets   int
	RefitNodes     int
	Recut          int
	Rebuilt        int
}

// EndFrame ends a frame: see linear.Tree.Tick.
func (t *Tree) EndFrame() error {
	t.Tick++
	if t.Observer != nil {
		t.Observer.Ticked()
	}
	t.RemoveOutside()
	limit := limitTick(t)
	if err := t.flush(limit); err != nil {
		return err
	}
	if err := t.shrink(max(limit.left(t)/2, 1)); err != nil { // with 0 a tick would merge nothing, however often it is called
		return err
	}
	t.Refit()
	most := min(limit.left(t), t.tickBudget())
	t.cutUncut(most - t.recutDegraded(most))
	t.PlacedThisTick = 0
	t.Refit()
	if t.mayRebuild() {
		if err := t.endBulkMotion(); err != nil {
			return err
		}
	}
	if err := t.tightenWorld(); err != nil {
		return err
	}
	t.LastWork, t.Work = t.Work, Work{}
	t.dropOldChanges()
	t.Ticked = t.Store.Version
	return nil
}

// shrink makes the tree smaller after removals. A tree that most objects have left is rebuilt: the rebuild moves
// fewer objects than were removed since the last one. Under PolicyIncremental it is rebuilt only as a single node:
// that costs about as much as to cut a node anew, and each tick may do that anyway. To merge packets it moves at most
// so many objects.
func (t *Tree) shrink(most int) error {
	switch {
	case t.IDs.Len() == 0:
		if len(t.Store.Packets.Counts) > 0 {
			t.vacate()
		}
	case 2*t.IDs.Len() < t.Peak && t.mayRebuild() && (t.Config.Policy != PolicyIncremental || t.shouldFlatten()):
		before := t.bytes()
		if err := t.renew(); err != nil {
			return err
		}
		if t.bytes() > before {
			t.dropBuffers()
		}
	case t.Underfull.Len() > 0 || len(t.EmptyNodes) > 0:
		t.BeginChange()
		t.prune(most)
	}
	return nil
}

// shouldFlatten reports whether a tree that most objects have left becomes a single node under PolicyIncremental: its
// root has one child, or three of four objects have been removed. Outliers have a node of their own.
func (t *Tree) shouldFlatten() bool {
	return t.IDs.Len() <= soa.Fan*roomyFill && !t.strictPlacement() && (t.Store.Nodes.Used[0] == 1 || 4*t.IDs.Len() < t.Peak)
}
