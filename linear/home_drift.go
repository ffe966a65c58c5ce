package linear

import (
	"github.com/zoctree/zoctree/soa"
)

// When most objects move in a frame their boxes are written in the order of
// packets, and one pass finds those that are away from home. If these are many
// they would not stay at home for long, and to find homes for them costs more than
// it gains: the tree drifts. Objects stay in their packets, whose boxes are
// refitted, until the boxes have grown so much that a rebuild pays. When the
// objects come to rest, strays are found by one more pass.
//
// While the tree drifts the list of strays is empty and any object may be one.

const (
	// majorityPercent is the share of objects, in percent, that is most of them.
	majorityPercent = 30

	// driftOneIn is the share of strays, one in so many of all objects, from which a
	// tree drifts when most have moved.
	driftOneIn = 32

	// driftGrowth is the growth of the summed area of all boxes, in percent,
	// at which a drifting tree is rebuilt.
	driftGrowth = 20
)

// isMajority reports whether n are most objects.
func (t *Tree) isMajority(n int) bool {
	return 100*n >= majorityPercent*t.Len() && len(t.store.Nodes.Hot) > 0
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

// driftedFar reports whether the boxes of a drifting tree have grown too much.
func (t *Tree) driftedFar() bool {
	return t.drifting && 100*t.totalArea() > (100+driftGrowth)*t.area
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
// these come from memory one after the other, and refits them.
func (t *Tree) moveMost(h herd) {
	area := 0.0
	if t.cfg.Policy == PolicyAuto && !t.drifting {
		area = t.totalArea()
	}
	away := t.writeBoxes(&h)
	t.noteAll(h.ids)
	t.Refit() // a query may come at once
	if t.drifting {
		return
	}
	t.findStrays(away)
	if t.cfg.Policy == PolicyAuto && len(t.strays) > t.Len()/driftOneIn {
		t.drift(area)
	}
}

// herdOf returns a batch that moves most objects.
func (t *Tree) herdOf(ids []uint32, boxes []soa.AABB, spheres [][4]float32) herd {
	h := herd{ids: ids, boxes: boxes, spheres: spheres}
	if !t.inOrderOfIDs(ids) {
		sc := &t.scratch
		sc.which = soa.Fresh(sc.which, t.ids.Cap())
		for i := range sc.which {
			sc.which[i] = soa.None
		}
		for i, id := range ids {
			sc.which[id] = uint32(i)
		}
		h.which = sc.which
	}
	return h
}

// inOrderOfIDs reports whether a batch names all IDs that have been given out, each at
// its own index.
func (t *Tree) inOrderOfIDs(ids []uint32) bool {
	if len(ids) != t.ids.Cap() {
		return false
	}
	for i, id := range ids {
		if id != uint32(i) {
			return false
		}
	}
	return true
}
