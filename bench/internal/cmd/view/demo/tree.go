package demo

import (
	"cmp"
	"slices"

	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Outlines are boxes to be drawn as edges.
type Outlines struct {
	Boxes  []float32 // six numbers each
	Depths []float32 // nodes above each; of cells, levels of the octree below the first
	Ranks  []float32 // the share of the objects, by the order of keys, with which it is complete
}

func (o *Outlines) add(b soa.AABB, depth int, rank float32) {
	o.Boxes = appendBox(o.Boxes, b)
	o.Depths = append(o.Depths, float32(depth))
	o.Ranks = append(o.Ranks, rank)
}

// Order returns the objects in the order of the Morton keys of their centres.
func (s *Stage) Order() []uint32 {
	//show curve
	keys := make([]morton.Key, s.tree.Len())
	order, _ := s.tree.Order(nil)
	for id, o := range s.tree.All() {
		keys[id] = s.tree.Key(o.Box) // the bits of x, y and z in turns
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
	//end
	return order
}

// Ranks returns the place of each object in that order, from 0 to 1.
func (s *Stage) Ranks() []float32 {
	ranks, order := make([]float32, len(s.objects)), s.Order()
	for i, id := range order {
		ranks[id] = float32(i) / float32(max(len(order)-1, 1))
	}
	return ranks
}

// Tight returns the tight boxes of nodes and packets.
func (s *Stage) Tight() (o Outlines) {
	v, ranks := s.tree.View(), s.Ranks()
	nodes := &v.Store().Nodes
	if len(nodes.Hot) == 0 {
		return o
	}
	var below func(index uint32, depth int) (all soa.AABB, rank float32)
	below = func(index uint32, depth int) (all soa.AABB, rank float32) {
		n := &nodes.Hot[index]
		all = soa.Empty()
		for lane, ref := range n.Child[:nodes.Used[index]] {
			var b soa.AABB
			for a := range 3 {
				b.Min[a], b.Max[a] = n.Bounds[2*a][lane], n.Bounds[2*a+1][lane]
			}
			if b.Min[0] > b.Max[0] {
				continue // empty
			}
			last := float32(0)
			if ref.IsPacket() {
				for _, id := range v.IDs(ref.Index()) {
					last = max(last, ranks[id])
				}
			} else {
				_, last = below(ref.Index(), depth+1)
			}
			o.add(b, depth+1, last)
			all, rank = all.Union(b), max(rank, last)
		}
		return all, rank
	}
	root, rank := below(0, 0)
	o.add(root, 0, rank)
	return o
}

// Cells returns the cells of the octree, where the objects are.
func (s *Stage) Cells() (o Outlines) {
	v, ranks := s.tree.View(), s.Ranks()
	first := 64
	for c := range s.tree.Cells() {
		first = min(first, c.Prefix.Level())
	}
	//show tree
	for c := range s.tree.Cells() {
		rank := float32(0)
		for slot := c.Slots.First; slot < c.Slots.End; slot++ {
			for _, id := range v.IDs(slot) {
				rank = max(rank, ranks[id])
			}
		}
		o.add(c.Box, c.Prefix.Level()-first, rank)
	}
	//end
	return o
}

// shape tells of the tree.
func (s *Stage) shape(q *Question, a *Answer) {
	st := s.tree.Stats()
	a.count("objects", st.Objects, none)
	a.count("nodes, of up to 16 boxes", st.Nodes, none)
	a.count("packets, of up to 16 objects", st.Packets, none)
	a.count("nodes on the longest way", st.Depth, none)
	cells := 0
	for range s.tree.Cells() {
		cells++
	}
	a.count("cells with packets", cells, none)
	a.count("lanes in use, in per cent", int(100*st.Fill), none)
	a.bar("octree", "bytes", Float(st.LiveBytes()))
	a.loop("slice of boxes and masks", "bytes", Float(32*len(s.objects)))
	if q.Mode == Curve {
		for i := range s.States {
			s.States[i] = Hit
		}
	}
}
