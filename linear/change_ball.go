package linear

import (
	"fmt"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

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
