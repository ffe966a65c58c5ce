package linear

import (
	"errors"
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/soa"
)

// batchStride is the number of objects that a batch processes at a time. The objects of a batch are
// scattered in memory, and a change would spend most of its time in cache misses. So while one
// stride is changed, the cache lines of the next ones are prefetched.
//
//	places    ........ location of each object of the batch
//	fetch           [ stride ]              packets
//	change  [ stride ]                      boxes, then the tight boxes above
const batchStride = 64

// InsertBatch adds the objects and appends their IDs to dst. In an empty tree it builds at once,
// and the IDs are 0, 1, 2, … in the order of the objects. In a tree with objects the new ones are
// pending, and queries find them at once, until a flush places them in the tree: in the next tick,
// or in a [Tree.View] when too many objects are pending.
//
// The error of a box that is not finite, is inverted or is rejected because it is outside names the
// first such index and its numbers. Too few free IDs are an error, too. After an error nothing is
// inserted, and dst is returned unchanged. InsertBatch invalidates all views: an iteration that
// continues panics.
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
	if err := t.admits(len(objects)); err != nil {
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
	if err := t.admitsPending(len(objects)); err != nil {
		return dst, err
	}
	t.applyDeferred()
	t.beginChange()
	dst = t.insertMore(dst, objects, spheres, centres, union)
	t.markIfCrowded()
	return dst, nil
}

// checkObjects returns boxes that contain the centres and the boxes of new objects, or the index
// and the error of a rejected one.
func (t *Tree) checkObjects(objects []soa.Object, spheres [][4]float32) (centres, union soa.AABB, bad int, err error) {
	centres, union, bad = t.survey(objects)
	if bad >= 0 {
		err := objects[bad].Box.Check()
		if spheres != nil {
			_, err = checkBall(spheres[bad])
		}
		return centres, union, bad, err
	}
	if t.cfg.Outside != OutsideKeep && !t.cfg.World.Contains(centres) {
		for i := range objects {
			if err := t.outsideError(&objects[i].Box); err != nil {
				return centres, union, i, err
			}
		}
	}
	return centres, union, -1, nil
}

// insertFirst builds an empty tree of admitted objects.
func (t *Tree) insertFirst(dst []uint32, objects []soa.Object, spheres [][4]float32, centres, union soa.AABB) ([]uint32, error) {
	t.applyDeferred()
	if err := t.build(nil, objects, spheres, centres, union, RebuildOptions{Frozen: t.cfg.Frozen}); err != nil {
		return dst, err
	}
	n := len(dst)
	dst = slices.Grow(dst, len(objects))[:n+len(objects)]
	for i, ids := 0, dst[n:]; i < len(ids); i++ {
		ids[i] = uint32(i)
	}
	return dst, nil
}

// insertMore adds admitted objects to the pending list.
func (t *Tree) insertMore(dst []uint32, objects []soa.Object, spheres [][4]float32, centres, union soa.AABB) []uint32 {
	if t.cfg.Outside == OutsideKeep && !t.holdsAll(centres) {
		for i := range objects {
			t.countOut(&objects[i].Box)
		}
	}
	t.centres = t.centres.Union(centres)
	if t.code.near(&union) {
		t.bound(&union)
	} else {
		for i := range objects {
			t.bound(&objects[i].Box)
		}
	}
	sphere := &noSphere
	dst = slices.Grow(dst, len(objects))
	for i := range objects {
		if spheres != nil {
			sphere = &spheres[i]
		}
		dst = append(dst, t.addPending(&objects[i], sphere))
	}
	t.fitPending()
	return dst
}

// boxOf returns the box with the bounds minx maxx miny maxy minz maxz.
func boxOf(b [6]float32) soa.AABB {
	return soa.AABB{Min: [3]float32{b[0], b[2], b[4]}, Max: [3]float32{b[1], b[3], b[5]}}
}

// MoveBatch gives object ids[i] the box boxes[i]. An ID that occurs twice gets the last box. If an
// ID is not live or a box is rejected, the error names the index and nothing moves. MoveBatch
// invalidates all views: an iteration that continues panics. It panics if the slices differ in
// length.
func (t *Tree) MoveBatch(ids []uint32, boxes []AABB) error {
	if len(ids) != len(boxes) {
		panic(fmt.Sprintf("linear: MoveBatch of %d IDs and %d boxes", len(ids), len(boxes)))
	}
	return t.moveBatch(ids, &bodies{boxes: boxes})
}

// moveBatch gives objects new boxes without bounds, or new bounds with their boxes.
func (t *Tree) moveBatch(ids []uint32, to *bodies) error {
	if len(ids) == 0 {
		return nil
	}
	defer phase.Enter(phase.Flush).Leave()
	m, bad, err := t.checkMoves(ids, to, t.isWhole(ids))
	if err != nil {
		if errors.Is(err, ErrUnknown) {
			return fault.Errorf("linear: object %d of the batch: %w", bad, err)
		}
		return fault.Errorf("linear: object %d of the batch, ID %d: %w", bad, ids[bad], err)
	}
	t.applyDeferred()
	t.beginChange()
	if err := t.makeMoves(ids, to, m); err != nil {
		return err
	}
	return t.flushDisplaced()
}

// moves describes a validated batch of moves.
type moves struct {
	centres, union soa.AABB // boxes that contain the centres and the boxes
	whole          bool     // the batch names every object once: see isWhole
}

// checkMoves validates moves of all objects or some. It returns their description, or the index and
// the error of a rejected one.
func (t *Tree) checkMoves(ids []uint32, to *bodies, whole bool) (m moves, bad int, err error) {
	m, bad = t.surveyMoves(to, whole)
	if bad >= 0 {
		return m, bad, to.check(bad)
	}
	if !whole {
		if bad := t.firstDead(ids); bad < len(ids) {
			return m, bad, unknown(ids[bad])
		}
	}
	if t.cfg.Outside == OutsideReject && !t.cfg.World.Contains(m.centres) {
		for i := 0; i < len(ids); i += nextStride {
			part := t.nextBoxes(to, i, min(i+nextStride, len(ids)))
			for j := range part {
				if err := t.outsideError(&part[j]); err != nil {
					return m, i + j, err
				}
			}
		}
	}
	return m, -1, nil
}

// surveyMoves is surveyBodies for moves.
func (t *Tree) surveyMoves(to *bodies, whole bool) (m moves, bad int) {
	centres, union, bad := t.surveyBodies(to)
	return moves{boxOf(centres), boxOf(union), whole}, bad
}

// makeMoves makes validated moves, without a flush. The caller has called change.
func (t *Tree) makeMoves(ids []uint32, to *bodies, m moves) error {
	removes := t.cfg.Outside == OutsideRemove
	inside := t.holdsAll(m.centres)
	if removes && !t.cfg.World.Contains(m.centres) || !removes && !inside && !m.whole { // otherwise moveMajority counts
		lo, hi := t.world.Bounds()
		for i := 0; i < len(ids); i += nextStride {
			part := t.nextBoxes(to, i, min(i+nextStride, len(ids)))
			for j := range part {
				box := &part[j]
				if removes {
					t.willRemoveOutside(ids[i+j], box)
				} else if !insideHalfOpen(&lo, &hi, box.Center()) {
					t.outside++
				}
			}
		}
	}
	t.holdMoves(m.centres, m.union, ids, to)
	t.work.Moved += len(ids)
	if !t.isMajority(len(ids)) {
		t.moveAll(ids, to)
		return nil
	}
	h := t.bulkMoveOf(ids, m.whole, to)
	h.out = m.whole && !inside && t.cfg.Outside == OutsideKeep
	return t.moveMajority(h)
}

// holdMoves prepares the tree for moves to bodies, whose centres and boxes have the given unions.
// Objects that become far are made pending first.
func (t *Tree) holdMoves(centres, union soa.AABB, ids []uint32, to *bodies) {
	t.centres = t.centres.Union(centres)
	if t.code.near(&union) {
		t.bound(&union)
	} else {
		for i := 0; i < len(ids); i += nextStride {
			part := t.nextBoxes(to, i, min(i+nextStride, len(ids)))
			for j := range part {
				t.bound(&part[j])
				t.makePending(ids[i+j], &part[j])
			}
		}
	}
	t.fastBounds = t.computeFastBounds()
	t.useBoundsOf(to)
	t.refitOnly()
}

// RemoveBatch removes the objects. If an ID is not live, or occurs twice, the error names its index
// and nothing is removed. It takes constant time per object, and invalidates all views: an
// iteration that continues panics.
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
			return fault.Errorf("linear: object %d of the batch: %w", i, unknown(id))
		}
		t.ids.Claim(id)
	}
	for _, id := range ids {
		t.ids.Unclaim(id)
	}
	t.applyDeferred()
	t.beginChange()
	t.removeAll(ids)
	return nil
}

// placesOf returns the location of each object of a batch, valid until the next call.
func (t *Tree) placesOf(ids []uint32) []soa.Location {
	at := mem.Fresh(t.buffers().at, len(ids))
	t.buffers().at = at
	for i := 0; i < len(ids); i += batchStride {
		end := min(i+batchStride, len(ids))
		mem.Prefetch(t.ids.Where, ids[end:min(end+batchStride, len(ids))], 0)
		for j, id := range ids[i:end] {
			at[i+j] = t.ids.Where[id]
		}
	}
	return at
}

// moveAll overwrites the boxes of live objects and their bounds, which it removes if to has none.
func (t *Tree) moveAll(ids []uint32, to *bodies) {
	var moved [batchStride]asm.Moved
	strict := t.strictPlacement()
	at := t.placesOf(ids)
	fetchPackets(t, at[:min(batchStride, len(at))], 4)
	t.fetchLogged(at[:min(batchStride, len(at))], to)
	for i := 0; i < len(ids); i += batchStride {
		end := min(i+batchStride, len(ids))
		ids, at, boxes := ids[i:end], at[i:min(end+batchStride, len(at))], t.nextBoxes(to, i, end)
		t.fetchLogged(at[len(ids):], to)
		if strict {
			t.displaceAll(ids, at, boxes)
		}
		next := to.part(i, end)
		list := t.setBoxes(moved[:], ids, at, boxes, &next)
		if !strict {
			t.displaceMoved(ids, at, list)
		}
	}
}

// removeAll removes live objects.
func (t *Tree) removeAll(ids []uint32) {
	for i, id := range ids {
		if i%batchStride == 0 {
			mem.Prefetch(t.ids.Where, ids[min(i+batchStride, len(ids)):min(i+2*batchStride, len(ids))], 0)
		}
		t.remove(id)
	}
	t.applyRemovals()
}

// fetchPackets prefetches the columns of packets that a move reads and writes. at holds slots, or
// locations with a shift of 4.
func fetchPackets[I ~uint32](t *Tree, at []I, shift uint) {
	p := &t.store.Packets
	mem.Prefetch(p.Parents, at, shift)
	mem.Prefetch(p.PlacementBoxes, at, shift)
	mem.Prefetch(p.Bounds, at, shift)
}

// fetchRemoved prefetches the columns of packets that a removal reads and writes.
func fetchRemoved(t *Tree, at []soa.Location) {
	mem.Prefetch(t.store.Packets.Bounds, at, 4)
	fetchLabels(t, at, 4)
}

// fetchLast prefetches the ID columns of the last objects of packets, which fill the gaps that
// removals leave.
func fetchLast(t *Tree, at []soa.Location) {
	p := &t.store.Packets
	var room [batchStride]uint32
	fillers := room[:len(at)]
	for i, w := range at {
		slot := w.Slot()
		fillers[i] = p.IDs[slot][(p.Counts[slot]-1)&(soa.Lanes-1)]
	}
	mem.Prefetch(t.ids.Gen, fillers, 0)
	mem.Prefetch(t.ids.Where, fillers, 0)
}

// fetchLogged prefetches the columns that a move of objects at these locations also uses if there is
// a log, or if the objects get spheres.
func (t *Tree) fetchLogged(at []soa.Location, to *bodies) {
	p := &t.store.Packets
	if t.store.Log != nil {
		mem.Prefetch(p.Masks, at, 4)
		mem.Prefetch(p.Moving, at, 4)
	}
	if to.spheres != nil {
		mem.Prefetch(p.Spheres, at, 4)
	}
}

// fetchLabels prefetches the other columns that an insertion or a removal uses.
func fetchLabels[I ~uint32](t *Tree, at []I, shift uint) {
	p := &t.store.Packets
	mem.Prefetch(p.Counts, at, shift)
	mem.Prefetch(p.Moving, at, shift)
	mem.Prefetch(p.IDs, at, shift)
	mem.Prefetch(p.Masks, at, shift)
}
