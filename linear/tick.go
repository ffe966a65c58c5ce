package linear

import "github.com/zoctree/zoctree/internal/phase"

// Work counts what the changes since the last [Tree.Tick] and that tick did. It
// is a function of the calls, not of time.
type Work struct {
	Moved        int // new boxes of objects
	Homed        int // objects inserted at the home of their key
	Shifted      int // objects moved to other packets, to make or save room
	Splits       int // packets and nodes parted
	Merges       int // packets and nodes joined
	Allocated    int // nodes that splits took
	Emptied      int // nodes of packets that became empty
	Reused       int // of these, used again in their lifespan
	Freed        int // nodes given back at the end of their lifespan, with those above
	Grown        int // doublings of the world
	Shrunk       int // halvings of the world
	RefitPackets int
	RefitNodes   int
	Rebuilt      int // objects that rebuilds moved
}

// Work returns what the last tick and the changes before it did.
func (t *Tree) Work() Work { return t.done }

// Tick ends a frame: it flushes pending objects and strays, merges and frees
// what has become too small or has been empty for its lifespan, fits the world
// to the objects when many have left it or all have gathered in a small part of
// it, and refits. A tree that is ticked each frame stays as fast as a new one.
//
// The errors are those of [Tree.Flush]. If there was something to do, it ends
// the life of all views: an iteration that goes on panics.
func (t *Tree) Tick() error {
	defer phase.Enter(phase.Flush).Leave()
	t.tick++
	if err := t.Flush(); err != nil {
		return err
	}
	if t.pruned() {
		t.change()
		t.prune()
	}
	t.Refit()
	if t.driftedFar() {
		if err := t.Rebuild(nil, RebuildOptions{}); err != nil {
			return err
		}
	}
	if err := t.shrinkWorld(); err != nil {
		return err
	}
	t.done, t.work = t.work, Work{}
	if t.store.Log != nil {
		t.endFrame()
	}
	return nil
}

// pruned reports whether there is something to prune.
func (t *Tree) pruned() bool { return t.thin.n > 0 || len(t.graves) > 0 }
