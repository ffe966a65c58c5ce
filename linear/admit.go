package linear

import (
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/soa"
)

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
	if t.cfg.Outside != outsideKeep {
		inside = t.cfg.World // the cube contains it
	}
	for a, near := range t.store.Near {
		d.boxes.Min[a], d.boxes.Max[a] = max(t.code.reach.Min[a], -near), min(t.code.reach.Max[a], near)
		d.centres.Min[a] = max(inside.Min[a], t.centres.Min[a])
		d.centres.Max[a] = min(inside.Max[a], t.centres.Max[a])
	}
	return d
}

// leftWorld reports whether a centre is outside [Config.World]. The cube of the keys, which is
// larger, has no effect.
func (t *Tree) leftWorld(centre [3]float32) bool { return !t.cfg.World.ContainsPoint(centre) }

// countOut counts a finite box whose centre is outside the cube, if the tree keeps such boxes.
func (t *Tree) countOut(box *soa.AABB) {
	if t.cfg.Outside == outsideKeep && !t.world.Inside(box.Center()) {
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

// insideHalfOpen reports whether a point is in a box without its upper faces. With the bounds of a
// world it is a faster test for the inside of that world.
func insideHalfOpen(lo, hi *[3]float32, p [3]float32) bool {
	return p[0] >= lo[0] && p[0] < hi[0] && p[1] >= lo[1] && p[1] < hi[1] && p[2] >= lo[2] && p[2] < hi[2]
}
