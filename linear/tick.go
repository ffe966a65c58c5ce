package linear

import "github.com/zoctree/zoctree/internal/phase"

// Work counts what the changes since the last [Tree.Tick] and that tick did. It
// is a function of the calls, not of time.
type Work struct {
	Moved          int // new boxes of objects
	Placed         int // objects inserted at the home of their key
	Shifted        int // objects moved to other packets, to make or save room
	Splits         int // packets and nodes parted
	Merges         int // packets and nodes joined
	Allocated      int // nodes that splits took
	Emptied        int // nodes of packets that became empty
	Reused         int // of these, used again in their lifespan
	Freed          int // nodes given back at the end of their lifespan, with those above
	Views          int // looks that flushed: see [Tree.View]
	RemovedOutside int // objects removed because they had left the world
	Grown          int // doublings of the world
	Shrunk         int // halvings of the world
	RefitPackets   int
	RefitNodes     int
	Recut          int // nodes of packets cut anew because they were worn
	Rebuilt        int // objects that rebuilds moved
}

// Work returns what the last tick and the changes before it did.
func (t *Tree) Work() Work { return t.done }

// Tick ends a frame: it does what [Tree.Flush] does, merges and frees what has
// become too small or has been empty for its lifespan, fits the world to the
// objects when many have left it or all have gathered in a small part of it, and
// refits. A tree that most objects have left is rebuilt, unless it is
// [PolicyIncremental]; one that all have left gives its nodes back at once. A
// tree that is ticked each frame stays as fast as a new one, and does not grow
// when objects leave.
//
// The errors are those of [Tree.Flush]. If there was something to do, it ends
// the life of all views: an iteration that goes on panics.
func (t *Tree) Tick() error {
	defer phase.Enter(phase.Flush).Leave()
	defer t.rest()
	t.catchUp()
	t.tick++
	if t.uses != nil {
		t.uses.mark()
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if err := t.shrink(); err != nil {
		return err
	}
	t.Refit()
	t.mend()
	t.settled = 0
	t.Refit()
	if err := t.endDrift(); err != nil {
		return err
	}
	if err := t.healWorld(); err != nil {
		return err
	}
	t.moves += t.work.Moved
	t.done, t.work = t.work, Work{}
	t.endFrame()
	t.ticked = t.store.Version
	return nil
}

// shrink makes the tree smaller when objects have left it. What most of them have
// left is built anew: the objects of that rebuild are fewer than those that left
// since the last one.
func (t *Tree) shrink() error {
	switch {
	case t.Len() == 0:
		if len(t.store.Packets.Counts) > 0 {
			t.vacate()
		}
	case 2*t.Len() < t.peak && t.cfg.Policy != PolicyIncremental:
		before := t.bytes()
		if err := t.Rebuild(nil, RebuildOptions{}); err != nil {
			return err
		}
		if t.bytes() > before {
			t.dropBuffers()
		}
	case t.thin.Len() > 0 || len(t.graves) > 0:
		t.change()
		t.prune()
	}
	return nil
}
