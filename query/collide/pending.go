package collide

import (
	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/soa"
)

// pendingTree is a tree over the pending packets of a store, or over objects, built for one
// query: 16 of them below a node, 16 nodes below the next, in the order of their list. The root
// is last.
type pendingTree struct {
	nodes []soa.Node
	up    []soa.Up // all nodes except the root
	list  []uint32 // all nodes except the root, from the packets up
}

func (p *pendingTree) root() uint32 { return uint32(len(p.nodes) - 1) }

// build makes the nodes over pending packets; none if there are none.
func (p *pendingTree) build(s *soa.Store) {
	p.nodes = p.nodes[:0]
	lane := 0
	for _, slot := range s.Pending {
		if n := int(s.Packets.Counts[slot]); n > 0 {
			box, mask := soa.Empty(), uint32(0)
			for l := range n {
				box = box.Union(s.Packets.Box(slot, l))
				mask |= s.Packets.MaskAt(slot, l)
			}
			ref := soa.PacketRef(slot)
			moving := s.Packets.Moving[slot]
			if moving != 0 {
				ref |= soa.RefMoving
			}
			if moving != 1<<n-1 {
				ref |= soa.RefStatic
			}
			p.add(&lane, &box, ref, mask)
		}
	}
	p.join()
}

// join adds levels above the nodes until there is one root.
func (p *pendingTree) join() {
	p.up, p.list = p.up[:0], p.list[:0]
	for first := 0; len(p.nodes)-first > 1; {
		last := len(p.nodes)
		for i := first; i < last; i++ {
			if (i-first)%soa.Fan == 0 {
				p.nodes = append(p.nodes, soa.EmptyNode)
			}
			parent := uint32(len(p.nodes) - 1)
			p.up, p.list = append(p.up, soa.MakeUp(parent, (i-first)%soa.Fan)), append(p.list, uint32(i))
		}
		first = last
	}
	build.ReduceNodes(p.nodes, p.up, p.list)
}

// add adds a child in the next lane, of a new node if lane is 0.
func (p *pendingTree) add(lane *int, box *soa.AABB, ref soa.Ref, mask uint32) {
	if *lane == 0 {
		p.nodes = append(p.nodes, soa.EmptyNode)
	}
	n := &p.nodes[len(p.nodes)-1]
	for a := range 3 {
		n.Bounds[2*a][*lane], n.Bounds[2*a+1][*lane] = box.Min[a], box.Max[a]
	}
	n.Child[*lane], n.Mask[*lane] = ref, mask
	*lane = (*lane + 1) % soa.Fan
}
