package linear

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Objects outside the world share the keys of its border, and a world that is
// much too large has few keys for what is in it. Both are found, only slower.

// growWorld doubles the world towards the objects outside it when they are many
// and that brings in half of them; otherwise, when a rebuild would pay, it
// rebuilds. A few far away are left outside: a world that held them would have
// no keys left for the others. When most objects are outside they are the
// others, and the world doubles as often as it takes.
func (t *Tree) growWorld() error {
	n := t.Len()
	if t.cfg.Fixed || t.cfg.GrowShare < 0 || len(t.store.Nodes.Hot) == 0 || t.outside <= n/t.cfg.GrowShare {
		return nil
	}
	out := t.outsiders(t.world)
	if out.n <= n/t.cfg.GrowShare {
		t.outside = 0
		return nil
	}
	var octants []int
	w, left, ok := t.world, out, true
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
		t.outside = left.n
		t.rekey(w, grow, grow)
		t.work.Grown += len(octants)
		return nil
	}
	if t.cfg.Policy != PolicyIncremental && out.n > n/rebuildOneIn {
		return t.Rebuild(nil, RebuildOptions{})
	}
	t.outside = 0
	return nil
}

// pendingOutside is the share of objects, one in so many, that may come outside the world of a
// tree without packets.
const pendingOutside = 8

// fitPending makes the world of a tree without packets hold the boxes of all objects, when
// many of them came outside. Such a tree has no keys yet, so its world decides only
// which boxes are far, and which need no check when they come. The next build fits the world
// again. It takes time proportional to the objects, once for so many that came outside.
func (t *Tree) fitPending() {
	if pendingOutside*t.outside <= t.Len() || len(t.store.Nodes.Hot) > 0 || t.cfg.World != (soa.AABB{}) {
		return
	}
	t.outside = 0
	box := t.union()
	w, err := morton.Fit(box.Min, box.Max)
	if err != nil {
		return
	}
	t.world, t.code, t.door = w, newCoder(w, t.cfg.MinCell), closed
	t.heal()
}

// shrinkWorld halves the world when it is much too large and the centres of all
// objects but far ones are in one octant, and rebuilds when they lie across
// octants. The box is the union of the near boxes; nothing is pending.
func (t *Tree) shrinkWorld(box soa.AABB) error {
	if t.cfg.Fixed || t.cfg.ShrinkShare < 0 || box == soa.Empty() || len(t.store.Nodes.Hot) == 0 {
		return nil
	}
	side := t.world.Side() / float64(t.cfg.ShrinkShare)
	for a := range 3 {
		if !(float64(box.Max[a])-float64(box.Min[a]) < side) {
			return nil
		}
	}
	const triple = morton.Bits - 3
	octant := t.world.Key(box.Center()) >> triple
	if w, ok := t.world.Shrink(int(octant)); ok && t.mayShrink(w) {
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
		t.work.Shrunk++
		return nil
	}
	// A rebuild must be able to change something.
	t.centres, t.door = t.gather(t.union()), closed
	w, err := t.fitWorld(t.centres)
	if err != nil || w.Exp() >= t.world.Exp() || t.cfg.Policy == PolicyIncremental {
		return nil
	}
	return t.Rebuild(nil, RebuildOptions{})
}

// mayShrink reports whether a smaller world holds all it must: the given one and
// the centres of all objects that are neither far nor pending.
func (t *Tree) mayShrink(w morton.World) bool {
	given := t.cfg.World
	return (given == soa.AABB{} || w.Inside(given.Min) && w.Inside(given.Max)) && t.allIn(w)
}

// rekey makes w the world. low and high are monotone and turn the first and the
// last key of an interval into those of the same cells in w.
//
//	old   [ low a ...  high a ][ low b ...      high a + 1 >= low b >= high a
//	new   [ low a' .. high a' ][ low b' ..      high a' = min(high(high a), low b')
//
// Growing may make two intervals share a key that none did before, and that is
// where both have objects; shrinking a shared key leaves its first cell shared.
// Objects whose key is in another cell now, as is that of most that were clamped,
// become strays: the home box of their packet is made anew of those that stay.
func (t *Tree) rekey(w morton.World, low, high func(morton.Key) morton.Key) {
	t.change()
	t.world, t.code, t.door = w, newCoder(w, t.cfg.MinCell), closed
	t.heal() // other boxes are far
	t.mapKeys(low, high)
	t.evict()
	t.findStrays(nil)
}

// evict takes what has a key of another cell out of the home boxes of packets.
func (t *Tree) evict() {
	n, p := &t.store.Nodes, &t.store.Packets
	var keys [soa.Lanes]uint64
	var places [soa.Lanes]soa.Location
	t.eachCell(0, func(cell uint32) {
		span := n.Cells[cell]
		eachPacketBelow(t.store, cell, 0, func(k Packet) bool {
			stay, some := soa.Empty(), false
			for l, key := range keys[:t.code.packets(keys[:], places[:], p, int(k.Slot), 1, 0)] {
				if key < span.Low || key > span.High {
					some = true
				} else if box := p.Box(k.Slot, l); t.isHome(k.Slot, &box) {
					stay = stay.Union(box)
				}
			}
			if some {
				t.setHome(k.Slot, stay)
			}
			return true
		})
	})
}

// outsiders counts objects outside a world, and those that lie in the way when it
// becomes an octant of one twice as large. An axis on which an object is not
// outside is no obstacle, so most lie in the way of two octants or four:
//
//	octant, a bit for each axis    0   grows up, and reaches what is not below
//	                               1   grows down, and reaches what is not above
type outsiders struct {
	n       int
	reached [8]int
}

// add counts a centre that is outside of the bounds of the world.
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

// octant returns the one in whose way most lie, the lowest one of several: not the
// side of most on each axis by itself, where there may be nobody.
func (o *outsiders) octant() (octant int) {
	for i, n := range o.reached {
		if n > o.reached[octant] {
			octant = i
		}
	}
	return octant
}

// outsiders counts the objects whose centre is outside a world. It looks only
// below tight boxes that stick out of it.
func (t *Tree) outsiders(w morton.World) (out outsiders) {
	s := t.store
	lo, hi := w.Bounds()
	count := func(slot uint32) {
		for l := range int(s.Packets.Counts[slot]) {
			if c := s.Packets.Box(slot, l).Center(); !insideHalfOpen(&lo, &hi, c) {
				out.add(c, lo, hi)
			}
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

// countOutside returns the number of objects whose centre is outside the world. It looks
// at the packets that stick out of it, along the axes on which they do: where all is
// written anew that is a small part of the work.
func (t *Tree) countOutside() (n int) {
	s := t.store
	lo, hi := t.world.Bounds()
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
		out := uint16(0)
		for a := range 3 {
			out |= outOn(&s.Packets, slot, a, lo[a], hi[a])
		}
		n += bits.OnesCount16(out)
	}
	return n
}

// outOn returns the lanes of a packet whose centre is not between lo and hi on an axis.
func outOn(p *soa.PacketColumns, slot uint32, a int, lo, hi float32) (lanes uint16) {
	b := &p.Bounds[slot]
	for l := range int(p.Counts[slot]) {
		c := float32(b[2*a][l]*0.5) + float32(b[2*a+1][l]*0.5) + 0 // as soa.AABB.Center, but for -0
		// The signs of differences, which branches would have to guess.
		below, inside := math.Float32bits(c-lo)>>31, math.Float32bits(c-hi)>>31
		lanes |= uint16(below|(inside^1)) << l
	}
	return lanes
}

// allIn reports whether a world holds the centres of all objects that are neither
// far nor pending.
func (t *Tree) allIn(w morton.World) bool {
	lo, hi := w.Bounds()
	return t.eachPacket(0, w, func(slot uint32) bool {
		for l := range int(t.store.Packets.Counts[slot]) {
			if b := t.store.Packets.Box(slot, l); !insideHalfOpen(&lo, &hi, b.Center()) && t.code.near(&b) {
				return false
			}
		}
		return true
	})
}

// eachPacket calls f with the packets below a node whose tight box sticks out of
// a world, until it returns false.
func (t *Tree) eachPacket(node uint32, w morton.World, f func(slot uint32) bool) bool {
	n := &t.store.Nodes.Hot[node]
	lo, hi := w.Bounds()
	for l := range int(t.store.Nodes.Used[node]) {
		box := laneBox(n, l)
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
