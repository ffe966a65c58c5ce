package linear

import "github.com/zoctree/zoctree/soa"

// workCounts counts the work of a tree: [Work] documents the fields. A snapshot saves them under these names, in this
// order.
type workCounts struct {
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

// endFrame ends a frame: see [Tree.Tick].
func (t *Tree) endFrame() error {
	t.tick++
	if t.observer != nil {
		t.observer.Ticked()
	}
	t.removeOutside()
	if err := t.flush(); err != nil {
		return err
	}
	if err := t.shrink(); err != nil {
		return err
	}
	t.refit()
	t.recutDegraded()
	t.placedThisTick = 0
	t.refit()
	if err := t.endBulkMotion(); err != nil {
		return err
	}
	if err := t.tightenWorld(); err != nil {
		return err
	}
	t.moves += t.work.Moved
	t.done, t.work = t.work, workCounts{}
	t.dropOldChanges()
	t.ticked = t.store.Version
	return nil
}

// shrink makes the tree smaller after removals. A tree that most objects have left is rebuilt: the rebuild moves
// fewer objects than were removed since the last one. Under policyIncremental it is rebuilt only as a single node:
// that costs about as much as to cut a node anew, and each tick may do that anyway.
func (t *Tree) shrink() error {
	switch {
	case t.ids.Len() == 0:
		if len(t.store.Packets.Counts) > 0 {
			t.vacate()
		}
	case 2*t.ids.Len() < t.peak && (t.cfg.Policy != policyIncremental || t.shouldFlatten()):
		before := t.bytes()
		if err := t.rebuild(nil, buildParams{}); err != nil {
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

// shouldFlatten reports whether a tree that most objects have left becomes a single node under policyIncremental: its
// root has one child, or three of four objects have been removed. Outliers have a node of their own.
func (t *Tree) shouldFlatten() bool {
	return t.ids.Len() <= soa.Fan*roomyFill && !t.strictPlacement() && (t.store.Nodes.Used[0] == 1 || 4*t.ids.Len() < t.peak)
}
