package interest

import (
	"slices"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/query/internal/follow"
	"github.com/zoctree/zoctree/soa"
)

// batch is a small set of objects: a list, and a store that can be queried once a builder has filled it.
type batch struct {
	list    []member
	spheres [][4]float32
	turned  []soa.OrientedBox
	store   soa.Store
}

// member is an object of a batch. Its sphere and its oriented box, if any, are in the lists of the batch, in
// the order of the members.
type member struct {
	box           soa.AABB
	mask          uint32
	flags         uint32
	id            uint32
	round, oblong uint32 // indices in the lists
}

func (h *batch) reset() {
	h.list, h.spheres, h.turned = h.list[:0], h.spheres[:0], h.turned[:0]
}

// add adds the object of a record of a past.
func (h *batch) add(id uint32, r *record, p *previous) {
	m := member{box: r.box, mask: r.mask, flags: r.flags, id: id}
	if r.flags&isRound != 0 {
		m.round = uint32(len(h.spheres))
		h.spheres = append(h.spheres, p.spheres[id])
	}
	if r.flags&isTurned != 0 {
		m.oblong = uint32(len(h.turned))
		h.turned = append(h.turned, p.turned[id])
	}
	h.list = append(h.list, m)
}

// builder builds the stores of batches.
type builder struct {
	boxes []soa.AABB
	curve follow.Curve
	slots []uint32
	nodes []uint32
	up    []soa.Up
}

// fill builds the store of a batch: packets along the Morton curve, and nodes over them. Planes round as in
// the store of.
func (g *builder) fill(h *batch, of *soa.Store) {
	s, n := &h.store, len(h.list)
	slots := (n + soa.Lanes - 1) / soa.Lanes
	s.Near, s.Extent, s.Count = of.Near, of.Extent, n
	p := &s.Packets
	p.Spheres, p.OrientedBoxes = p.Spheres[:0], p.OrientedBoxes[:0]
	p.Fresh(slots, 0)
	p.FreshMasks(slots, 0)
	if len(h.spheres) > 0 {
		p.UseSpheres()
	}
	if len(h.turned) > 0 {
		p.UseOriented()
	}
	for slot := range slots {
		p.Clear(uint32(slot))
	}
	for k, item := range g.order(h) {
		slot, lane := uint32(k/soa.Lanes), k%soa.Lanes
		m := &h.list[radix.Index(item)]
		p.Put(slot, lane, m.id, &soa.Object{Box: m.box, Mask: m.mask, Static: m.flags&isStatic != 0})
		p.Counts[slot] = uint8(lane + 1)
		if m.flags&isRound != 0 {
			p.SetSphere(slot, lane, h.spheres[m.round])
		}
		if m.flags&isTurned != 0 {
			p.SetOriented(slot, lane, &h.turned[m.oblong])
		}
	}
	g.plant(s, slots)
}

// order returns radix items of the objects, sorted along the Morton curve.
func (g *builder) order(h *batch) []uint64 {
	g.boxes = slices.Grow(g.boxes[:0], len(h.list))
	for i := range h.list {
		g.boxes = append(g.boxes, h.list[i].box)
	}
	return g.curve.Order(soa.BoxWords(g.boxes), 6, len(g.boxes))
}

// plant builds the nodes over the packets, level by level, with 16 children each. The root is node 0, and the
// lowest level is last.
func (g *builder) plant(s *soa.Store, slots int) {
	level, total := above(slots), 0
	for n := slots; n > 0; {
		n = above(n)
		if total += n; n == 1 {
			break
		}
	}
	s.Nodes.Hot, s.Nodes.Slots = mem.Fresh(s.Nodes.Hot, total), mem.Fresh(s.Nodes.Slots, total)
	g.up = mem.Fresh(g.up, total)
	g.slots, g.nodes = g.slots[:0], g.nodes[:0]
	for i := range s.Nodes.Hot {
		s.Nodes.Hot[i] = soa.EmptyNode
	}
	first, wide := total-level, soa.Fan
	for slot := range slots {
		s.Packets.Parents[slot] = soa.MakeUp(uint32(first+slot/soa.Fan), slot%soa.Fan)
		g.slots = append(g.slots, uint32(slot))
	}
	for first >= 0 && level > 0 {
		next := above(level)
		for i := range level {
			node := first + i
			s.Nodes.Slots[node] = soa.Span{First: uint32(i * wide), End: uint32(min((i+1)*wide, slots))}
			if node > 0 {
				g.up[node] = soa.MakeUp(uint32(first-next+i/soa.Fan), i%soa.Fan)
				g.nodes = append(g.nodes, uint32(node))
			}
		}
		level, first, wide = next, first-next, wide*soa.Fan
	}
	build.ReducePackets(&s.Packets, s.Nodes.Hot, g.slots)
	build.ReduceNodes(s.Nodes.Hot, g.up, g.nodes)
}

// above returns the number of nodes over n packets or nodes.
func above(n int) int { return (n + soa.Fan - 1) / soa.Fan }
