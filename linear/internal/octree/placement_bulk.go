package octree

import (
	"errors"
	"math"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// Bulk motion. When most objects move at once, their boxes are written in the order of packets, and displaced
// objects are not tracked. Objects stay in their packets, whose boxes are refitted, until the boxes have grown so
// much that reinsertion or a rebuild pays. So a slow motion of all objects costs no more than a refit for a long
// time, and a common motion of all, such as a wind, never costs more. When the objects stop, one pass finds the
// displaced ones.
//
// Whether the boxes have grown too much is measured as users feel it: sample queries count the nodes and packets that
// they visit. The total area of boxes would be that of the largest ones: beside a sky box, no growth would show.
//
// A few objects that jump enlarge all boxes at once. So when the boxes have grown much, or soon, displaced objects are
// reinserted if they are few, degraded nodes are re-split, and bulk motion continues. If they are many, if that is not
// enough, or if the boxes have grown slowly, the tree is rebuilt.
//
// During bulk motion the list of displaced objects is empty and any object may be displaced.

const (
	// majorityPercent is the share of objects, in percent, that counts as most of them.
	majorityPercent = 30

	// majoritySlots is the number of slots that a pass over all packets visits in the time of one move by ID.
	majoritySlots = 2

	// driftGrowth is the growth of the visits of sample queries, in percent, that triggers reinsertion or a rebuild.
	driftGrowth = 20

	// placedGrowth is driftGrowth after a reinsertion, when other objects are the samples and chance decides more. With
	// 20 a tree of 36,000 objects of which one in 100 jumps was rebuilt in 8 of 20 frames, with 40 in none, and queries
	// then visit 1.1 times as much as in a new tree.
	placedGrowth = 40

	// uncutGrowth is driftGrowth while nodes of the last build are uncut, which costs up to half more visits: the tree
	// is soon rebuilt in space, without a reinsertion.
	uncutGrowth = 5

	// A motion is slow if a growth from driftGrowth to placedGrowth takes slowTicks or more since the last build. Then a
	// rebuild is better than a reinsertion, after which the growth often exceeds driftGrowth again in the next frame.
	// Before slowTicks, soonGrowth replaces driftGrowth: dense objects would cause a rebuild in nearly each frame.
	// Frozen trees keep driftGrowth: their packets are full. (go run ./bench ratios -only 'change all')
	slowTicks, soonGrowth = 8, 30

	// driftOneIn is the largest share of objects, one in so many, that are reinserted after bulk motion. With
	// more, the boxes do not get as small as by a rebuild, which costs little more.
	driftOneIn = 24

	// A sample of visits is one point per visitShare objects, at least visitMin and at most visitMost.
	visitShare, visitMin, visitMost = 256, 16, 64
)

// IsMajority reports whether n are most objects. It is false if there are more than majoritySlots slots for each of
// them, as in a tree that most objects have left: a pass over all slots would cost more there than n moves.
func (t *Tree) IsMajority(n int) bool {
	return reaches(n, majorityPercent, t.IDs.Len()) && len(t.Store.Nodes.Hot) > 0 && len(t.Store.Packets.Counts)/majoritySlots <= n
}

// reaches reports whether n is at least so many percent of all. The products do not fit 32 bits.
func reaches[T int | int32](n, percent, all T) bool {
	return 100*int64(n) >= int64(percent)*int64(all)
}

// beginBulkMotion begins bulk motion. visits is the result of sampleVisits at its beginning.
func (t *Tree) beginBulkMotion(visits float64) {
	t.BulkMotion, t.Visits = true, visits
	t.Displaced = t.Displaced[:0]
}

// refitOnly begins bulk motion before a move under PolicyRefit.
func (t *Tree) refitOnly() {
	if t.Config.Policy == PolicyRefit && !t.BulkMotion && len(t.Store.Nodes.Hot) > 0 {
		t.beginBulkMotion(t.sampleVisits(math.Inf(1)))
	}
}

// endBulkIfStill ends bulk motion when most objects have stopped.
func (t *Tree) endBulkIfStill() {
	if t.BulkMotion && t.Config.Policy != PolicyRefit && !t.IsMajority(t.Work.Moved) {
		t.findDisplaced(nil, unlimited)
	}
}

// hasGrown reports whether queries visit so many percent more nodes and packets than when bulk motion began.
func (t *Tree) hasGrown(percent float64) bool {
	most := t.Visits * (100 + percent) / 100
	return t.sampleVisits(most) > most
}

// endBulkMotion makes the boxes small again when they have grown too much during bulk motion: by reinsertion of
// displaced objects, if they are few, the growth is not slow, and that is enough, or by a rebuild. It may be called
// again.
func (t *Tree) endBulkMotion() error {
	if !t.BulkMotion || t.Work.Moved == 0 || t.sampled == t.Store.Version {
		return nil
	}
	growth, soon := float64(driftGrowth), t.Tick-t.BuiltAtTick < slowTicks
	uncut := t.Uncut > 0 && !t.builtSoon() && t.Config.TickBudget == 0
	switch {
	case uncut:
		growth = uncutGrowth
	case soon && t.Uncut == 0 && !t.Config.Frozen:
		growth = soonGrowth
	}
	if !t.hasGrown(growth) {
		t.sampled = t.Store.Version
		return nil
	}
	if t.Config.Policy == PolicyAuto && !uncut && (soon || t.hasGrown(placedGrowth)) {
		visits := t.Visits
		few := t.findDisplaced(nil, t.IDs.Len()/driftOneIn)
		if few && !t.needsRebuild(len(t.Displaced), true) {
			t.BeginChange()
			t.placeUnplaced(len(t.Displaced), 0)
			t.Refit()
			t.recutDegraded(unlimited)
			t.Refit()
			t.beginBulkMotion(visits)
			if !t.hasGrown(placedGrowth) {
				return nil
			}
		}
	}
	return t.renew()
}

// sampleVisits returns the number of nodes and packets that queries of points visit: the centres of objects of
// packets evenly spaced in memory, so that no few objects decide. It stops when the number exceeds most.
func (t *Tree) sampleVisits(most float64) (visits float64) {
	p := &t.Store.Packets
	slots := len(p.Counts)
	samples := min(max(t.IDs.Len()/visitShare, visitMin), visitMost, slots)
	for k := range samples {
		slot := k * slots / samples
		for end := (k + 1) * slots / samples; slot < end && p.Counts[slot] == 0; {
			slot++
		}
		if slot < slots && p.Counts[slot] > 0 {
			b := p.Box(uint32(slot), 0)
			visits += float64(t.visitsAt(b.Center(), most-visits))
		}
		if visits > most {
			break
		}
	}
	return visits
}

// visitsAt returns the number of nodes and packets whose boxes contain a point, the root included, or some number
// above most if there are more.
func (t *Tree) visitsAt(at [3]float32, most float64) (visits int) {
	n := &t.Store.Nodes
	nodes := append(t.Buffers().list[:0], 0)
	for len(nodes) > 0 && float64(visits) <= most {
		node := nodes[len(nodes)-1]
		nodes = nodes[:len(nodes)-1]
		visits++
		hot := &n.Hot[node]
		b := &hot.Bounds
		for l := range soa.Fan {
			if b[soa.MinX][l] <= at[0] && at[0] <= b[soa.MaxX][l] && b[soa.MinY][l] <= at[1] && at[1] <= b[soa.MaxY][l] &&
				b[soa.MinZ][l] <= at[2] && at[2] <= b[soa.MaxZ][l] {
				if ref := hot.Child[l]; ref.IsPacket() {
					visits++
				} else {
					nodes = append(nodes, ref.Index())
				}
			}
		}
	}
	t.Buffers().list = nodes
	return visits
}

// moveMajority overwrites the boxes of most objects in the order of packets, for sequential memory access, and refits
// them.
func (t *Tree) moveMajority(h bulkMove) error {
	if t.Config.Policy == PolicyAuto && !t.BulkMotion {
		t.beginBulkMotion(t.sampleVisits(math.Inf(1)))
	}
	away := t.writeBoxes(&h)
	switch {
	case t.Store.Log == nil:
	case h.calls != nil:
		h.calls.each(func(_ moveRun, ids []uint32, _ int) { t.noteAll(ids) })
	default:
		t.noteAll(h.names(t))
	}
	t.Refit() // a query may follow at once
	if h.out {
		t.Outside = t.countOutside() // counted over all objects
	}
	if !t.BulkMotion {
		t.findDisplaced(away, unlimited)
		return nil
	}
	if t.Config.Policy != PolicyAuto {
		return nil
	}
	// Queries may follow before the next tick, or the program may never call Tick.
	var err error
	if h.jump {
		err = t.renew()
	} else {
		err = t.endBulkMotion()
	}
	if errors.Is(err, soa.ErrFull) {
		return nil
	}
	return err
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
	return len(ids) == t.IDs.Cap() && t.IDs.Len() == len(ids) && len(t.Store.Nodes.Hot) > 0 && areFrom(0, ids)
}

// indexOf returns, by ID, 1 + the index of the last of the deferred moves of an object, 0 if it does not move. Entries
// of IDs that are not live are unspecified.
func (t *Tree) indexOf(d *Deferred) []uint32 {
	sc := t.Buffers()
	sc.index = mem.Resize(sc.index, t.IDs.Cap())
	index := sc.index
	if len(index) <= sparseIDs*t.IDs.Len() {
		clear(index)
	} else {
		p := &t.Store.Packets
		for slot, n := range p.Counts {
			for _, id := range p.IDs[slot][:n] {
				index[id] = 0
			}
		}
	}
	d.each(func(_ moveRun, ids []uint32, first int) {
		for i, id := range ids {
			index[id] = uint32(first + i + 1)
		}
	})
	return index
}

// sparseIDs is the number of IDs for each live object up to which it is faster to clear the entries of all IDs.
const sparseIDs = 8
