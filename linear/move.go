package linear

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/mem"
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

// boxOf returns the box with the bounds minx maxx miny maxy minz maxz.
func boxOf(b [6]float32) soa.AABB {
	return soa.AABB{Min: [3]float32{b[0], b[2], b[4]}, Max: [3]float32{b[1], b[3], b[5]}}
}

// moves describes a validated batch of moves.
type moves struct {
	centres, union soa.AABB // boxes that contain the centres and the boxes
	whole          bool     // the batch names every object once: see isWhole
}

// surveyMoves is surveyBodies for moves.
func (t *Tree) surveyMoves(to *bodies, whole bool) (m moves, bad int) {
	centres, union, bad := t.surveyBodies(to)
	return moves{boxOf(centres), boxOf(union), whole}, bad
}

// makeMoves makes validated moves, without a flush. The caller has called change.
func (t *Tree) makeMoves(ids []uint32, to *bodies, m moves) error {
	removes := t.cfg.Outside == outsideRemove
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
	h.out = m.whole && !inside && t.cfg.Outside == outsideKeep
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

// moveInOrder moves all objects, in memory order, to valid boxes, and flushes if too many are displaced. It returns
// false, and changes nothing, if the moves need the IDs: they are few, or objects become far.
func (t *Tree) moveInOrder(to *bodies, m moves) (ok bool, err error) {
	if !t.isMajority(to.len()) || !t.code.near(&m.union) {
		return false, nil
	}
	inside := t.holdsAll(m.centres)
	t.beginChange()
	t.centres = t.centres.Union(m.centres)
	t.bound(&m.union)
	t.refitOnly()
	t.work.Moved += to.len()
	if err := t.moveMajority(bulkMove{to: *to, out: !inside}); err != nil {
		return true, err
	}
	return true, t.flushDisplaced()
}
