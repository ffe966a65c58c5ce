package linear

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// InsertBatch adds the objects and appends their IDs to dst. In an empty tree it builds at once,
// and the IDs are 0, 1, 2, … in the order of the objects, without [Config.Thin]. In a tree with
// objects the new ones are pending, and queries find them at once, until a flush places them in the
// tree: in the next tick, or in a [Tree.View] when too many objects are pending.
//
// With [Config.Thin] the ID of a point that is dropped is [None], and a call that drops all points changes nothing.
//
// The error of a box that is not finite, is inverted or is rejected because it is outside names the
// first such index and its numbers; [ErrPoints] does as well. Too few free IDs are an error, too.
// After an error nothing is inserted, and dst is returned unchanged. InsertBatch invalidates all
// views: an iteration that continues panics.
func (t *Tree) InsertBatch(dst []uint32, objects []Object) ([]uint32, error) {
	return t.insertBatch(dst, objects, nil)
}

// insertBatch adds objects with their spheres, or without if spheres is nil.
func (t *Tree) insertBatch(dst []uint32, objects []soa.Object, spheres [][4]float32) ([]uint32, error) {
	if len(objects) == 0 {
		return dst, nil
	}
	t.ready()
	m := phase.Enter(phase.Encode)
	defer m.Leave()
	if err := t.octree.Admits(len(objects)); err != nil {
		return dst, err
	}
	centres, union, bad, err := t.checkObjects(objects, spheres)
	if err != nil {
		return dst, fault.Errorf("linear: object %d: %w", bad, err)
	}
	if t.Len() == 0 {
		return t.insertFirst(dst, objects, spheres, centres, union)
	}
	m.Next(phase.Flush)
	t.applyDeferredMoves()
	if err := t.octree.AdmitsPending(len(objects)); err != nil {
		return dst, err
	}
	if t.octree.Thins() {
		dst, keep := t.thin(dst, objects, false)
		t.insertThinned(keep)
		return dst, nil
	}
	t.octree.BeginChange()
	dst = t.octree.InsertMore(dst, objects, spheres, centres, union)
	t.markInserted()
	return dst, nil
}

// checkObjects returns boxes that contain the centres and the boxes of new objects, or the index
// and the error of a rejected one.
func (t *Tree) checkObjects(objects []soa.Object, spheres [][4]float32) (centres, union soa.AABB, bad int, err error) {
	centres, union, bad = t.octree.Survey(objects)
	if bad >= 0 {
		err := objects[bad].Box.Check()
		if spheres != nil {
			_, err = checkBall(spheres[bad])
		}
		return centres, union, bad, err
	}
	if t.octree.Config.Outside != octree.OutsideKeep && !t.octree.Config.World.Contains(centres) {
		for i := range objects {
			if err := t.outsideError(&objects[i].Box); err != nil {
				return centres, union, i, err
			}
		}
	}
	if t.octree.Thins() {
		if spheres != nil {
			return centres, union, 0, t.checkNoBounds()
		}
		for i := range objects {
			if err := t.checkPoint(&objects[i].Box); err != nil {
				return centres, union, i, err
			}
		}
	}
	return centres, union, -1, nil
}

// insertFirst builds an empty tree of admitted objects.
func (t *Tree) insertFirst(dst []uint32, objects []soa.Object, spheres [][4]float32, centres, union soa.AABB) ([]uint32, error) {
	t.applyDeferred()
	opt := octree.BuildParams{Frozen: t.octree.Config.Frozen}
	if t.octree.Thins() {
		ids, keep := t.thin(dst, objects, true)
		if err := t.buildThinned(nil, keep, opt); err != nil {
			return dst, err
		}
		return ids, nil
	}
	if err := t.octree.Build(nil, objects, spheres, centres, union, opt); err != nil {
		return dst, err
	}
	n := len(dst)
	dst = slices.Grow(dst, len(objects))[:n+len(objects)]
	for i, ids := 0, dst[n:]; i < len(ids); i++ {
		ids[i] = uint32(i)
	}
	return dst, nil
}

// MoveBatch gives object ids[i] the box boxes[i]. An ID that occurs twice gets the last box. If an
// ID is not live or a box is rejected, the error names the index and nothing moves. MoveBatch
// invalidates all views: an iteration that continues panics. It panics if the slices differ in
// length.
//
// When most objects move, so that queries would visit a fifth more than before, the tree is placed
// anew or rebuilt at once, if [Config.Policy] allows it: the call, or the read that applies the
// moves, then takes the time of a build.
//
// Unless it names all objects, the batch is deferred like [Tree.Move]: the next read of the tree, or
// the next change of another kind, applies the moves of several calls together, as if they were one
// batch. The tree keeps a buffer of 28 bytes for each deferred move. In steady state MoveBatch
// allocates nothing.
func (t *Tree) MoveBatch(ids []uint32, boxes []AABB) error {
	if len(ids) != len(boxes) {
		panic(fmt.Sprintf("linear: MoveBatch of %d IDs and %d boxes", len(ids), len(boxes)))
	}
	return t.moveBatch(ids, &octree.Bodies{Boxes: boxes})
}

// moveBatch gives objects new bodies.
func (t *Tree) moveBatch(ids []uint32, to *octree.Bodies) error {
	if len(ids) == 0 {
		return nil
	}
	defer phase.Enter(phase.Flush).Leave()
	if t.octree.IsWhole(ids) {
		m, bad, err := t.checkMoves(ids, to, true)
		if err != nil {
			return batchError(bad, ids, err)
		}
		return t.makeWhole(ids, to, m)
	}
	follows := t.deferred.moves.Follow(&t.octree, ids)
	if t.octree.Config.Outside == octree.OutsideReject || t.octree.Thins() || t.mustApply(len(ids)) { // a rejected batch changes nothing
		if _, bad, err := t.checkMoves(ids, to, follows); err != nil {
			return batchError(bad, ids, err)
		}
	} else if !follows {
		if bad := t.octree.FirstDead(ids); bad < len(ids) {
			return batchError(bad, ids, unknown(ids[bad]))
		}
	}
	if bad := t.deferMoves(ids, to, follows); bad >= 0 {
		_, err := checkBody(to, bad)
		return batchError(bad, ids, err)
	}
	return nil
}

// checkMoves validates moves of objects, which are known to be live or not. It returns their description, or the index
// and the error of a rejected one.
func (t *Tree) checkMoves(ids []uint32, to *octree.Bodies, live bool) (m octree.Moves, bad int, err error) {
	if !live {
		if bad := t.octree.FirstDead(ids); bad < len(ids) {
			return m, bad, unknown(ids[bad])
		}
	}
	m, bad = t.octree.SurveyMoves(to)
	if bad >= 0 {
		_, err = checkBody(to, bad)
		return m, bad, err
	}
	if t.octree.Config.Outside == octree.OutsideReject && !t.octree.Config.World.Contains(m.Centres) {
		for i := 0; i < len(ids); {
			end := to.End(i, octree.NextStride)
			boxes := t.octree.NextBoxes(to, i, end)
			for j := range boxes {
				if err := t.outsideError(&boxes[j]); err != nil {
					return m, i + j, err
				}
			}
			i = end
		}
	}
	bad, err = t.checkPoints(to)
	return m, bad, err
}

// RemoveBatch removes the objects. If an ID is not live, or occurs twice, the error names its index
// and nothing is removed. It takes constant time per object, and invalidates all views: an
// iteration that continues panics. The removals from packets are deferred as those of [Tree.Remove].
func (t *Tree) RemoveBatch(ids []uint32) error {
	defer phase.Enter(phase.Flush).Leave()
	for i, id := range ids {
		if !t.octree.IDs.Alive(id) {
			t.octree.IDs.Unclaim(ids[:i]...)
			if t.octree.IDs.Alive(id) {
				return fmt.Errorf("linear: object %d of the batch: ID %d is in it twice", i, id)
			}
			return fault.Errorf("linear: object %d of the batch: %w", i, unknown(id))
		}
		t.octree.IDs.Claim(id)
	}
	t.octree.IDs.Unclaim(ids...)
	t.applyDeferred()
	t.octree.BeginChange()
	t.removeObjects(ids)
	return nil
}

// removeObjects removes live objects. The next read flushes if too many of those that are left are pending.
func (t *Tree) removeObjects(ids []uint32) {
	if t.octree.RemoveAll(ids) {
		t.deferred.markUnsynced()
	}
}

// ErrRearranged is returned for an arrangement that is out of date.
var ErrRearranged = errors.New("linear: objects have been rearranged")

// Order appends the IDs of all objects to dst, in the order of their boxes in memory, and returns
// the number of this arrangement, an argument of [Tree.MoveInOrder].
//
// The arrangement and its number change when an object is inserted, removed or moved to another
// packet: by a change, a [Tree.Flush], a [Tree.Tick], a [Tree.View] that flushes, or a rebuild. A
// move does not change them unless it ends with a flush or a rebuild, or moves an object far away. Numbers are
// never 0, and belong to one tree.
//
// Order takes time proportional to the tree and allocates only to grow dst.
func (t *Tree) Order(dst []uint32) (ids []uint32, arrangement uint64) {
	t.sync()
	return t.octree.Order(dst), t.octree.Arrangement + 1
}

// MoveInOrder moves all objects in memory order: boxes[i] is the new box of object i in the order
// of [Tree.Order], so no ID has to be resolved. It is [Tree.MoveBatch] with the IDs of that
// order, in 0.6 to 0.8 of the time (go test ./linear -run '^$' -bench MoveAll), for a program that
// moves all objects in each frame and keeps its boxes in the tree's order. Under [PolicyAuto] that
// order is valid for many frames of slow motion, until a tick places objects or rebuilds.
//
//	if err := t.MoveInOrder(arrangement, boxes); errors.Is(err, linear.ErrRearranged) {
//		ids, arrangement = t.Order(ids[:0])
//		// boxes[i] becomes that of ids[i]
//		err = t.MoveInOrder(arrangement, boxes)
//	}
//
// The errors are [ErrRearranged], if the arrangement is out of date, and those of MoveBatch, which
// name the index of a box and its ID; then nothing moves. It panics unless there are as many boxes
// as objects. In steady state it allocates nothing. It invalidates all views: an iteration that
// continues panics.
func (t *Tree) MoveInOrder(arrangement uint64, boxes []AABB) error {
	t.applyDeferred()
	if arrangement != t.octree.Arrangement+1 {
		return fmt.Errorf("%w: arrangement %d, it is %d by now", ErrRearranged, arrangement, t.octree.Arrangement+1)
	}
	if len(boxes) != t.Len() {
		panic(fmt.Sprintf("linear: MoveInOrder of %d boxes in a tree of %d objects", len(boxes), t.Len()))
	}
	if len(boxes) == 0 {
		return nil
	}
	defer phase.Enter(phase.Flush).Leave()
	all := octree.Bodies{Boxes: boxes}
	m, bad := t.octree.SurveyMoves(&all)
	if bad < 0 {
		bad, _ = t.checkPoints(&all)
	}
	if bad < 0 && (t.octree.Config.Outside == octree.OutsideKeep || t.octree.Config.World.Contains(m.Centres)) {
		if ok, err := t.octree.MoveInOrder(&all, m); ok {
			return err
		}
	}
	// A box is rejected, or its object must leave its packet at once: both need the IDs.
	return t.moveBatch(t.octree.OrderNow(), &all)
}

// MoveDirty moves the objects marked in a dirty bit set. boxes holds the box of each object by its
// ID, as a game keeps them, and bit id%64 of dirty[id/64] is set if that box has changed. MoveDirty
// is [Tree.MoveBatch] of the IDs whose bits are set, in ascending order, all or none, with the same
// errors and effects on views. It does not read the boxes of other IDs, and leaves the bits
// unchanged. Missing words count as 0. MoveDirty panics if a set bit has no box.
//
// It takes a tenth to a half more than a MoveBatch with existing lists, and a quarter to nine
// tenths of the time of a program that makes these lists from flags (go test ./linear -run '^$'
// -bench MoveDirty). It keeps a buffer of 28 bytes for each moved object, in addition to that of deferred
// moves. In steady state it allocates nothing.
func (t *Tree) MoveDirty(boxes []AABB, dirty []uint64) error {
	list := &t.octree.Buffers().Dirty
	n, end := countDirty("MoveDirty", boxes, dirty)
	list.IDs = slices.Grow(list.IDs[:0], n)[:n]
	moved := boxes[:end]
	if n == end { // all objects move
		for id := range list.IDs {
			list.IDs[id] = uint32(id)
		}
	} else {
		list.Boxes = slices.Grow(list.Boxes[:0], n)[:n]
		moved = list.Boxes
		listDirty(list.IDs, moved, boxes, dirty)
	}
	return t.moveBatch(list.IDs, &octree.Bodies{Boxes: moved})
}

// MoveDirty records the moves of the objects whose bits are set, as one MoveBatch: see
// [Tree.MoveDirty]. It panics if a set bit has no box.
func (b *Batch) MoveDirty(boxes []AABB, dirty []uint64) {
	if n, _ := countDirty("MoveDirty", boxes, dirty); n > 0 {
		i, j := len(b.ids), len(b.to.Boxes)
		b.ids, b.to.Boxes = slices.Grow(b.ids, n)[:i+n], slices.Grow(b.to.Boxes, n)[:j+n]
		listDirty(b.ids[i:], b.to.Boxes[j:], boxes, dirty)
		b.record(batchMotion, n)
	}
}

// RemoveDirty removes the objects marked in a bit set: bit id%64 of dirty[id/64] marks the object with
// that ID. RemoveDirty is [Tree.RemoveBatch] of the IDs whose bits are set, in ascending order, all or
// none, with the same errors and effects on views. It leaves the bits unchanged. Missing words count
// as 0, and without a set bit the tree does not change.
//
// It takes the time of RemoveBatch, and time proportional to the words. It keeps a buffer of 4 bytes
// for each removed object. In steady state it allocates nothing.
func (t *Tree) RemoveDirty(dirty []uint64) error {
	n, _ := spanDirty(dirty)
	if n == 0 {
		return nil
	}
	list := &t.octree.Buffers().Dirty
	list.IDs = slices.Grow(list.IDs[:0], n)[:n]
	listBits(list.IDs, dirty)
	return t.RemoveBatch(list.IDs)
}

// RemoveDirty records the removals of the objects whose bits are set, as one RemoveBatch: see
// [Tree.RemoveDirty].
func (b *Batch) RemoveDirty(dirty []uint64) {
	if n, _ := spanDirty(dirty); n > 0 {
		i := len(b.ids)
		b.ids = slices.Grow(b.ids, n)[:i+n]
		listBits(b.ids[i:], dirty)
		b.record(batchRemoval, n)
	}
}

// countDirty is spanDirty for bits of objects that must have boxes.
func countDirty(name string, boxes []soa.AABB, dirty []uint64) (n, end int) {
	if n, end = spanDirty(dirty); end > len(boxes) {
		panic(fmt.Sprintf("linear: %s with the bit of ID %d, and %d boxes", name, end-1, len(boxes)))
	}
	return n, end
}

// spanDirty returns the number of set bits, and the index of the last one plus 1.
func spanDirty(dirty []uint64) (n, end int) {
	for i, word := range dirty {
		if word != 0 {
			n += bits.OnesCount64(word)
			end = 64*i + bits.Len64(word)
		}
	}
	return n, end
}

// listBits writes the indices of set bits, at most len(ids).
func listBits(ids []uint32, dirty []uint64) {
	k := 0
	for i, word := range dirty {
		for ; word != 0 && k < len(ids); word &= word - 1 {
			ids[k] = uint32(64*i + bits.TrailingZeros64(word))
			k++
		}
	}
}

// listDirty writes the indices of set bits, at most len(ids), and their boxes.
func listDirty(ids []uint32, moved, boxes []soa.AABB, dirty []uint64) {
	k := 0
	moved = moved[:len(ids)]
	for i, word := range dirty {
		for ; word != 0 && k < len(ids); word &= word - 1 {
			id := 64*i + bits.TrailingZeros64(word)
			ids[k], moved[k] = uint32(id), boxes[id]
			k++
		}
	}
}
