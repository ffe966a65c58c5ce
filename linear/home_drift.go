package linear

import (
	"errors"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// When most objects move at once their boxes are written in the order of packets, and the
// tree drifts: nobody looks for strays. Objects stay in their packets, whose boxes are
// refitted, until these have grown so much that homes or a rebuild pay. So a slow motion
// of all costs no more than a refit for a long time, and one of all together, such as a
// wind, never more. When the objects come to rest, strays are found by one pass.
//
// A few that jump make all boxes large at once. So when they have grown, strays find
// homes if they are few, worn nodes are cut anew, and the drift goes on; if they are many,
// as they are in a motion of all, or if that is not enough, the tree is rebuilt.
//
// While the tree drifts the list of strays is empty and any object may be one.

const (
	// majorityPercent is the share of objects, in percent, that is most of them.
	majorityPercent = 30

	// driftGrowth is the growth of the summed area of all boxes, in percent, at which
	// something is done. Until then queries visit up to 1.1 times what they do in a new
	// tree, about.
	driftGrowth = 20

	// driftOneIn is the share of objects, one in so many, of which a large tree finds homes
	// for the strays of a drift: of more the boxes do not get as small as by a rebuild.
	driftOneIn = 24
)

// isMajority reports whether n are most objects. They are not where most slots are free: a
// pass over all packets would cost more there than n moves.
func (t *Tree) isMajority(n int) bool {
	p := &t.store.Packets
	return reaches(n, majorityPercent, t.Len()) && len(t.store.Nodes.Hot) > 0 && p.Unused() <= len(p.Counts)/4*3
}

// reaches reports whether n is at least so many percent of all. The products do not fit 32
// bits.
func reaches[T int | int32](n, percent, all T) bool {
	return 100*int64(n) >= int64(percent)*int64(all)
}

// drift begins a drift from where the boxes had an area.
func (t *Tree) drift(area float64) {
	t.drifting, t.area = true, area
	t.strays = t.strays[:0]
}

// refitOnly begins a drift before a move if that is the way of change.
func (t *Tree) refitOnly() {
	if t.cfg.Policy == PolicyRefit && !t.drifting && len(t.store.Nodes.Hot) > 0 {
		t.drift(t.totalArea())
	}
}

// comeHome ends the drift when the objects have come to rest.
func (t *Tree) comeHome() {
	if t.drifting && t.cfg.Policy != PolicyRefit && !t.isMajority(t.work.Moved) {
		t.findStrays(nil)
	}
}

// grown reports whether the boxes of a drifting tree have grown too much.
func (t *Tree) grown() bool { return 100*t.totalArea() > (100+driftGrowth)*t.area }

// endDrift brings the boxes of a drifting tree back when they have grown too much: by
// homes for the strays, if they are few and that is enough, or by a rebuild.
func (t *Tree) endDrift() error {
	if !t.drifting || t.work.Moved == 0 || !t.grown() {
		return nil
	}
	if t.cfg.Policy == PolicyAuto {
		area := t.area
		t.findStrays(nil)
		few := t.Len() <= cached || len(t.strays) <= t.Len()/driftOneIn
		if few && !t.wantsRebuild(len(t.strays)) {
			t.change()
			t.settle()
			t.Refit()
			t.mend()
			t.Refit()
			t.drift(area)
			if !t.grown() {
				return nil
			}
		}
	}
	return t.Rebuild(nil, RebuildOptions{})
}

// totalArea returns half of the summed surface of the tight boxes of all lanes.
func (t *Tree) totalArea() (sum float64) {
	for i := range t.store.Nodes.Hot {
		b := &t.store.Nodes.Hot[i].Bounds
		for l := range int(t.store.Nodes.Used[i]) {
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

// moveMost overwrites the boxes of most objects in the order of packets, so that
// these come from memory one after the other, and refits them. Those outside a world
// that keeps them have been counted, unless all move, each once.
func (t *Tree) moveMost(h herd) error {
	if t.cfg.Policy == PolicyAuto && !t.drifting {
		t.drift(t.totalArea())
	}
	away := t.writeBoxes(&h)
	if t.store.Log != nil {
		t.noteAll(h.names(t))
	}
	t.Refit() // a query may come at once
	if h.out {
		t.outside = t.countOutside() // of all that there is
	}
	if !t.drifting {
		t.findStrays(away)
		return nil
	}
	if before := t.work.Moved - h.to.len(); t.cfg.Policy == PolicyAuto && t.isMajority(before) {
		// There has been no tick since most moved before: perhaps nobody ticks.
		if err := t.endDrift(); !errors.Is(err, soa.ErrFull) {
			return err
		}
	}
	return nil
}

// names returns the IDs of the batch.
func (h *herd) names(t *Tree) []uint32 {
	if h.ids != nil {
		return h.ids
	}
	return t.orderNow()
}

// isWhole reports whether a batch names every object once: all IDs that have been given
// out, each at its own index.
func (t *Tree) isWhole(ids []uint32) bool {
	if len(ids) != t.ids.Cap() || t.Len() != len(ids) || len(t.store.Nodes.Hot) == 0 {
		return false
	}
	for i, id := range ids {
		if id != uint32(i) {
			return false
		}
	}
	return true
}

// herdOf returns a batch that moves most objects, each once or not. Without whole it
// writes a row for each slot, so that it costs what there is now, not what there was.
func (t *Tree) herdOf(ids []uint32, whole bool, to *bodies) herd {
	h := herd{ids: ids, to: *to}
	if !whole {
		sc := t.buffers()
		sc.which = mem.Fresh(sc.which, len(t.store.Packets.Counts))
		for slot := range sc.which {
			sc.which[slot] = notInBatch
		}
		for i, id := range ids {
			w := t.ids.Where[id]
			sc.which[w.Slot()][w.Lane()] = uint32(i)
		}
		h.which = sc.which
	}
	return h
}

// notInBatch is a row of a herd none of whose objects moves.
var notInBatch = func() (row [soa.Lanes]uint32) {
	for l := range row {
		row[l] = soa.None
	}
	return row
}()
