package linear

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/soa"
)

// SetOriented gives an object an oriented box inside its box, which queries with
// Filter.Exact test instead of the corners of the box. The object keeps it until it moves:
// a move drops it, [Tree.MoveOriented] gives it another. It may have a bounding sphere,
// too ([Tree.SetSphere]); then it is in what both have in common. The first oriented box
// allocates a column of 48 bytes a lane.
//
// The error is [ErrUnknown], or tells the numbers of an oriented box that is not finite, has
// axes that are not at right angles ([soa.OrientedBox.Check]), has its centre outside the
// box, or sticks out of that by more than rounding explains (a relative 2^-20).
func (t *Tree) SetOriented(id uint32, b soa.OrientedBox) error {
	if !t.ids.Alive(id) {
		return unknown(id)
	}
	t.catchUp()
	slot, lane := t.where(id)
	if err := checkInside(&b, t.store.Packets.Box(slot, lane)); err != nil {
		return fault.Errorf("linear: object %d: %w", id, err)
	}
	t.change()
	t.useOriented()
	t.setOriented(id, slot, lane, &b)
	return nil
}

// SetOrientedBatch is [Tree.SetOriented] for many objects, all or none. It panics when the
// slices differ in length.
func (t *Tree) SetOrientedBatch(ids []uint32, boxes []soa.OrientedBox) error {
	if len(ids) != len(boxes) {
		panic(fmt.Sprintf("linear: SetOrientedBatch of %d IDs and %d oriented boxes", len(ids), len(boxes)))
	}
	if len(ids) == 0 {
		return nil
	}
	t.catchUp()
	p := &t.store.Packets
	for i, id := range ids {
		if !t.ids.Alive(id) {
			return fault.Errorf("linear: object %d of the batch: %w", i, unknown(id))
		}
		slot, lane := t.where(id)
		if err := checkInside(&boxes[i], p.Box(slot, lane)); err != nil {
			return fault.Errorf("linear: object %d of the batch, ID %d: %w", i, id, err)
		}
	}
	t.change()
	t.useOriented()
	for i, id := range ids {
		slot, lane := t.where(id)
		t.setOriented(id, slot, lane, &boxes[i])
	}
	return nil
}

// MoveOriented gives an object a new oriented box and the smallest box that holds it
// ([soa.OrientedBox.Box]), whether it has had one before or not; a bounding sphere goes. It
// does what [Tree.Move] does with that box, but the object has the oriented box. The errors
// are those of Move, and an oriented box that is not finite or has axes that are not at
// right angles.
func (t *Tree) MoveOriented(id uint32, b soa.OrientedBox) error {
	if !t.ids.Alive(id) {
		return unknown(id)
	}
	box, err := checkOriented(&b)
	if err == nil {
		err = t.admitMove(&box)
	}
	if err != nil {
		return fault.Errorf("linear: object %d: %w", id, err)
	}
	t.wait(id, &box, nil, &b)
	return t.flushMoves()
}

// MoveOrientedBatch is [Tree.MoveBatch] for oriented boxes: it gives object ids[i] the
// oriented box boxes[i] and the smallest box that holds it, as [Tree.MoveOriented] does. An
// ID that is there twice gets the last one. When an ID is not live or an oriented box is
// refused, the error names the index and nothing moves. In steady state it allocates
// nothing. It ends the life of all views: an iteration that goes on panics. It panics when
// the slices differ in length.
func (t *Tree) MoveOrientedBatch(ids []uint32, boxes []soa.OrientedBox) error {
	if len(ids) != len(boxes) {
		panic(fmt.Sprintf("linear: MoveOrientedBatch of %d IDs and %d oriented boxes", len(ids), len(boxes)))
	}
	return t.moveBatch(ids, &bodies{oriented: boxes})
}

// Oriented returns the oriented box of a live object; ok is false when it has none.
func (t *Tree) Oriented(id uint32) (b soa.OrientedBox, ok bool) {
	if !t.ids.Alive(id) {
		return b, false
	}
	t.look()
	slot, lane := t.where(id)
	return t.store.Packets.Oriented(slot, lane)
}

// checkInside returns the error of an oriented box that an object with that box cannot
// have. With the centre in the box, whatever holds the box meets the oriented box.
func checkInside(b *soa.OrientedBox, box soa.AABB) error {
	if err := b.Check(); err != nil {
		return err
	}
	for a := range 3 {
		c, lo, hi := float64(b.Center[a]), float64(box.Min[a]), float64(box.Max[a])
		r := math.Abs(float64(b.Axes[0][a])) + math.Abs(float64(b.Axes[1][a])) + math.Abs(float64(b.Axes[2][a]))
		slack := 0x1p-20 * (math.Abs(lo) + math.Abs(hi) + r)
		if !(c >= lo && c <= hi && c-r >= lo-slack && c+r <= hi+slack) {
			return fmt.Errorf("oriented box %v is not in the box %v to %v", *b, box.Min, box.Max)
		}
	}
	return nil
}
