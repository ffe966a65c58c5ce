package octree

import (
	"errors"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// Bulk motion. When most objects move at once, their boxes are written in the order of packets, and displaced
// objects are not tracked. Objects stay in their packets, whose boxes are refitted, until the boxes have grown so
// much that reinsertion or a rebuild pays. So a slow motion of all objects costs no more than a refit for a long
// time, and a common motion of all, such as a wind, never costs more. When the objects stop, one pass finds the
// displaced ones.
//
// A few objects that jump enlarge all boxes at once. So when the boxes have grown, displaced objects are reinserted
// if they are few, degraded nodes are re-split, and bulk motion continues. If they are many, as in a motion of all,
// or if that is not enough, the tree is rebuilt.
//
// During bulk motion the list of displaced objects is empty and any object may be displaced.

const (
	// majorityPercent is the share of objects, in percent, that counts as most of them.
	majorityPercent = 30

	// driftGrowth is the growth of the total area of all boxes, in percent, that triggers reinsertion or a
	// rebuild. Until then queries visit up to about 1.1 times as much as in a new tree.
	driftGrowth = 20

	// driftOneIn is the largest share of objects, one in so many, that a large tree reinserts after bulk
	// motion. With more, the boxes do not get as small as by a rebuild.
	driftOneIn = 24
)

// isMajority reports whether n are most objects. It is false where most slots are free: a pass over all packets
// would cost more there than n moves.
func (t *Tree) isMajority(n int) bool {
	p := &t.Store.Packets
	return reaches(n, majorityPercent, t.IDs.Len()) && len(t.Store.Nodes.Hot) > 0 && p.Unused() <= len(p.Counts)/4*3
}

// reaches reports whether n is at least so many percent of all. The products do not fit 32 bits.
func reaches[T int | int32](n, percent, all T) bool {
	return 100*int64(n) >= int64(percent)*int64(all)
}

// beginBulkMotion begins bulk motion. area is the total area of the boxes at its beginning.
func (t *Tree) beginBulkMotion(area float64) {
	t.BulkMotion, t.Area = true, area
	t.Displaced = t.Displaced[:0]
}

// refitOnly begins bulk motion before a move under PolicyRefit.
func (t *Tree) refitOnly() {
	if t.Config.Policy == PolicyRefit && !t.BulkMotion && len(t.Store.Nodes.Hot) > 0 {
		t.beginBulkMotion(t.totalArea())
	}
}

// endBulkIfStill ends bulk motion when most objects have stopped.
func (t *Tree) endBulkIfStill() {
	if t.BulkMotion && t.Config.Policy != PolicyRefit && !t.isMajority(t.Work.Moved) {
		t.findDisplaced(nil)
	}
}

// hasGrown reports whether the boxes have grown too much during bulk motion.
func (t *Tree) hasGrown() bool { return 100*t.totalArea() > (100+driftGrowth)*t.Area }

// endBulkMotion makes the boxes small again when they have grown too much during bulk motion: by reinsertion of
// displaced objects, if they are few and that is enough, or by a rebuild.
func (t *Tree) endBulkMotion() error {
	if !t.BulkMotion || t.Work.Moved == 0 || !t.hasGrown() {
		return nil
	}
	if t.Config.Policy == PolicyAuto {
		area := t.Area
		t.findDisplaced(nil)
		few := t.IDs.Len() <= cached || len(t.Displaced) <= t.IDs.Len()/driftOneIn
		if few && !t.needsRebuild(len(t.Displaced)) {
			t.BeginChange()
			t.placeUnplaced()
			t.Refit()
			t.recutDegraded()
			t.Refit()
			t.beginBulkMotion(area)
			if !t.hasGrown() {
				return nil
			}
		}
	}
	return t.Rebuild(nil, BuildParams{})
}

// totalArea returns half of the total surface area of the tight boxes of all lanes.
func (t *Tree) totalArea() (sum float64) {
	for i := range t.Store.Nodes.Hot {
		b := &t.Store.Nodes.Hot[i].Bounds
		for l := range int(t.Store.Nodes.Used[i]) {
			x := float64(b[soa.MaxX][l]) - float64(b[soa.MinX][l])
			y := float64(b[soa.MaxY][l]) - float64(b[soa.MinY][l])
			z := float64(b[soa.MaxZ][l]) - float64(b[soa.MinZ][l])
			if x >= 0 { // else it is empty
				sum += float64(x*y) + float64(y*z) + float64(z*x)
			}
		}
	}
	return sum
}

// moveMajority overwrites the boxes of most objects in the order of packets, for sequential memory access, and refits
// them. The caller has counted objects outside a world with OutsideKeep, unless all move, each once.
func (t *Tree) moveMajority(h bulkMove) error {
	if t.Config.Policy == PolicyAuto && !t.BulkMotion {
		t.beginBulkMotion(t.totalArea())
	}
	away := t.writeBoxes(&h)
	if t.Store.Log != nil {
		t.noteAll(h.names(t))
	}
	t.Refit() // a query may follow at once
	if h.out {
		t.Outside = t.countOutside() // counted over all objects
	}
	if !t.BulkMotion {
		t.findDisplaced(away)
		return nil
	}
	if before := t.Work.Moved - h.to.Len(); t.Config.Policy == PolicyAuto && t.isMajority(before) {
		// No tick has run since most objects moved before: the program may never call Tick.
		if err := t.endBulkMotion(); !errors.Is(err, soa.ErrFull) {
			return err
		}
	}
	return nil
}

// names returns the IDs of the batch.
func (h *bulkMove) names(t *Tree) []uint32 {
	if h.ids != nil {
		return h.ids
	}
	return t.OrderNow()
}

// IsWhole reports whether a batch names every object once: all IDs ever assigned, each at its own index.
func (t *Tree) IsWhole(ids []uint32) bool {
	if len(ids) != t.IDs.Cap() || t.IDs.Len() != len(ids) || len(t.Store.Nodes.Hot) == 0 {
		return false
	}
	for i, id := range ids {
		if id != uint32(i) {
			return false
		}
	}
	return true
}

// bulkMoveOf returns a batch that moves most objects. whole: each object exactly once. Without whole it writes a row
// for each slot, so that its cost depends on the present size of the tree, not on an earlier one.
func (t *Tree) bulkMoveOf(ids []uint32, whole bool, to *Bodies) bulkMove {
	h := bulkMove{ids: ids, to: *to}
	if !whole {
		sc := t.Buffers()
		sc.which = mem.Fresh(sc.which, len(t.Store.Packets.Counts))
		for slot := range sc.which {
			sc.which[slot] = notInBatch
		}
		for i, id := range ids {
			w := t.IDs.Where[id]
			sc.which[w.Slot()][w.Lane()] = uint32(i)
		}
		h.which = sc.which
	}
	return h
}

// notInBatch is a row of a bulkMove without moving objects.
var notInBatch = func() (row [soa.Lanes]uint32) {
	for l := range row {
		row[l] = soa.None
	}
	return row
}()
