package linear

import (
	"fmt"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// SetOriented gives an object an oriented bounding box (OBB) inside its box. Queries with
// Filter.Exact test it instead of the corners of the box. A move removes it; [Tree.MoveOriented]
// replaces it. If the object also has a bounding sphere ([Tree.SetSphere]), it is in the
// intersection of both. The first oriented box allocates a column of 48 bytes a lane.
//
// The error is [ErrUnknown], or has the numbers of an oriented box that is not finite, has axes
// that are not at right angles ([OrientedBox.Check]), has its centre outside the box, or sticks
// out of the box by more than rounding explains (a relative 2^-20).
func (t *Tree) SetOriented(id uint32, b OrientedBox) error {
	if !t.octree.IDs.Alive(id) {
		return unknown(id)
	}
	t.applyDeferred()
	slot, lane := t.octree.Locate(id)
	if err := octree.CheckInside(&b, t.octree.Store.Packets.Box(slot, lane)); err != nil {
		return fault.Errorf("linear: object %d: %w", id, err)
	}
	t.octree.BeginChange()
	t.octree.UseOriented()
	t.octree.SetOriented(id, slot, lane, &b)
	return nil
}

// SetOrientedBatch is [Tree.SetOriented] for many objects, all or none. It panics if the slices
// differ in length.
func (t *Tree) SetOrientedBatch(ids []uint32, boxes []OrientedBox) error {
	if len(ids) != len(boxes) {
		panic(fmt.Sprintf("linear: SetOrientedBatch of %d IDs and %d oriented boxes", len(ids), len(boxes)))
	}
	if len(ids) == 0 {
		return nil
	}
	t.applyDeferred()
	p := &t.octree.Store.Packets
	for i, id := range ids {
		if !t.octree.IDs.Alive(id) {
			return fault.Errorf("linear: object %d of the batch: %w", i, unknown(id))
		}
		slot, lane := t.octree.Locate(id)
		if err := octree.CheckInside(&boxes[i], p.Box(slot, lane)); err != nil {
			return fault.Errorf("linear: object %d of the batch, ID %d: %w", i, id, err)
		}
	}
	t.octree.BeginChange()
	t.octree.UseOriented()
	for i, id := range ids {
		slot, lane := t.octree.Locate(id)
		t.octree.SetOriented(id, slot, lane, &boxes[i])
	}
	return nil
}

// MoveOriented gives an object a new oriented bounding box and the smallest box that contains it
// ([OrientedBox.Box]), whether or not it had one before. It removes the object's bounding
// sphere. Otherwise it is [Tree.Move] with that box. The errors are those of Move, and an oriented
// box that is not finite or has axes that are not at right angles.
func (t *Tree) MoveOriented(id uint32, b OrientedBox) error {
	if !t.octree.IDs.Alive(id) {
		return unknown(id)
	}
	box, err := checkOriented(&b)
	if err == nil {
		err = t.admitMove(&box)
	}
	if err != nil {
		return fault.Errorf("linear: object %d: %w", id, err)
	}
	t.deferMove(id, &box, nil, &b)
	return t.flushMoves()
}

// MoveOrientedBatch is [Tree.MoveBatch] for oriented boxes: it gives object ids[i] the oriented box
// boxes[i] and the smallest box that contains it, like [Tree.MoveOriented]. An ID that occurs twice
// gets the last one. If an ID is not live or an oriented box is rejected, the error names the index
// and nothing moves. In steady state it allocates nothing. It invalidates all views: an iteration
// that continues panics. It panics if the slices differ in length.
func (t *Tree) MoveOrientedBatch(ids []uint32, boxes []OrientedBox) error {
	if len(ids) != len(boxes) {
		panic(fmt.Sprintf("linear: MoveOrientedBatch of %d IDs and %d oriented boxes", len(ids), len(boxes)))
	}
	return t.moveBatch(ids, &octree.Bodies{Oriented: boxes})
}

// Oriented returns the oriented box of a live object; ok is false if it has none.
func (t *Tree) Oriented(id uint32) (b OrientedBox, ok bool) {
	if !t.octree.IDs.Alive(id) {
		return b, false
	}
	t.sync()
	slot, lane := t.octree.Locate(id)
	return t.octree.Store.Packets.Oriented(slot, lane)
}

// checkOriented returns the bounding box of an oriented box, or the error of an invalid one.
func checkOriented(b *soa.OrientedBox) (box soa.AABB, err error) {
	if err := b.Check(); err != nil {
		return box, err
	}
	box = b.Box()
	if err := box.Check(); err != nil {
		return box, fault.Errorf("oriented box %v: %w", *b, err)
	}
	return box, nil
}
