package scene

import (
	"cmp"
	"slices"

	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// grownList is a list of instances that may have outgrown their boxes, or move, with the boxes that they need. It is in
// the order of these along x.
type grownList struct {
	list []grownInstance

	// Of a long list: a tree of its boxes, in which object i is list[i], and the overlapping pairs.
	objects []linear.Object
	tree    *linear.Tree
	pairs   []collide.Pair
	keys    []uint64
	sorted  []uint64 // i<<32 | k, i < k, ascending
	radix   radix.Scratch
}

// grownInstance is an instance, and the box that it needs, grown by the distance of pairs.
type grownInstance struct {
	id  uint32
	box soa.AABB
}

// fewGrown is the length up to which pairs are found in the order along x: each box is compared with those that begin
// before it ends.
const fewGrown = 128

// grownPairs finds the pairs of instances that may have outgrown their boxes, with all instances and own objects.
func (w *join) grownPairs(own, instances linear.View, outgrown []uint32) {
	g := &w.grown
	g.list = g.list[:0]
	for _, id := range outgrown {
		if o, _ := instances.Object(id); w.gate.Mask != 0 && o.Mask&w.gate.Mask == 0 {
			continue
		}
		s := w.enter(&w.whole, id)
		if s == nil {
			continue
		}
		var image cell
		s.setImage(&image, &s.all)
		box := image.box()
		if w.step.on {
			box = sweptBox(box, s.move)
		}
		g.list = append(g.list, grownInstance{id, w.near(box)})
		w.depth--
		if own.Len() > 0 {
			w.beside(id)
		}
	}
	slices.SortFunc(g.list, func(a, b grownInstance) int {
		return cmp.Or(cmp.Compare(a.box.Min[0], b.box.Min[0]), cmp.Compare(a.id, b.id))
	})
	sorted := len(g.list) > fewGrown && g.sortPairs()
	others, next := len(outgrown) < instances.Len(), 0
	w.pairs = w.pairs[:0]
	for i := range g.list {
		s := &g.list[i]
		if others {
			from := len(w.ids)
			w.ids = boxQuery(&s.box).Append(w.ids, instances, w.gate)
			for _, id := range w.ids[from:] {
				if !contains(outgrown, id) {
					w.pairs = append(w.pairs, collide.Pair{A: s.id, B: id})
				}
			}
			w.ids = w.ids[:from]
		}
		if sorted {
			for ; next < len(g.sorted) && int(g.sorted[next]>>32) == i; next++ {
				w.pairs = append(w.pairs, collide.Pair{A: s.id, B: g.list[uint32(g.sorted[next])].id})
			}
			continue
		}
		for k := i + 1; k < len(g.list) && g.list[k].box.Min[0] <= s.box.Max[0]; k++ {
			if s.box.Overlaps(g.list[k].box) {
				w.pairs = append(w.pairs, collide.Pair{A: s.id, B: g.list[k].id})
			}
		}
	}
	w.instancePairs(nil)
}

// sortPairs finds the overlapping pairs of the list by a tree, and sorts them. It returns false if a box does not fit
// into a tree.
func (g *grownList) sortPairs() bool {
	if g.tree == nil {
		g.tree, _ = linear.New(linear.Config{Frozen: true, Workers: 1}) // no error: the configuration is valid
	}
	g.objects = g.objects[:0]
	for i := range g.list {
		g.objects = append(g.objects, linear.Object{Box: g.list[i].box})
	}
	g.tree.Clear()
	if g.tree.Build(nil, g.objects, linear.RebuildOptions{Frozen: true}) != nil {
		return false
	}
	g.pairs = collide.Append(g.pairs[:0], collide.Within(g.tree.View()), collide.Filter{})
	g.keys = g.keys[:0]
	for _, p := range g.pairs {
		g.keys = append(g.keys, uint64(p.A)<<32|uint64(p.B))
	}
	items, _ := g.radix.Order(g.keys, radix.Options{}) // fails only if it is cancelled
	g.sorted = g.sorted[:0]
	for _, item := range items {
		g.sorted = append(g.sorted, g.keys[radix.Index(item)])
	}
	return true
}
