package file

import (
	"math"
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// Packets are checked in strides that fit in the first-level cache, including their checksums:
// strideSlots slots below at most strideNodes nodes.
const (
	strideSlots = 512
	strideNodes = 48
)

// slotRun is a stride of slots, and the lanes above them, recomputed from the packets.
type slotRun struct {
	ranges []asm.Range
	owner  [strideSlots]soa.Up // lanes of exact, by slot of the stride
	of     [strideNodes]uint32 // nodes of exact
	lanes  [strideNodes]int    // number of their lanes in the stride
	exact  [strideNodes]soa.Node
	slots  []uint32 // slots of the stride, from 0 on
}

// packets checks each slot, and the lane that leads to it.
func (c *safety) packets() error {
	p := &c.s.Packets
	var everything cull.Volume
	everything.Shape = cull.ShapeBox
	everything.Box = cull.MakeBox([3]float32{-math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32}, [3]float32{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32})
	c.plain = comparesWords(len(p.Bounds))
	w := new(slotRun)
	for first := 0; first < len(p.Counts); {
		end, err := c.gather(w, first)
		if err != nil {
			return err
		}
		if err := upTo(c.packetSums, end); err != nil {
			return err
		}
		w.ranges = everything.Scan(w.ranges[:0], p.Bounds, first, end-first)
		if err := c.lanes(w.ranges, first, end); err != nil {
			return err
		}
		if err := c.tight(w, first, end); err != nil {
			return err
		}
		first = end
	}
	return nil
}

// gather returns the end of a stride, and assigns a lane of exact to each slot with an owner.
func (c *safety) gather(w *slotRun, first int) (end int, err error) {
	n, p := &c.s.Nodes, &c.s.Packets
	last, nodes := soa.None, 0
	w.slots = w.slots[:0]
	for end = first; end < len(p.Counts) && end < first+strideSlots; end++ {
		up := p.Parents[end]
		if up == soa.NoParent {
			continue
		}
		node := up.Node()
		if node != last {
			if nodes == strideNodes {
				break
			}
			if uint64(node) >= uint64(len(n.Hot)) {
				return 0, NotSound("slot %d has the owner %#x, there are %d nodes", end, up, len(n.Hot))
			}
			w.of[nodes], w.lanes[nodes], w.exact[nodes] = node, 0, soa.EmptyNode
			last = node
			nodes++
		}
		if ref := n.Hot[node].Child[up.Lane()]; ref&^soa.RefFlags != soa.PacketRef(uint32(end)) {
			return 0, NotSound("slot %d has the owner %#x, which refers to %#x", end, up, ref)
		}
		w.owner[end-first] = soa.MakeUp(uint32(nodes-1), up.Lane())
		w.lanes[nodes-1]++
		w.slots = append(w.slots, uint32(end-first))
	}
	return end, nil
}

// lanes checks that the live lanes of a stride are those whose boxes the scan of all space returns,
// and that therefore have no NaN.
func (c *safety) lanes(ranges []asm.Range, first, end int) error {
	p := &c.s.Packets
	for slot := first; slot < end; slot++ {
		n := int(p.Counts[slot])
		live, hit := uint32(1)<<n-1, uint32(0)
		if len(ranges) > 0 && int(ranges[0].First) == slot {
			hit = ranges[0].N & 0xffff
			ranges = ranges[1:]
		}
		if c.plain {
			hit &^= nans(&p.Bounds[slot])
		}
		if hit != live {
			return NotSound("slot %d: lanes %#x hold boxes, not %#x", slot, hit, live)
		}
		if uint32(p.Moving[slot])&^live != 0 {
			return NotSound("slot %d: lanes %#x move, there are %#x", slot, p.Moving[slot], live)
		}
		for l := n; l < soa.Lanes; l++ {
			if !emptyLane(&p.Bounds[slot], l) || len(p.Masks) > 0 && p.Masks[slot][l] != 0 {
				return NotSound("slot %d lane %d is free and not empty", slot, l)
			}
		}
		if p.Bounded() {
			if err := c.bounds(uint32(slot), n); err != nil {
				return err
			}
		}
	}
	return nil
}

// comparesWords reports whether the scan of packets may be Go code. It compares words, and so takes
// a NaN for a number; for boxes of a tree, which have none, that makes no difference.
func comparesWords(packets int) bool { return asm.Info().Tier == asm.TierGo || packets >= 1<<24 }

// nans returns the lanes whose boxes have a NaN.
func nans(b *soa.Packet) (lanes uint32) {
	for a := range b {
		for l, x := range b[a] {
			if x != x {
				lanes |= 1 << l
			}
		}
	}
	return lanes
}

// bounds checks that the bounds of live lanes are finite.
func (c *safety) bounds(slot uint32, lanes int) error {
	p := &c.s.Packets
	for l := range lanes {
		if s, ok := p.Sphere(slot, l); ok && !(finite(s[0]) && finite(s[1]) && finite(s[2]) && finite(s[3])) {
			return NotSound("slot %d lane %d has the sphere %v", slot, l, s)
		}
		b, ok := p.Oriented(slot, l)
		for k := 0; ok && k < 3; k++ {
			if a := &b.Axes[k]; !(finite(b.Center[k]) && finite(a[0]) && finite(a[1]) && finite(a[2])) {
				return NotSound("slot %d lane %d has the oriented box %v", slot, l, b)
			}
		}
	}
	return nil
}

func finite(x float32) bool { return x-x == 0 }

// objects checks that IDs lead back. It is a separate pass, so that the randomly accessed locations stay in the cache.
func (s *Snapshot) objects() error {
	p, where := &s.Tree.Store.Packets, s.Lists.Where
	if err := s.File.Check(s.File.Find(s.group, "Locations")); err != nil {
		return err
	}
	sum, err := s.File.Checker(s.File.Find(s.group, "IDs"))
	if err != nil {
		return err
	}
	for slot := range p.IDs {
		row, n := &p.IDs[slot], int(p.Counts[slot])
		if slot%strideSlots == 0 {
			if err := sum.To(int64(min(slot+strideSlots, len(p.IDs))) * int64(unsafe.Sizeof(*row))); err != nil {
				return err
			}
		}
		location, wrong := soa.MakeLocation(uint32(slot), 0), soa.Location(0)
		for l, id := range row[:n] {
			if uint64(id) >= uint64(len(where)) {
				return NotSound("slot %d lane %d holds object %d, there are %d IDs", slot, l, id, len(where))
			}
			wrong |= where[id] ^ (location + soa.Location(l))
		}
		if wrong != 0 {
			return NotSound("slot %d holds the objects %d, one of which is indexed elsewhere", slot, row[:n])
		}
		for l := n; l < soa.Lanes; l++ {
			if row[l] != 0 && (l > 0 || p.Parents[slot] != soa.NoParent) { // or a link of the free list
				return NotSound("slot %d lane %d is free and holds object %d", slot, l, row[l])
			}
		}
	}
	return nil
}

// tight checks that lanes contain the packets of a stride, and the bound of coordinates the pending ones.
func (c *safety) tight(w *slotRun, first, end int) error {
	n, p := &c.s.Nodes, &c.s.Packets
	for slot := first; slot < end; slot++ {
		for l := 0; p.Parents[slot] == soa.NoParent && l < int(p.Counts[slot]); l++ {
			if box := p.Box(uint32(slot), l); !c.extent().Contains(box) {
				return NotSound("slot %d lane %d has the box %v, beyond the bound %v of coordinates", slot, l, box, c.s.Extent)
			}
		}
	}
	if len(w.slots) == 0 {
		return nil
	}
	part := soa.PacketColumns{
		Bounds: p.Bounds[first:end], IDs: p.IDs[first:end], Mask: p.Mask, Moving: p.Moving[first:end],
		Counts: p.Counts[first:end], Parents: w.owner[:end-first],
	}
	if len(p.Masks) > 0 {
		part.Masks = p.Masks[first:end]
	}
	build.ReducePackets(&part, w.exact[:], w.slots)
	for i := 0; i == 0 || i <= int(w.owner[w.slots[len(w.slots)-1]].Node()); i++ {
		node, exact := &n.Hot[w.of[i]], &w.exact[i]
		if w.lanes[i] == int(n.Used[w.of[i]]) && *wordsOf(&node.Bounds) == *wordsOf(&exact.Bounds) && node.Mask == exact.Mask && sameFlags(node, exact) {
			continue
		}
		for l := range soa.Fan {
			ref := exact.Child[l]
			if ref != 0 && !soundLane(&node.Bounds, l) {
				return NotSound("node %d lane %d has the box %v", w.of[i], l, octree.LaneBox(node, l))
			}
			if ref != 0 && !holdsLane(node, exact, l) {
				return NotSound("node %d lane %d does not hold slot %d, which is below it", w.of[i], l, first+int(ref.Index()))
			}
		}
	}
	return nil
}

// wordsOf returns boxes as words, which are compared at once.
func wordsOf(b *soa.Packet) *[6 * soa.Lanes]uint32 {
	return (*[6 * soa.Lanes]uint32)(unsafe.Pointer(b))
}

// sameFlags reports whether the lanes of two nodes have the same flags.
func sameFlags(a, b *soa.Node) bool {
	diff := soa.Ref(0)
	for l := range soa.Fan {
		diff |= a.Child[l] ^ b.Child[l]
	}
	return diff&soa.RefFlags == 0
}

// holdsLane reports whether a lane of a node contains that of another one.
func holdsLane(node, exact *soa.Node, l int) bool {
	box := octree.LaneBox(exact, l)
	return (box == soa.Empty() || octree.LaneBox(node, l).Contains(box)) &&
		exact.Mask[l]&^node.Mask[l] == 0 && exact.Child[l].Flags()&^node.Child[l] == 0
}
