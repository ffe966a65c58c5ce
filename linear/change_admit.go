package linear

import (
	"errors"
	"fmt"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// ErrUnknown is returned for an ID that is not live.
var ErrUnknown = errors.New("linear: no live object has this ID")

func unknown(id uint32) error { return fmt.Errorf("%w: %d", ErrUnknown, id) }

// ErrOutside is returned for a box whose centre is outside [Config.World], if the tree rejects such
// boxes: see [OutsideReject] and [OutsideRemove].
var ErrOutside = errors.New("linear: outside the world")

// checkBox validates the box of a new object. It changes nothing, as the call may still fail.
func (t *Tree) checkBox(box *soa.AABB) error {
	if t.octree.FastBounds.Contains(box) {
		return nil
	}
	if err := box.Check(); err != nil {
		return err
	}
	return t.checkOutside(box)
}

// admitMove validates the new box of an object, and counts it if it is valid and outside: no later
// check can reject the move.
func (t *Tree) admitMove(box *soa.AABB) error {
	if t.octree.Config.Outside == octree.OutsideRemove {
		return box.Check()
	}
	if t.octree.FastBounds.Contains(box) {
		return nil
	}
	if err := t.checkBox(box); err != nil {
		return err
	}
	t.octree.CountOut(box)
	return nil
}

// checkOutside returns the error of a finite box outside the world, unless the tree keeps such
// boxes.
func (t *Tree) checkOutside(box *soa.AABB) error {
	if t.octree.Config.Outside == octree.OutsideKeep {
		return nil
	}
	return t.outsideError(box)
}

// outsideError returns the error of a finite box whose centre is outside a world that rejects it.
func (t *Tree) outsideError(box *soa.AABB) error {
	c := box.Center()
	if !t.octree.LeftWorld(c) {
		return nil
	}
	w := &t.octree.Config.World
	return fmt.Errorf("%w: box %v to %v has the centre %v, the world is %v to %v", ErrOutside, box.Min, box.Max, c, w.Min, w.Max)
}

// firstDead returns the index of the first ID that is not live, or len(ids).
func (t *Tree) firstDead(ids []uint32) int {
	for i := 0; i < len(ids); i += octree.BatchStride {
		end := min(i+octree.BatchStride, len(ids))
		mem.Prefetch(t.octree.IDs.Gen, ids[end:min(end+octree.BatchStride, len(ids))], 0)
		for j, id := range ids[i:end] {
			if !t.octree.IDs.Alive(id) {
				return i + j
			}
		}
	}
	return len(ids)
}
