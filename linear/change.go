package linear

import (
	"errors"
	"fmt"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/soa"
)

// ErrUnknown is returned for an ID that no live object has.
var ErrUnknown = errors.New("linear: no live object has this ID")

func unknown(id uint32) error { return fmt.Errorf("%w: %d", ErrUnknown, id) }

// Insert adds one object and returns its ID. It is pending, which queries see
// at once, until the list is flushed. The errors are those of
// [Tree.InsertBatch].
func (t *Tree) Insert(o soa.Object) (id uint32, err error) {
	if err := o.Box.Check(); err != nil {
		return soa.None, fmt.Errorf("linear: %w", err)
	}
	if t.Len() >= radix.MaxLen {
		return soa.None, fmt.Errorf("linear: %d objects are the most a tree can hold", radix.MaxLen)
	}
	if err := t.ids.Room(1); err != nil {
		return soa.None, fmt.Errorf("linear: %w", err)
	}
	t.change()
	t.hold(&o.Box)
	id = t.addPending(&o)
	return id, t.flushIfFull()
}

// Remove removes one object. Its ID is free for the next object; handles of it
// become stale. An ID that is not live gives [ErrUnknown].
func (t *Tree) Remove(id uint32) error {
	if !t.ids.Alive(id) {
		return unknown(id)
	}
	t.change()
	t.remove(id)
	return nil
}

// RemoveBatch removes the objects. When an ID is not live, or is there twice,
// the error names its index and nothing is removed.
func (t *Tree) RemoveBatch(ids []uint32) error {
	for i, id := range ids {
		if !t.ids.Alive(id) {
			for _, done := range ids[:i] {
				t.ids.Unmark(done)
			}
			if marked(ids[:i], id) {
				return fmt.Errorf("linear: object %d of the batch: ID %d is in it twice", i, id)
			}
			return fmt.Errorf("linear: object %d of the batch: %w", i, unknown(id))
		}
		t.ids.Mark(id)
	}
	for _, id := range ids {
		t.ids.Unmark(id)
	}
	t.change()
	for _, id := range ids {
		t.remove(id)
	}
	return nil
}

// Move gives an object a new box. The object stays in its packet, whose tight
// box grows at once; if its key no longer belongs there it becomes a stray,
// which the next flush re-homes. The errors are [ErrUnknown] and a box that is
// not finite or is inverted.
func (t *Tree) Move(id uint32, box soa.AABB) error {
	if !t.ids.Alive(id) {
		return unknown(id)
	}
	if err := box.Check(); err != nil {
		return fmt.Errorf("linear: object %d: %w", id, err)
	}
	t.change()
	t.hold(&box)
	t.move(id, &box)
	return t.flushIfFull()
}

// MoveBatch gives object ids[i] the box boxes[i]. An ID that is there twice gets
// the last box. When an ID is not live or a box is bad, the error names the
// index and nothing moves. It panics when the slices differ in length.
func (t *Tree) MoveBatch(ids []uint32, boxes []soa.AABB) error {
	if len(ids) != len(boxes) {
		panic(fmt.Sprintf("linear: MoveBatch of %d IDs and %d boxes", len(ids), len(boxes)))
	}
	if len(ids) == 0 {
		return nil
	}
	centres, union, bad := asm.Survey(soa.BoxWords(boxes), 6, len(boxes))
	if bad >= 0 {
		return fmt.Errorf("linear: object %d of the batch, ID %d: %w", bad, ids[bad], boxes[bad].Check())
	}
	for i, id := range ids {
		if !t.ids.Alive(id) {
			return fmt.Errorf("linear: object %d of the batch: %w", i, unknown(id))
		}
	}
	t.change()
	t.centres = t.centres.Union(boxOf(centres))
	t.store.Extent = widen(t.store.Extent, boxOf(union))
	if !t.bounds.Contains(boxOf(centres)) {
		t.outside += len(ids)
	}
	for i, id := range ids {
		t.move(id, &boxes[i])
	}
	return t.flushIfFull()
}

// SetMask gives an object a new type mask.
func (t *Tree) SetMask(id, mask uint32) error {
	if !t.ids.Alive(id) {
		return unknown(id)
	}
	t.change()
	slot, lane := t.where(id)
	t.store.Packets.Masks[slot][lane] = mask
	t.raise(slot, mask, 0)
	return nil
}

// SetStatic makes an object static or moving.
func (t *Tree) SetStatic(id uint32, static bool) error {
	if !t.ids.Alive(id) {
		return unknown(id)
	}
	t.change()
	slot, lane := t.where(id)
	p := &t.store.Packets
	p.Moving[slot] &^= 1 << lane
	flag := uint32(asm.RefStatic)
	if !static {
		p.Moving[slot] |= 1 << lane
		flag = asm.RefMoving
	}
	t.raise(slot, 0, flag)
	return nil
}

// change ends the life of all views.
func (t *Tree) change() { t.store.Version++ }

// hold widens what the tree knows of its objects to a box.
func (t *Tree) hold(box *soa.AABB) {
	c := box.Center()
	t.centres = t.centres.Union(soa.AABB{Min: c, Max: c})
	if !t.bounds.Contains(soa.AABB{Min: c, Max: c}) {
		t.outside++
	}
	t.store.Extent = widen(t.store.Extent, *box)
}

// where returns the slot and lane of a live object.
func (t *Tree) where(id uint32) (slot uint32, lane int) {
	w := t.ids.Where[id]
	return w >> 4, int(w & (asm.Lanes - 1))
}

// move overwrites a box.
func (t *Tree) move(id uint32, box *soa.AABB) {
	p := &t.store.Packets
	slot, lane := t.where(id)
	p.SetBox(slot, lane, box)
	p.DropSphere(slot, lane)
	up := p.Owner[slot]
	if up == soa.None {
		return // pending
	}
	t.dirty.add(slot)
	t.grow(up, box)
	key := uint64(t.world.KeyOfBox(box.Min, box.Max))
	if k := &p.Keys[slot]; key < k.Low || key > k.High {
		t.strays = append(t.strays, id)
	}
}

// grow makes the tight boxes from a lane upwards hold a box. It ends at the
// first that does already: those above do too.
func (t *Tree) grow(up uint32, box *soa.AABB) {
	n := &t.store.Nodes
	for up != soa.None {
		b, l := &n.Hot[up>>3].Bounds, up&7
		grown := false
		for a := range 3 {
			if box.Min[a] < b[2*a][l] {
				b[2*a][l] = box.Min[a]
				grown = true
			}
			if box.Max[a] > b[2*a+1][l] {
				b[2*a+1][l] = box.Max[a]
				grown = true
			}
		}
		if !grown {
			return
		}
		up = n.Up[up>>3]
	}
}

// raise adds a mask and flags of an object in a slot to the lanes above. What
// they held for the object's former state goes at the next refit.
func (t *Tree) raise(slot, mask, flags uint32) {
	up := t.store.Packets.Owner[slot]
	if up == soa.None {
		return
	}
	t.dirty.add(slot)
	n := &t.store.Nodes
	for ; up != soa.None; up = n.Up[up>>3] {
		h, l := &n.Hot[up>>3], up&7
		if h.Mask[l]&mask == mask && h.Child[l]&flags == flags {
			return
		}
		h.Mask[l] |= mask
		h.Child[l] |= flags
	}
}

// remove takes an object out of its packet and frees its ID.
func (t *Tree) remove(id uint32) {
	slot, lane := t.where(id)
	t.takeOut(slot, lane)
	t.ids.Free(id)
	t.store.Live--
}

// takeOut removes a lane: the last one moves into its place.
func (t *Tree) takeOut(slot uint32, lane int) {
	p := &t.store.Packets
	last := int(p.Counts[slot]) - 1
	if lane != last {
		p.Move(slot, lane, slot, last)
		t.ids.Where[p.IDs[slot][lane]] = slot<<4 | uint32(lane)
	}
	p.Drop(slot, last)
	if up := p.Owner[slot]; up != soa.None {
		t.dirty.add(slot)
		t.thin.add(up >> 3)
		return
	}
	t.pending--
}

// flushIfFull flushes when the pending list or the strays exceed their bound.
func (t *Tree) flushIfFull() error {
	bound := max(t.cfg.PendingMin, t.Len()/t.cfg.PendingShare)
	// Packets of the list that removals have emptied count too.
	if max(t.pending, len(t.strays)) <= bound && len(t.store.Loose)*asm.Lanes <= 4*(bound+asm.Lanes) {
		return nil
	}
	return t.Flush()
}

// marked reports whether the batch holds the ID.
func marked(ids []uint32, id uint32) bool {
	for _, x := range ids {
		if x == id {
			return true
		}
	}
	return false
}
