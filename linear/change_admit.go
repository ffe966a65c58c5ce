package linear

import (
	"errors"
	"fmt"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/soa"
)

// ErrUnknown is returned for an ID that is not live.
var ErrUnknown = errors.New("linear: no live object has this ID")

func unknown(id uint32) error { return fmt.Errorf("%w: %d", ErrUnknown, id) }

// ErrOutside is returned for a box whose centre is outside [Config.World], if the tree rejects such
// boxes: see [OutsideReject] and [OutsideRemove].
var ErrOutside = errors.New("linear: outside the world")

// fastBounds holds the fast bounds of a tree, which let most boxes skip validation. A box inside them is
// finite and near, its centre is in the world and in the box where Config.Outside keeps centres,
// and it does not widen the bounds that the tree keeps. The fast bounds are closed (empty), which
// is always correct, when the world or the kept bounds shrink, and computed again when the kept
// bounds have been determined or widened.
type fastBounds struct {
	boxes   soa.AABB // in the reach of the world and between -Near and Near
	centres soa.AABB // in the world and in Tree.centres
}

// none contains no box.
var none = fastBounds{soa.Empty(), soa.Empty()}

// contains reports whether a box is not inverted and inside the fast bounds.
func (d *fastBounds) contains(b *soa.AABB) bool {
	for a := range 3 {
		lo, hi := b.Min[a], b.Max[a]
		c := float32(lo*0.5) + float32(hi*0.5) // as soa.AABB.Center
		if !(lo <= hi && lo >= d.boxes.Min[a] && hi <= d.boxes.Max[a] && c >= d.centres.Min[a] && c <= d.centres.Max[a]) {
			return false
		}
	}
	return true
}

// computeFastBounds returns the widest valid fast bounds.
func (t *Tree) computeFastBounds() (d fastBounds) {
	inside := t.code.world
	if t.cfg.Outside != OutsideKeep {
		inside = t.cfg.World // the cube contains it
	}
	for a, near := range t.store.Near {
		d.boxes.Min[a], d.boxes.Max[a] = max(t.code.reach.Min[a], -near), min(t.code.reach.Max[a], near)
		d.centres.Min[a] = max(inside.Min[a], t.centres.Min[a])
		d.centres.Max[a] = min(inside.Max[a], t.centres.Max[a])
	}
	return d
}

// checkBox validates the box of a new object. It changes nothing, as the call may still fail.
func (t *Tree) checkBox(box *soa.AABB) error {
	if t.fastBounds.contains(box) {
		return nil
	}
	if err := box.Check(); err != nil {
		return err
	}
	return t.checkOutside(box)
}

// admitMove validates the new box of an object, and counts it if it is valid and outside: no later
// check can reject the move.
func (t *Tree) admitMove(box *soa.AABB) error {
	if t.cfg.Outside == OutsideRemove {
		return box.Check()
	}
	if t.fastBounds.contains(box) {
		return nil
	}
	if err := t.checkBox(box); err != nil {
		return err
	}
	t.countOut(box)
	return nil
}

// checkOutside returns the error of a finite box outside the world, unless the tree keeps such
// boxes.
func (t *Tree) checkOutside(box *soa.AABB) error {
	if t.cfg.Outside == OutsideKeep {
		return nil
	}
	return t.outsideError(box)
}

// leftWorld reports whether a centre is outside [Config.World]. The cube of the keys, which is
// larger, has no effect.
func (t *Tree) leftWorld(centre [3]float32) bool { return !t.cfg.World.ContainsPoint(centre) }

// outsideError returns the error of a finite box whose centre is outside a world that rejects it.
func (t *Tree) outsideError(box *soa.AABB) error {
	c := box.Center()
	if !t.leftWorld(c) {
		return nil
	}
	w := &t.cfg.World
	return fmt.Errorf("%w: box %v to %v has the centre %v, the world is %v to %v", ErrOutside, box.Min, box.Max, c, w.Min, w.Max)
}

// countOut counts a finite box whose centre is outside the cube, if the tree keeps such boxes.
func (t *Tree) countOut(box *soa.AABB) {
	if t.cfg.Outside == OutsideKeep && !t.world.Inside(box.Center()) {
		t.outside++
	}
}

// holdsAll reports whether the world cube contains all points of a box.
func (t *Tree) holdsAll(b soa.AABB) bool { return t.world.Inside(b.Min) && t.world.Inside(b.Max) }

// admits returns an error if there are no IDs for n more objects.
func (t *Tree) admits(n int) error {
	if have := t.ids.Len(); have > radix.MaxLen-n {
		return fault.Errorf("linear: %w: no object ID is left: %d live, %d more wanted, at most %d", soa.ErrFull, have, n, radix.MaxLen)
	}
	if err := t.ids.Fits(n); err != nil {
		return fault.Errorf("linear: %w", err)
	}
	return nil
}

// admitsPending returns an error if there are no IDs or no packets for n more pending objects.
func (t *Tree) admitsPending(n int) error {
	if err := t.admits(n); err != nil {
		return err
	}
	if blocks := (n + blockMax - 1) / blockMax; n > t.freePending() && !t.store.Packets.Fits(blocks) {
		return fault.Errorf("linear: %w: no packet is left for %d pending objects: %d slots, at most %d", soa.ErrFull, n, len(t.store.Packets.Counts), t.store.Packets.Limit())
	}
	return nil
}

// blockMax is the maximum number of objects in a block.
const blockMax = soa.BlockSlots * soa.Lanes

// freePending returns the number of free lanes in the last block of the pending list.
func (t *Tree) freePending() int { return -t.pending & (blockMax - 1) }

// firstDead returns the index of the first ID that is not live, or len(ids).
func (t *Tree) firstDead(ids []uint32) int {
	for i := 0; i < len(ids); i += batchStride {
		end := min(i+batchStride, len(ids))
		mem.Prefetch(t.ids.Gen, ids[end:min(end+batchStride, len(ids))], 0)
		for j, id := range ids[i:end] {
			if !t.ids.Alive(id) {
				return i + j
			}
		}
	}
	return len(ids)
}

// insideHalfOpen reports whether a point is in a box without its upper faces. With the bounds of a
// world it is a faster test for the inside of that world.
func insideHalfOpen(lo, hi *[3]float32, p [3]float32) bool {
	return p[0] >= lo[0] && p[0] < hi[0] && p[1] >= lo[1] && p[1] < hi[1] && p[2] >= lo[2] && p[2] < hi[2]
}
