package linear

import (
	"fmt"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// Bodies are the new bodies of objects in a batch. The first objects get boxes, the next ones bounding
// spheres x, y, z, radius, and the last ones oriented boxes: a batch has one ID for each body, in this
// order. Any of the lists may be empty.
type Bodies struct {
	Boxes    []AABB
	Spheres  [][4]float32
	Oriented []OrientedBox
}

// MoveBodies is [Tree.MoveBatch] for objects of all kinds in one call: object ids[i] gets body i. With a
// sphere or an oriented box it gets the smallest box that contains it, like [Tree.MoveSphere] and
// [Tree.MoveOriented]; with a box it loses its bounds. An ID that occurs twice gets the last body. If
// an ID is not live or a body is rejected, the error names the index and nothing moves.
//
// The objects get the bodies that a call for each list would give them, one after the other. But the
// tree counts them together when it chooses how to update itself ([Config.Policy]), and writes them in
// one pass if most objects move.
//
// For spheres it takes the time of MoveBatch in a tree with spheres and up to a third more, up to twice
// as long when half of the objects move or more (go test ./linear -run '^$' -bench MoveSphere). In
// steady state it allocates nothing. It invalidates all views: an iteration that continues panics. It
// panics unless there is an ID for each body.
func (t *Tree) MoveBodies(ids []uint32, to Bodies) error {
	sameLen("MoveBodies", ids, &to)
	return t.moveBatch(ids, (*octree.Bodies)(&to))
}

// SetBounds is [Tree.SetSphere] and [Tree.SetOriented] for many objects, all or none. An object may
// get a sphere and an oriented box in one call. It panics if there are boxes, or unless there is an ID
// for each bound.
func (t *Tree) SetBounds(ids []uint32, to Bodies) error {
	noBoxes(&to)
	sameLen("SetBounds", ids, &to)
	if len(ids) == 0 {
		return nil
	}
	if bad, err := t.setBounds(ids, (*octree.Bodies)(&to)); err != nil {
		return batchError(bad, ids, err)
	}
	return nil
}

// sameLen panics unless there is an ID for each body.
func sameLen(name string, ids []uint32, to *Bodies) {
	if len(ids) != (*octree.Bodies)(to).Len() {
		panic(fmt.Sprintf("linear: %s of %d IDs and %d boxes, %d spheres and %d oriented boxes", name, len(ids), len(to.Boxes), len(to.Spheres), len(to.Oriented)))
	}
}

// noBoxes panics if there are boxes, which are no bounds.
func noBoxes(to *Bodies) {
	if n := len(to.Boxes); n > 0 {
		panic(fmt.Sprintf("linear: SetBounds with %d boxes", n))
	}
}

// SetSphere gives an object a bounding sphere x, y, z, radius inside its box. Queries with
// Filter.Exact test it instead of the corners of the box. A move removes it; [Tree.MoveSphere]
// replaces it. The object may also have an oriented box ([Tree.SetOriented]), which SetSphere
// keeps. The first sphere allocates a column of 16 bytes a lane.
//
// The error is [ErrUnknown], or has the numbers of a sphere that is not finite, has a negative
// radius, or sticks out of the box by more than rounding explains (a relative 2^-20). Queries
// ignore the part of a sphere outside the box.
func (t *Tree) SetSphere(id uint32, sphere [4]float32) error {
	return t.setBound(id, &octree.Bodies{Spheres: [][4]float32{sphere}})
}

// SetOriented gives an object an oriented bounding box (OBB) inside its box. Queries with
// Filter.Exact test it instead of the corners of the box. A move removes it; [Tree.MoveOriented]
// replaces it. If the object also has a bounding sphere ([Tree.SetSphere]), it is in the
// intersection of both. The first oriented box allocates a column of 48 bytes a lane.
//
// The error is [ErrUnknown], or has the numbers of an oriented box that is not finite, has axes
// that are not at right angles ([OrientedBox.Check]), has its centre outside the box, or sticks
// out of the box by more than rounding explains (a relative 2^-20).
func (t *Tree) SetOriented(id uint32, b OrientedBox) error {
	return t.setBound(id, &octree.Bodies{Oriented: []soa.OrientedBox{b}})
}

// setBound sets one bound of an object.
func (t *Tree) setBound(id uint32, to *octree.Bodies) error {
	if _, err := t.setBounds([]uint32{id}, to); err != nil {
		return objectError(id, err)
	}
	return nil
}

// setBounds sets bounds of objects, or returns the index and the error of a rejected one.
func (t *Tree) setBounds(ids []uint32, to *octree.Bodies) (bad int, err error) {
	t.applyDeferred()
	c := batchCheck{t: t}
	if bad, err = c.bounds(ids, to); err != nil {
		return bad, err
	}
	t.octree.BeginChange()
	t.octree.SetBounds(ids, to)
	return -1, nil
}

// Sphere returns the bounding sphere x, y, z, radius of a live object; ok is false if it has none.
func (t *Tree) Sphere(id uint32) (sphere [4]float32, ok bool) {
	if !t.octree.IDs.Alive(id) {
		return sphere, false
	}
	t.sync()
	slot, lane := t.octree.Locate(id)
	return t.octree.Store.Packets.Sphere(slot, lane)
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

// MoveSphere gives an object a new bounding sphere x, y, z, radius and the smallest box that
// contains it, whether or not it had a sphere before. It removes the object's oriented box.
// Otherwise it is [Tree.Move] with that box. The errors are those of Move, and a sphere that is not
// finite or has a negative radius.
func (t *Tree) MoveSphere(id uint32, sphere [4]float32) error {
	if !t.octree.IDs.Alive(id) {
		return unknown(id)
	}
	box, err := checkBall(sphere)
	return t.moveBound(id, &box, &sphere, nil, err)
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
	return t.moveBound(id, &box, nil, &b, err)
}

// moveBound moves an object to a bound with that box, unless the bound is invalid.
func (t *Tree) moveBound(id uint32, box *soa.AABB, sphere *[4]float32, oriented *soa.OrientedBox, invalid error) error {
	err := invalid
	t.limitDeferred(1)
	if err == nil {
		err = t.checkNoBounds()
	}
	if err == nil {
		err = t.admitMove(box)
	}
	if err != nil {
		return objectError(id, err)
	}
	t.deferMove(id, box, sphere, oriented, false)
	return t.flushMoves()
}

// InsertBall adds one ball, a bounding sphere with the smallest box that contains it, and returns
// its ID. [Tree.SetSphere] documents spheres. The errors are those of [Tree.Insert], and a sphere
// that is not finite or has a negative radius. The effects on views are those of Insert.
func (t *Tree) InsertBall(b Ball) (id uint32, err error) {
	t.ready()
	box, err := checkBall(b.Sphere)
	if err == nil {
		err = t.checkOutside(&box)
	}
	if err == nil {
		err = t.checkNoBounds()
	}
	if err != nil {
		return soa.None, fault.Errorf("linear: %w", err)
	}
	t.applyDeferred()
	if err := t.octree.AdmitsPending(1); err != nil {
		return soa.None, err
	}
	t.octree.BeginChange()
	id = t.octree.InsertOne(&soa.Object{Box: box, Mask: b.Mask, Static: b.Static}, &b.Sphere)
	t.markInserted()
	return id, nil
}

// InsertBallBatch is [Tree.InsertBatch] for balls: see [Tree.InsertBall]. It keeps a buffer of 48
// bytes for each ball of a batch.
func (t *Tree) InsertBallBatch(dst []uint32, balls []Ball) ([]uint32, error) {
	objects, spheres, bad, err := t.ballObjects(balls)
	if err != nil {
		return dst, fault.Errorf("linear: object %d: %w", bad, err)
	}
	return t.insertBatch(dst, objects, spheres)
}

// ballObjects returns balls as objects with their spheres, valid until the next call, or the index
// and the error of the first ball with an invalid radius.
func (t *Tree) ballObjects(balls []soa.Ball) (objects []soa.Object, spheres [][4]float32, bad int, err error) {
	sc := t.octree.Buffers()
	sc.Balls, sc.Spheres = mem.Fresh(sc.Balls, len(balls)), mem.Fresh(sc.Spheres, len(balls))
	all := octree.Bodies{Spheres: sc.Spheres}
	for i := 0; i < len(balls); {
		end := all.End(i, octree.NextStride)
		for k := i; k < end; k++ {
			if sc.Spheres[k] = balls[k].Sphere; !(balls[k].Sphere[3] >= 0) {
				return nil, nil, k, octree.BadRadius(balls[k].Sphere)
			}
		}
		for k, box := range t.octree.NextBoxes(&all, i, end) {
			b := &balls[i+k]
			sc.Balls[i+k] = soa.Object{Box: box, Mask: b.Mask, Static: b.Static}
		}
		i = end
	}
	return sc.Balls, sc.Spheres, -1, nil
}

// checkBall returns the bounding box of a ball, or the error of an invalid one.
func checkBall(s [4]float32) (box soa.AABB, err error) {
	if !(s[3] >= 0) { // a NaN fails
		return box, octree.BadRadius(s)
	}
	box = soa.Ball{Sphere: s}.Box()
	if err := box.Check(); err != nil {
		return box, fault.Errorf("sphere %v: %w", s, err)
	}
	return box, nil
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
