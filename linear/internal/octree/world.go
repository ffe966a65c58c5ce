package octree

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Objects outside the world share the keys of its border, and a world that is much too large has few keys for its
// objects. Queries find both, only slower.

// growWorld doubles the world towards the objects outside it when they are many and doubling includes half of them;
// otherwise it rebuilds, when a rebuild would pay. A few far outliers are left outside: a world that includes them
// would have no keys left for the others. When most objects are outside, the world doubles as often as necessary.
func (t *Tree) growWorld() error {
	n := t.IDs.Len()
	if t.Config.Fixed || t.Config.GrowShare < 0 || len(t.Store.Nodes.Hot) == 0 || t.Outside <= n/t.Config.GrowShare {
		return nil
	}
	t.Pack()
	out := t.outsiders(t.World)
	if out.n <= n/t.Config.GrowShare {
		t.Outside = 0
		return nil
	}
	var octants []int
	w, left, ok := t.World, out, true
	for ok && left.n > out.n/2 && (len(octants) == 0 || out.n > n/2) {
		octant := left.octant()
		if w, ok = w.Grow(octant); ok {
			octants = append(octants, octant)
			left = t.outsiders(w)
		}
	}
	if left.n <= out.n/2 {
		grow := func(key morton.Key) morton.Key {
			for _, o := range octants {
				key = key.Grow(o)
			}
			return key
		}
		t.Outside = left.n
		t.rekey(w, grow, grow)
		t.Work.Grown += len(octants)
		return nil
	}
	if t.Config.Policy != PolicyIncremental && t.mayRebuild() && out.n > n/rebuildOneIn {
		return t.renew()
	}
	t.Outside = 0
	return nil
}

// pendingOutside is the limit of the share of objects, one in so many, inserted outside the world of a tree without
// packets.
const pendingOutside = 8

// FitPending fits the world of a tree without packets to the boxes of all objects, when many were inserted outside.
// Such a tree has no keys yet, so its world only determines which boxes are far, and which need no check on
// insertion. The next build fits the world again. It takes time proportional to the objects, once for so many
// inserted outside.
func (t *Tree) FitPending() {
	if pendingOutside*t.Outside <= t.IDs.Len() || len(t.Store.Nodes.Hot) > 0 || t.Config.World != (soa.AABB{}) {
		return
	}
	t.Outside = 0
	box := t.union()
	if t.Unpacked() > 0 {
		objects, _ := t.records.list()
		_, union, _ := t.Survey(objects)
		box = box.Union(union)
	}
	w, err := morton.Fit(box.Min, box.Max)
	if err != nil {
		return
	}
	t.World, t.Code, t.FastBounds = w, NewCoder(w, t.Config.MinCell), none
	t.tightenExtent()
}

// shrinkWorld halves the world when it is much too large and the centres of all objects except far ones are in one
// octant. It rebuilds when they span several octants. The box is the union of the near boxes; nothing is pending.
func (t *Tree) shrinkWorld(box soa.AABB) error {
	if box == soa.Empty() || len(t.Store.Nodes.Hot) == 0 {
		return nil
	}
	side := t.Config.shrinkBelow(&t.World)
	for a := range 3 {
		if !(float64(box.Max[a])-float64(box.Min[a]) < side) {
			return nil
		}
	}
	const triple = morton.Bits - 3
	octant := t.World.Key(box.Center()) >> triple
	if w, ok := t.World.Shrink(int(octant)); ok && t.mayShrink(w, box) {
		into := func(key, rest morton.Key) morton.Key {
			switch o := key >> triple; {
			case o < octant:
				return 0
			case o > octant:
				return morton.MaxKey
			}
			return key<<3&morton.MaxKey | rest
		}
		t.rekey(w,
			func(key morton.Key) morton.Key { return into(key, 0) },
			func(key morton.Key) morton.Key { return into(key, 7) })
		t.Work.Shrunk++
		return nil
	}
	if !t.mayRebuild() {
		return nil
	}
	// A rebuild must be able to change something.
	t.Centres = t.gather(t.union())
	t.FastBounds = t.computeFastBounds()
	w, err := t.fitWorld(t.Centres)
	if err != nil || w.Exp() >= t.World.Exp() || t.Config.Policy == PolicyIncremental {
		return nil
	}
	return t.renew()
}

// shrinkBelow returns the extent of near boxes on an axis below which a world may shrink: -Inf if it never does.
func (c *Config) shrinkBelow(w *morton.World) float64 {
	if c.Fixed || c.ShrinkShare < 0 {
		return math.Inf(-1)
	}
	return w.Side() / float64(c.ShrinkShare)
}

// mayShrink reports whether a smaller world still contains the configured box and the centres of all objects that
// are neither far nor pending, whose union is box. Otherwise, and if the next rebuild would enlarge it again, it is not
// to shrink: all objects of one key but those of one cell would be displaced, and the world would change in each tick.
func (t *Tree) mayShrink(w morton.World, box soa.AABB) bool {
	given := t.Config.World
	fitted, err := t.fitWorld(centresIn(t, box))
	return err == nil && fitted.Exp() <= w.Exp() && !coincide(t) &&
		(given == soa.AABB{} || w.Inside(given.Min) && w.Inside(given.Max)) && t.allIn(w)
}

// coincide reports whether all objects that are neither far nor pending have the same centre, and so the same key in
// any world. In most trees it reads two objects.
func coincide(t *Tree) bool {
	p, some := &t.Store.Packets, false
	var at [3]float32
	for slot, up := range p.Parents {
		for l := 0; l < int(p.Counts[slot]) && up != soa.NoParent; l++ {
			if b := p.Box(uint32(slot), l); t.Code.Near(&b) {
				c := b.Center()
				if some && c != at {
					return false
				}
				at, some = c, true
			}
		}
	}
	return true
}

// rekey makes w the world. low and high are monotone and map the first and the last key of an interval to those of
// the same cells in w.
//
//	old   [ low a ...  high a ][ low b ...      high a + 1 >= low b >= high a
//	new   [ low a' .. high a' ][ low b' ..      high a' = min(high(high a), low b')
//
// Growing may make two intervals share a key that none did before, where both have objects; shrinking a shared key
// leaves its first cell shared. Objects whose key is in another cell now, such as most clamped ones, become
// displaced: the placement box of their packet is computed again from the other objects.
func (t *Tree) rekey(w morton.World, low, high func(morton.Key) morton.Key) {
	t.BeginChange()
	t.World, t.Code, t.FastBounds = w, NewCoder(w, t.Config.MinCell), none
	t.tightenExtent() // the set of far boxes changes
	t.mapKeys(low, high)
	t.evict()
	if !t.BulkMotion { // in bulk motion any object may be displaced
		t.findDisplaced(nil, unlimited)
	}
}

// evict shrinks the placement boxes of packets to exclude objects with the key of another cell.
func (t *Tree) evict() {
	n, p := &t.Store.Nodes, &t.Store.Packets
	var keys [soa.Lanes]uint64
	var locations [soa.Lanes]soa.Location
	t.eachCell(0, func(cell uint32) {
		span := n.Cells[cell]
		EachPacketBelow(t.Store, cell, 0, func(_ int, node *soa.Node, lane int) bool {
			slot := node.Child[lane].Index()
			stay, some := soa.Empty(), false
			for l, key := range keys[:t.Code.packets(keys[:], locations[:], p, int(slot), 1, 0)] {
				if key < span.Low || key > span.High {
					some = true
				} else if box := p.Box(slot, l); t.isPlaced(slot, &box) {
					stay = stay.Union(box)
				}
			}
			if some {
				t.setPlacementBox(slot, stay)
			}
			return true
		})
	})
}

// outsiders counts the objects outside a world, and, for each octant, those that are reached when the world becomes
// that octant of one twice as large. An axis on which an object is not outside is no constraint, so most objects
// count for two octants or four:
//
//	octant, a bit for each axis    0   grows up, and reaches objects that are not below
//	                               1   grows down, and reaches objects that are not above
type outsiders struct {
	n       int
	reached [8]int
}

// add counts a centre that is outside the bounds of the world.
func (o *outsiders) add(c, lo, hi [3]float32) {
	below, above := 0, 0
	for a := range 3 {
		if c[a] < lo[a] {
			below |= 1 << a
		} else if c[a] >= hi[a] {
			above |= 1 << a
		}
	}
	o.n++
	for octant := range o.reached {
		if octant&above == 0 && octant&below == below {
			o.reached[octant]++
		}
	}
}

// octant returns the octant that reaches most objects, the lowest one of several. The majority on each axis by
// itself might select an octant that reaches none.
func (o *outsiders) octant() (octant int) {
	for i, n := range o.reached {
		if n > o.reached[octant] {
			octant = i
		}
	}
	return octant
}

// outsiders counts the objects whose centre is outside a world. It visits only subtrees with tight boxes that
// extend beyond it.
func (t *Tree) outsiders(w morton.World) (out outsiders) {
	s := t.Store
	lo, hi := w.Bounds()
	count := func(slot uint32) {
		for lanes := lanesOutside(&s.Packets, slot, &lo, &hi); lanes != 0; lanes &= lanes - 1 {
			out.add(s.Packets.Box(slot, bits.TrailingZeros16(lanes)).Center(), lo, hi)
		}
	}
	t.eachPacket(0, w, func(slot uint32) bool {
		count(slot)
		return true
	})
	for _, slot := range s.Pending {
		count(slot)
	}
	return out
}

// countOutside returns the number of objects whose centre is outside the world. It reads the packets that extend
// beyond it, along those axes only: a small part of the work of rewriting all boxes.
func (t *Tree) countOutside() (n int) {
	s := t.Store
	lo, hi := t.World.Bounds()
	for i, lanes := range s.Nodes.Used {
		if s.Nodes.Height[i] != 0 {
			continue
		}
		node := &s.Nodes.Hot[i]
		for l, ref := range node.Child[:lanes] {
			out := uint16(0)
			for a := range 3 {
				if !(node.Bounds[2*a][l] >= lo[a] && node.Bounds[2*a+1][l] < hi[a]) {
					out |= outOn(&s.Packets, ref.Index(), a, lo[a], hi[a])
				}
			}
			n += bits.OnesCount16(out)
		}
	}
	for _, slot := range s.Pending {
		n += bits.OnesCount16(lanesOutside(&s.Packets, slot, &lo, &hi))
	}
	return n
}

// lanesOutside returns the lanes of a packet whose centre is outside the bounds of a world.
func lanesOutside(p *soa.PacketColumns, slot uint32, lo, hi *[3]float32) (lanes uint16) {
	for a := range 3 {
		lanes |= outOn(p, slot, a, lo[a], hi[a])
	}
	return lanes
}

// outOn returns the lanes of a packet whose centre is not between lo and hi on an axis.
func outOn(p *soa.PacketColumns, slot uint32, a int, lo, hi float32) (lanes uint16) {
	b := &p.Bounds[slot]
	for l := range int(p.Counts[slot]) {
		c := float32(b[2*a][l]*0.5) + float32(b[2*a+1][l]*0.5) + 0 // as soa.AABB.Center, except for -0
		// Sign bits of differences avoid mispredicted branches.
		below, inside := math.Float32bits(c-lo)>>31, math.Float32bits(c-hi)>>31
		lanes |= uint16(below|(inside^1)) << l
	}
	return lanes
}

// allIn reports whether a world contains the centres of all objects that are neither far nor pending.
func (t *Tree) allIn(w morton.World) bool {
	lo, hi := w.Bounds()
	return t.eachPacket(0, w, func(slot uint32) bool {
		for l := range int(t.Store.Packets.Counts[slot]) {
			if b := t.Store.Packets.Box(slot, l); !insideHalfOpen(&lo, &hi, b.Center()) && t.Code.Near(&b) {
				return false
			}
		}
		return true
	})
}

// eachPacket calls f with the packets below a node whose tight box extends beyond a world, until it returns false.
func (t *Tree) eachPacket(node uint32, w morton.World, f func(slot uint32) bool) bool {
	n := &t.Store.Nodes.Hot[node]
	lo, hi := w.Bounds()
	for l := range int(t.Store.Nodes.Used[node]) {
		box := LaneBox(n, l)
		if box == soa.Empty() || insideHalfOpen(&lo, &hi, box.Min) && insideHalfOpen(&lo, &hi, box.Max) {
			continue
		}
		ref := n.Child[l]
		if ref.IsPacket() && !f(ref.Index()) ||
			!ref.IsPacket() && !t.eachPacket(ref.Index(), w, f) {
			return false
		}
	}
	return true
}
