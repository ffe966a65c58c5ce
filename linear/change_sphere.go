package linear

import (
	"fmt"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// SetSphere gives an object a bounding sphere x, y, z, radius inside its box. Queries with
// Filter.Exact test it instead of the corners of the box. A move removes it; [Tree.MoveSphere]
// replaces it. The object may also have an oriented box ([Tree.SetOriented]), which SetSphere
// keeps. The first sphere allocates a column of 16 bytes a lane.
//
// The error is [ErrUnknown], or has the numbers of a sphere that is not finite, has a negative
// radius, or sticks out of the box by more than rounding explains (a relative 2^-20). Queries
// ignore the part of a sphere outside the box.
func (t *Tree) SetSphere(id uint32, sphere [4]float32) error {
	if !t.octree.IDs.Alive(id) {
		return unknown(id)
	}
	t.applyDeferred()
	slot, lane := t.octree.Locate(id)
	if err := octree.CheckSphere(sphere, t.octree.Store.Packets.Box(slot, lane)); err != nil {
		return fault.Errorf("linear: object %d: %w", id, err)
	}
	t.octree.BeginChange()
	t.octree.UseSpheres()
	t.octree.SetSphere(id, slot, lane, &sphere)
	return nil
}

// SetSphereBatch is [Tree.SetSphere] for many objects, all or none. It panics if the slices differ
// in length.
func (t *Tree) SetSphereBatch(ids []uint32, spheres [][4]float32) error {
	if len(ids) != len(spheres) {
		panic(fmt.Sprintf("linear: SetSphereBatch of %d IDs and %d spheres", len(ids), len(spheres)))
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
		if err := octree.CheckSphere(spheres[i], p.Box(slot, lane)); err != nil {
			return fault.Errorf("linear: object %d of the batch, ID %d: %w", i, id, err)
		}
	}
	t.octree.BeginChange()
	t.octree.UseSpheres()
	for i, id := range ids {
		slot, lane := t.octree.Locate(id)
		t.octree.SetSphere(id, slot, lane, &spheres[i])
	}
	return nil
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

// InsertBall adds one ball, a bounding sphere with the smallest box that contains it, and returns
// its ID. [Tree.SetSphere] documents spheres. The errors are those of [Tree.Insert], and a sphere
// that is not finite or has a negative radius. The effects on views are those of Insert.
func (t *Tree) InsertBall(b Ball) (id uint32, err error) {
	t.ready()
	box, err := checkBall(b.Sphere)
	if err == nil {
		err = t.checkOutside(&box)
	}
	if err != nil {
		return soa.None, fault.Errorf("linear: %w", err)
	}
	if err := t.octree.AdmitsPending(1); err != nil {
		return soa.None, err
	}
	t.applyDeferred()
	t.octree.BeginChange()
	id = t.octree.InsertOne(&soa.Object{Box: box, Mask: b.Mask, Static: b.Static}, &b.Sphere)
	t.markIfCrowded()
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
	for i := range balls {
		b := &balls[i]
		if !(b.Sphere[3] >= 0) {
			return nil, nil, i, octree.BadRadius(b.Sphere)
		}
		sc.Balls[i], sc.Spheres[i] = b.Object(), b.Sphere
	}
	return sc.Balls, sc.Spheres, -1, nil
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
	if err == nil {
		err = t.admitMove(&box)
	}
	if err != nil {
		return fault.Errorf("linear: object %d: %w", id, err)
	}
	t.deferMove(id, &box, &sphere, nil)
	return t.flushMoves()
}

// MoveSphereBatch is [Tree.MoveBatch] for spheres: it gives object ids[i] the sphere spheres[i] and
// the smallest box that contains it, like [Tree.MoveSphere]. An ID that occurs twice gets the last
// sphere. If an ID is not live or a sphere is rejected, the error names the index and nothing moves.
//
// It takes the time of MoveBatch in a tree with spheres and up to a fifth more, up to twice the
// time when half of the objects move or more (go test ./linear -run '^$' -bench MoveSphere), and
// allocates nothing. It invalidates all views: an iteration that continues panics. It panics if the
// slices differ in length.
func (t *Tree) MoveSphereBatch(ids []uint32, spheres [][4]float32) error {
	if len(ids) != len(spheres) {
		panic(fmt.Sprintf("linear: MoveSphereBatch of %d IDs and %d spheres", len(ids), len(spheres)))
	}
	return t.moveBatch(ids, &octree.Bodies{Spheres: spheres})
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
