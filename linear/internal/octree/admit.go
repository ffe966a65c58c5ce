package octree

import (
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/soa"
)

// FastBounds holds the fast bounds of a tree, which let most boxes skip validation. A box inside them is
// finite and near, its centre is in the world and in the box where Config.Outside keeps centres,
// and it does not widen the bounds that the tree keeps. The fast bounds are closed (empty), which
// is always correct, when the world or the kept bounds shrink, and computed again when the kept
// bounds have been determined or widened.
type FastBounds struct {
	Boxes   soa.AABB // in the reach of the world and between -Near and Near
	Centres soa.AABB // in the world and in Tree.centres
}

// none contains no box.
var none = FastBounds{soa.Empty(), soa.Empty()}

// Contains reports whether a box is not inverted and inside the fast bounds.
func (d *FastBounds) Contains(b *soa.AABB) bool {
	for a := range 3 {
		lo, hi := b.Min[a], b.Max[a]
		c := float32(lo*0.5) + float32(hi*0.5) // as soa.AABB.Center
		if !(lo <= hi && lo >= d.Boxes.Min[a] && hi <= d.Boxes.Max[a] && c >= d.Centres.Min[a] && c <= d.Centres.Max[a]) {
			return false
		}
	}
	return true
}

// computeFastBounds returns the widest valid fast bounds.
func (t *Tree) computeFastBounds() (d FastBounds) {
	inside := t.Code.world
	if t.Config.Outside != OutsideKeep {
		inside = t.Config.World // the cube contains it
	}
	for a, near := range t.Store.Near {
		d.Boxes.Min[a], d.Boxes.Max[a] = max(t.Code.reach.Min[a], -near), min(t.Code.reach.Max[a], near)
		d.Centres.Min[a] = max(inside.Min[a], t.Centres.Min[a])
		d.Centres.Max[a] = min(inside.Max[a], t.Centres.Max[a])
	}
	return d
}

// LeftWorld reports whether a centre is outside Config.World. The cube of the keys, which is
// larger, has no effect.
func (t *Tree) LeftWorld(centre [3]float32) bool { return !t.Config.World.ContainsPoint(centre) }

// CountOut counts a finite box whose centre is outside the cube, if the tree keeps such boxes.
func (t *Tree) CountOut(box *soa.AABB) {
	if t.Config.Outside == OutsideKeep && !t.World.Inside(box.Center()) {
		t.Outside++
	}
}

// holdsAll reports whether the world cube contains all points of a box.
func (t *Tree) holdsAll(b soa.AABB) bool { return t.World.Inside(b.Min) && t.World.Inside(b.Max) }

// Admits returns an error if there are no IDs for n more objects.
func (t *Tree) Admits(n int) error {
	if have := t.IDs.Len(); have > radix.MaxLen-n {
		return fault.Errorf("linear: %w: no object ID is left: %d live, %d more wanted, at most %d", soa.ErrFull, have, n, radix.MaxLen)
	}
	if err := t.IDs.Fits(n); err != nil {
		return fault.Errorf("linear: %w", err)
	}
	return nil
}

// AdmitsPending returns an error if there are no IDs or no packets for n more pending objects.
func (t *Tree) AdmitsPending(n int) error {
	if err := t.Admits(n); err != nil {
		return err
	}
	if blocks := (n + BlockMax - 1) / BlockMax; n > t.freePending() && !t.Store.Packets.Fits(blocks) {
		return fault.Errorf("linear: %w: no packet is left for %d pending objects: %d slots, at most %d", soa.ErrFull, n, len(t.Store.Packets.Counts), t.Store.Packets.Limit())
	}
	return nil
}

// BlockMax is the maximum number of objects in a block.
const BlockMax = soa.BlockSlots * soa.Lanes

// freePending returns the number of free lanes in the last block of the pending list.
func (t *Tree) freePending() int { return -t.Pending & (BlockMax - 1) }

// insideHalfOpen reports whether a point is in a box without its upper faces. With the bounds of a
// world it is a faster test for the inside of that world.
func insideHalfOpen(lo, hi *[3]float32, p [3]float32) bool {
	return p[0] >= lo[0] && p[0] < hi[0] && p[1] >= lo[1] && p[1] < hi[1] && p[2] >= lo[2] && p[2] < hi[2]
}
