package linear

import (
	"errors"
	"fmt"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/soa"
)

// ErrUnknown is returned for an ID that no live object has.
var ErrUnknown = errors.New("linear: no live object has this ID")

func unknown(id uint32) error { return fmt.Errorf("%w: %d", ErrUnknown, id) }

// Insert adds one object and returns its ID. It is pending, which queries see
// at once, until the list is flushed. The errors are those of
// [Tree.InsertBatch], and so are its effects on views.
func (t *Tree) Insert(o soa.Object) (id uint32, err error) {
	if err := t.admit(&o.Box); err != nil {
		return soa.None, fmt.Errorf("linear: %w", err)
	}
	if err := t.admitsPending(1); err != nil {
		return soa.None, err
	}
	t.change()
	t.hold(&o.Box)
	id = t.addPending(&o)
	return id, t.flushIfFull()
}

// Remove removes one object. Its ID is free for the next object; handles of it
// become stale. An ID that is not live gives [ErrUnknown]. It takes constant
// time, and ends the life of all views: an iteration that goes on panics.
func (t *Tree) Remove(id uint32) error {
	if !t.ids.Alive(id) {
		return unknown(id)
	}
	t.change()
	t.remove(id)
	return nil
}

// RemoveBatch removes the objects. When an ID is not live, or is there twice,
// the error names its index and nothing is removed. It takes constant time for
// each, and ends the life of all views: an iteration that goes on panics.
func (t *Tree) RemoveBatch(ids []uint32) error {
	defer phase.Enter(phase.Flush).Leave()
	for i, id := range ids {
		if !t.ids.Alive(id) {
			for _, done := range ids[:i] {
				t.ids.Unclaim(done)
			}
			if t.ids.Alive(id) {
				return fmt.Errorf("linear: object %d of the batch: ID %d is in it twice", i, id)
			}
			return fmt.Errorf("linear: object %d of the batch: %w", i, unknown(id))
		}
		t.ids.Claim(id)
	}
	for _, id := range ids {
		t.ids.Unclaim(id)
	}
	t.change()
	t.removeAll(ids)
	return nil
}

// Move gives an object a new box. The object stays in its packet, whose tight
// box grows at once; if its key no longer belongs there it becomes a stray,
// which a later flush re-homes. The errors are [ErrUnknown], a box that is not
// finite or is inverted, and [ErrOutside]. It ends the life of all views: an
// iteration that goes on panics.
func (t *Tree) Move(id uint32, box soa.AABB) error {
	if !t.ids.Alive(id) {
		return unknown(id)
	}
	if err := t.admit(&box); err != nil {
		return fmt.Errorf("linear: object %d: %w", id, err)
	}
	t.change()
	t.hold(&box)
	t.refitOnly()
	t.move(id, &box)
	t.work.Moved++
	return t.flushIfFull()
}

// MoveBatch gives object ids[i] the box boxes[i]. An ID that is there twice gets
// the last box. When an ID is not live or a box is refused, the error names the
// index and nothing moves. It ends the life of all views: an iteration that goes
// on panics. It panics when the slices differ in length.
func (t *Tree) MoveBatch(ids []uint32, boxes []soa.AABB) error {
	if len(ids) != len(boxes) {
		panic(fmt.Sprintf("linear: MoveBatch of %d IDs and %d boxes", len(ids), len(boxes)))
	}
	if len(ids) == 0 {
		return nil
	}
	defer phase.Enter(phase.Flush).Leave()
	centres, union, bad := asm.Survey(soa.BoxWords(boxes), 6, len(boxes))
	if bad >= 0 {
		return fmt.Errorf("linear: object %d of the batch, ID %d: %w", bad, ids[bad], boxes[bad].Check())
	}
	if bad := t.firstDead(ids); bad < len(ids) {
		return fmt.Errorf("linear: object %d of the batch: %w", bad, unknown(ids[bad]))
	}
	if !t.holdsAll(boxOf(centres)) {
		lo, hi := t.world.Bounds()
		for i := range boxes {
			if insideHalfOpen(&lo, &hi, boxes[i].Center()) {
				continue
			}
			if err := t.checkWorld(&boxes[i]); err != nil {
				return fmt.Errorf("linear: object %d of the batch, ID %d: %w", i, ids[i], err)
			}
		}
	}
	t.change()
	t.centres = t.centres.Union(boxOf(centres))
	if all := boxOf(union); t.code.near(&all) {
		t.bound(&all)
	} else {
		for i := range boxes {
			t.bound(&boxes[i])
			t.exile(ids[i], &boxes[i])
		}
	}
	t.refitOnly()
	t.work.Moved += len(ids)
	if t.isMajority(len(ids)) {
		t.moveMost(ids, boxes)
	} else {
		t.moveAll(ids, boxes)
	}
	return t.flushIfFull()
}

// SetMask gives an object a new type mask. An ID that is not live gives
// [ErrUnknown]. It ends the life of all views: an iteration that goes on panics.
func (t *Tree) SetMask(id, mask uint32) error {
	if !t.ids.Alive(id) {
		return unknown(id)
	}
	t.change()
	t.setMask(id, mask)
	return nil
}

func (t *Tree) setMask(id, mask uint32) {
	slot, lane := t.where(id)
	t.store.Packets.Masks[slot][lane] = mask
	t.touch(slot)
	t.raise(slot, mask, 0)
	t.note(id)
}

// SetStatic makes an object static or moving. An ID that is not live gives
// [ErrUnknown]. It ends the life of all views: an iteration that goes on panics.
func (t *Tree) SetStatic(id uint32, static bool) error {
	if !t.ids.Alive(id) {
		return unknown(id)
	}
	t.change()
	t.setStatic(id, static)
	return nil
}

func (t *Tree) setStatic(id uint32, static bool) {
	slot, lane := t.where(id)
	p := &t.store.Packets
	p.Moving[slot] &^= 1 << lane
	flag := soa.RefStatic
	if !static {
		p.Moving[slot] |= 1 << lane
		flag = soa.RefMoving
	}
	t.touch(slot)
	t.raise(slot, 0, flag)
	t.note(id)
}

// change ends the life of all views.
func (t *Tree) change() { t.store.Version++ }

// hold widens what the tree knows of its objects to a box.
func (t *Tree) hold(box *soa.AABB) {
	c := box.Center()
	t.centres = t.centres.Union(soa.AABB{Min: c, Max: c})
	t.bound(box)
}

// where returns the slot and lane of a live object.
func (t *Tree) where(id uint32) (slot uint32, lane int) {
	w := t.ids.Where[id]
	return w.Slot(), w.Lane()
}

// move overwrites a box.
func (t *Tree) move(id uint32, box *soa.AABB) {
	t.exile(id, box)
	slot, lane := t.where(id)
	t.moveTo(id, slot, lane, box, t.code.key(box))
}

// moveTo overwrites the box of an object by one that has the key. An object of
// the tree that is not at home is a stray; one that was not before is one
// already. A drifting tree lists none.
func (t *Tree) moveTo(id, slot uint32, lane int, box *soa.AABB, key uint64) {
	p := &t.store.Packets
	up := p.Owner[slot]
	if up != soa.NoUp && !t.drifting && !t.homeOfKey(p.Keys[slot], key, box) {
		if old := p.Box(slot, lane); t.home(p.Keys[slot], &old) {
			t.strays = append(t.strays, id)
		}
	}
	p.SetBox(slot, lane, box)
	p.DropSphere(slot, lane)
	t.note(id)
	t.touchBoxes(slot)
	if up != soa.NoUp { // else it is pending
		t.dirty.Add(slot)
		t.grow(up, box)
	}
}

// grow makes the tight boxes from a lane upwards hold a box. It ends at the
// first that does already: those above do too.
func (t *Tree) grow(up soa.Up, box *soa.AABB) {
	n := &t.store.Nodes
	for up != soa.NoUp {
		b, l := &n.Hot[up.Node()].Bounds, up.Lane()
		grown := false
		for a := range 3 {
			if box.Min[a] < b[2*a][l] {
				b[2*a][l] = box.Min[a] + 0 // no -0
				grown = true
			}
			if box.Max[a] > b[2*a+1][l] {
				b[2*a+1][l] = box.Max[a] + 0
				grown = true
			}
		}
		if !grown {
			return
		}
		t.touchNode(up.Node())
		up = n.Up[up.Node()]
	}
}

// raise adds a mask and flags of an object in a slot to the lanes above. What
// they held for the object's former state goes at the next refit.
func (t *Tree) raise(slot, mask uint32, flags soa.Ref) {
	up := t.store.Packets.Owner[slot]
	if up == soa.NoUp {
		return
	}
	t.dirty.Add(slot)
	n := &t.store.Nodes
	for ; up != soa.NoUp; up = n.Up[up.Node()] {
		h, l := &n.Hot[up.Node()], up.Lane()
		if h.Mask[l]&mask == mask && h.Child[l]&flags == flags {
			return
		}
		t.touchNode(up.Node())
		h.Mask[l] |= mask
		h.Child[l] |= flags
	}
}

// remove takes an object out of its packet and frees its ID.
func (t *Tree) remove(id uint32) {
	t.peak = max(t.peak, t.Len())
	slot, lane := t.where(id)
	t.takeOut(slot, lane)
	t.ids.Free(id)
	t.store.Count--
	t.store.Log.Remove(id, t.Len())
}

// takeOut removes a lane: the last one moves into its place.
func (t *Tree) takeOut(slot uint32, lane int) {
	p := &t.store.Packets
	last := int(p.Counts[slot]) - 1
	if lane != last {
		p.Move(slot, lane, slot, last)
		t.ids.Where[p.IDs[slot][lane]] = soa.MakePlace(slot, lane)
	}
	p.Drop(slot, last)
	t.touch(slot)
	if up := p.Owner[slot]; up != soa.NoUp {
		t.dirty.Add(slot)
		t.thin.Add(up.Node())
		t.count(up.Node(), ^uint32(0))
		return
	}
	t.closeUp(slot, last)
}

// closeUp moves the last pending object into a lane that another one has left,
// and gives back the last pending packet when it is empty: the list is dense.
func (t *Tree) closeUp(slot uint32, lane int) {
	s, p := t.store, &t.store.Packets
	t.pending--
	end := len(s.Pending) - 1
	tail := s.Pending[end]
	if slot != tail {
		t.put(slot, lane, tail, int(p.Counts[tail])-1)
		p.Drop(tail, int(p.Counts[tail])-1)
		t.touch(tail)
	}
	if p.Counts[tail] == 0 {
		s.Pending = s.Pending[:end]
		if end%soa.BlockSlots == 0 {
			t.freeBlock(tail)
		}
	}
}

// flushIfFull flushes when the pending list or the strays exceed their bound.
func (t *Tree) flushIfFull() error {
	if max(t.pending, len(t.strays)) <= max(t.cfg.PendingMin, t.Len()/t.cfg.PendingShare) {
		return nil
	}
	// A list that finds no room stays as it is: what it holds is in the tree.
	if err := t.Flush(); !errors.Is(err, soa.ErrFull) {
		return err
	}
	return nil
}
