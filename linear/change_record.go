package linear

import (
	"fmt"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/soa"
)

// Batch records changes for [Tree.Apply]. It is what a handler fills while it
// iterates over answers, when the tree itself must not change. The zero Batch is
// empty and ready; recording checks nothing and allocates only to grow.
//
// A batch belongs to one goroutine at a time.
type Batch struct {
	changes  []change
	oriented []soa.OrientedBox // of changes that have one
	ids      []uint32
}

type kind uint8

const (
	insertion kind = iota
	ballInsertion
	removal
	motion
	sphereMotion
	orientedMotion
	masking
	labelling
)

var kindNames = [...]string{"Insert", "InsertBall", "Remove", "Move", "MoveSphere", "MoveOriented", "SetMask", "SetStatic"}

// change is one recorded call. The object holds what the call sets: of a ball, in
// place of the box, its centre and, as the first coordinate of Max, its radius; of an
// oriented box, as the mask, its number in the batch.
type change struct {
	kind kind
	id   uint32
	obj  soa.Object
}

// ball returns an object that stands for a ball.
func ball(sphere [4]float32, mask uint32, static bool) soa.Object {
	return soa.Object{Box: soa.AABB{Min: [3]float32(sphere[:3]), Max: [3]float32{sphere[3]}}, Mask: mask, Static: static}
}

// sphere returns the sphere of a change that has one.
func (c *change) sphere() [4]float32 {
	at := &c.obj.Box.Min
	return [4]float32{at[0], at[1], at[2], c.obj.Box.Max[0]}
}

// Insert records an insertion. Its ID is among those that Apply returns.
func (b *Batch) Insert(o soa.Object) {
	b.changes = append(b.changes, change{kind: insertion, obj: o})
}

// InsertBall records the insertion of a ball.
func (b *Batch) InsertBall(o soa.Ball) {
	b.changes = append(b.changes, change{kind: ballInsertion, obj: ball(o.Sphere, o.Mask, o.Static)})
}

// Remove records a removal.
func (b *Batch) Remove(id uint32) {
	b.changes = append(b.changes, change{kind: removal, id: id})
}

// Move records a move.
func (b *Batch) Move(id uint32, box soa.AABB) {
	b.changes = append(b.changes, change{motion, id, soa.Object{Box: box}})
}

// MoveSphere records a move of a ball.
func (b *Batch) MoveSphere(id uint32, sphere [4]float32) {
	b.changes = append(b.changes, change{sphereMotion, id, ball(sphere, 0, false)})
}

// MoveOriented records a move to an oriented box.
func (b *Batch) MoveOriented(id uint32, to soa.OrientedBox) {
	b.changes = append(b.changes, change{orientedMotion, id, soa.Object{Mask: uint32(len(b.oriented))}})
	b.oriented = append(b.oriented, to)
}

// SetMask records a new type mask.
func (b *Batch) SetMask(id, mask uint32) {
	b.changes = append(b.changes, change{masking, id, soa.Object{Mask: mask}})
}

// SetStatic records a new static flag.
func (b *Batch) SetStatic(id uint32, static bool) {
	b.changes = append(b.changes, change{labelling, id, soa.Object{Static: static}})
}

// Len returns the number of recorded changes.
func (b *Batch) Len() int { return len(b.changes) }

// Reset empties the batch and keeps its memory.
func (b *Batch) Reset() { b.changes, b.oriented = b.changes[:0], b.oriented[:0] }

// Apply runs the recorded changes in their order, all or none, and returns the
// IDs of the inserted objects, in the order of the insertions. The IDs are good
// until the batch is applied again. The batch keeps its changes until it is
// [Batch.Reset].
//
// A change names an object that is live before Apply, and not after its removal
// by the batch: the ID of an object that the batch inserts is not known to it.
// When a change cannot be made, for the reasons of the method of its name, the
// error names its index and the tree is as before.
//
// It costs what the calls cost one by one, and flushes at most once, at the
// end. In steady state it allocates nothing. It ends the life of all views: an
// iteration that goes on panics.
func (t *Tree) Apply(b *Batch) (ids []uint32, err error) {
	defer phase.Enter(phase.Flush).Leave()
	if err := t.checkBatch(b); err != nil {
		return nil, err
	}
	b.ids = b.ids[:0]
	if len(b.changes) == 0 {
		return b.ids, nil
	}
	t.catchUp()
	t.change()
	for i := range b.changes {
		t.apply(b, &b.changes[i])
	}
	t.catchUp()
	t.crowd()
	return b.ids, t.flushStrays()
}

// apply runs a change that can be made. Moves wait for the next one of another kind.
func (t *Tree) apply(b *Batch, c *change) {
	switch c.kind {
	case motion:
		t.wait(c.id, &c.obj.Box, nil, nil)
		return
	case sphereMotion:
		sphere := c.sphere()
		box := soa.Ball{Sphere: sphere}.Box()
		t.wait(c.id, &box, &sphere, nil)
		return
	case orientedMotion:
		to := &b.oriented[c.obj.Mask]
		box := to.Box()
		t.wait(c.id, &box, nil, to)
		return
	}
	t.catchUp()
	switch c.kind {
	case insertion:
		b.ids = append(b.ids, t.insertOne(&c.obj, &noSphere))
	case ballInsertion:
		sphere := c.sphere()
		o := c.obj
		o.Box = soa.Ball{Sphere: sphere}.Box()
		b.ids = append(b.ids, t.insertOne(&o, &sphere))
	case removal:
		t.remove(c.id)
	case masking:
		t.setMask(c.id, c.obj.Mask)
	case labelling:
		t.setStatic(c.id, c.obj.Static)
	}
}

// inserts reports whether the change has no ID yet.
func (c *change) inserts() bool { return c.kind == insertion || c.kind == ballInsertion }

// checkChange returns the error of a change that cannot be made.
func (t *Tree) checkChange(b *Batch, c *change) error {
	if !c.inserts() && !t.ids.Alive(c.id) {
		return unknown(c.id)
	}
	switch c.kind {
	case insertion:
		return t.admit(&c.obj.Box)
	case motion:
		return t.admitMove(&c.obj.Box)
	case ballInsertion, sphereMotion:
		box, err := checkBall(c.sphere())
		switch {
		case err != nil:
			return err
		case c.inserts():
			return t.checkWorld(&box)
		}
		return t.admitMove(&box)
	case orientedMotion:
		box, err := checkOriented(&b.oriented[c.obj.Mask])
		if err != nil {
			return err
		}
		return t.admitMove(&box)
	}
	return nil
}

// checkBatch returns the error of the first change that cannot be made.
func (t *Tree) checkBatch(b *Batch) error {
	insertions := 0
	var err error
	done := 0
	for ; done < len(b.changes) && err == nil; done++ {
		c := &b.changes[done]
		if c.inserts() {
			insertions++
		}
		if err = t.checkChange(b, c); err != nil {
			err = fmt.Errorf("linear: change %d of the batch, %s: %w", done, kindNames[c.kind], err)
		} else if c.kind == removal {
			t.ids.Claim(c.id)
		}
	}
	if err != nil {
		done-- // what could not be made has not been marked
	}
	for _, c := range b.changes[:done] {
		if c.kind == removal {
			t.ids.Unclaim(c.id)
		}
	}
	if err != nil {
		return err
	}
	// Removals do not count: they may come last.
	return t.admitsPending(insertions)
}
