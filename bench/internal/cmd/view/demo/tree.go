package demo

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Outlines are boxes to draw as edges.
type Outlines struct {
	Boxes  []float32 // six numbers each
	Depths []float32 // number of ancestor nodes; of cells, levels below the first
	Ranks  []float32 // share of the objects, in key order, with which each is complete
}

func (o *Outlines) add(b soa.AABB, depth int, rank float32) {
	o.Boxes = appendBox(o.Boxes, b)
	o.Depths = append(o.Depths, float32(depth))
	o.Ranks = append(o.Ranks, rank)
}

// Order returns the objects in the order of the Morton keys of their centres.
func (s *Stage) Order() []uint32 {
	tree, keys := s.tree, make([]morton.Key, s.tree.Len())
	//show curve
	order, _ := tree.Order(nil) // all IDs
	for id, o := range tree.All() {
		keys[id] = tree.Key(o.Box) // bits of x, y, z
	}
	slices.SortStableFunc(order, func(a, b uint32) int {
		return cmp.Compare(keys[a], keys[b])
	})
	//end
	return order
}

// Ranks returns the position of each object in that order, from 0 to 1.
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

// Cells returns the cells of the octree that contain objects.
func (s *Stage) Cells() (o Outlines) {
	v, ranks := s.tree.View(), s.Ranks()
	complete := func(slots soa.Span) (last float32) {
		for slot := slots.First; slot < slots.End; slot++ {
			for _, id := range v.IDs(slot) {
				last = max(last, ranks[id])
			}
		}
		return last
	}
	tree, first := s.tree, s.firstLevel()
	//show tree
	for c := range tree.Cells() { // in the order of keys
		level := c.Prefix.Level() - first
		o.add(c.Box, level, complete(c.Slots))
	}
	//end
	return o
}

// firstLevel is the level of the largest cells.
func (s *Stage) firstLevel() int {
	first := 64
	for c := range s.tree.Cells() {
		first = min(first, c.Prefix.Level())
	}
	return first
}

// shape reports the shape of the tree.
func (s *Stage) shape(q *Question, a *Answer) {
	st := s.tree.Stats()
	a.count("objects", st.Objects, none)
	a.count("nodes, of up to 16 boxes", st.Nodes, none)
	a.count("packets, of up to 16 objects", st.Packets, none)
	a.count("nodes on the longest path", st.Depth, none)
	cells := 0
	for range s.tree.Cells() {
		cells++
	}
	a.count("cells with packets", cells, none)
	a.count("lanes in use, in per cent", int(100*st.Fill), none)
	a.say("%s objects in %s packets, below %s nodes", st.Objects, st.Packets, st.Nodes)
	a.Check = ""
	if q.Mode == Tree {
		s.byDepth(q, a)
	}
	a.bar("octree", "bytes", Float(st.LiveBytes()))
	a.loop("slice", "bytes", Float(int(unsafe.Sizeof(soa.Object{}))*len(s.objects)))
	if q.Mode == Curve {
		for i := range s.States {
			s.States[i] = Hit
		}
	}
}

// byDepth counts tight boxes by depth, or cells by level.
func (s *Stage) byDepth(q *Question, a *Answer) {
	o, name := s.Tight(), "tight boxes of depth %d"
	if q.Cells {
		o, name = s.Cells(), "cells of level %d"
	}
	var counts []int
	for _, depth := range o.Depths {
		for len(counts) <= int(depth) {
			counts = append(counts, 0)
		}
		counts[int(depth)]++
	}
	for depth, n := range counts {
		if n > 0 {
			a.Numbers = append(a.Numbers, Number{fmt.Sprintf(name, depth), n, none, depth})
		}
	}
}
