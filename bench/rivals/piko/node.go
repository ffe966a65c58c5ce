package piko

import (
	"math"
	"slices"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/soa"
)

// node is a cell with the objects that are in its enlarged box and fit no child.
type node struct {
	center   [3]float32
	half     float32
	loose    soa.AABB // enlarged cell, clipped to the parent's
	parent   *node
	children []*node // nil: a leaf
	objects  index.List
	count    int32 // objects of the subtree
	lane     uint8 // index in the parent
}

var everything = soa.AABB{
	Min: [3]float32{-math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32},
	Max: [3]float32{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32},
}

// enlarged returns the box of a cell, enlarged, within the range of float32.
func (t *Tree) enlarged(center [3]float32, half float32) (b soa.AABB) {
	reach := float64(float64(half) * t.grown)
	for a := range 3 {
		b.Min[a] = float32(max(float64(center[a])-reach, -math.MaxFloat32))
		b.Max[a] = float32(min(float64(center[a])+reach, math.MaxFloat32))
	}
	return b
}

// each calls f for the node and its descendants.
func (n *node) each(f func(n *node)) {
	f(n)
	for _, c := range n.children {
		if c != nil {
			c.each(f)
		}
	}
}

// divisible reports whether the cells of children differ from the cell.
func (n *node) divisible() bool {
	q := n.half / 2
	for _, c := range n.center {
		if !(c-q < c && c < c+q) {
			return false
		}
	}
	return true
}

// cell returns the centre of the cell of a child.
func (t *Tree) cell(n *node, lane int) (center [3]float32) {
	q := n.half / 2
	for a := range 3 {
		center[a] = n.center[a] + q*float32((lane%t.fan)*2/(t.fan-1)-1)
		lane /= t.fan
	}
	return center
}

// loosened returns the enlarged cell of a child that does not exist.
func (t *Tree) loosened(n *node, lane int) soa.AABB {
	b := t.enlarged(t.cell(n, lane), n.half/2)
	for a := range 3 {
		b.Min[a] = max(b.Min[a], n.loose.Min[a])
		b.Max[a] = min(b.Max[a], n.loose.Max[a])
	}
	return b
}

// nearest returns the child whose centre is nearest to the centre of a box.
func (t *Tree) nearest(n *node, b *soa.AABB) (lane int) {
	c := b.Center()
	if t.fan == 2 {
		for a := range 3 {
			if c[a] >= n.center[a] {
				lane |= 1 << a
			}
		}
		return lane
	}
	border := n.half / 4
	for a := 2; a >= 0; a-- {
		lane *= 3
		switch d := c[a] - n.center[a]; {
		case d > border:
			lane += 2
		case d >= -border:
			lane++
		}
	}
	return lane
}

// fit returns the child of a node whose enlarged cell contains a box, or -1 if there is none or the node is a
// leaf.
func (t *Tree) fit(n *node, b *soa.AABB) int {
	if n.children == nil {
		return -1
	}
	lane := t.nearest(n, b)
	if c := n.children[lane]; c != nil && c.loose.Contains(*b) || c == nil && t.loosened(n, lane).Contains(*b) {
		return lane
	}
	return -1
}

// below returns a child, and creates it if necessary.
func (t *Tree) below(n *node, lane int) *node {
	if n.children[lane] == nil {
		n.children[lane] = &node{
			center: t.cell(n, lane), half: n.half / 2, loose: t.loosened(n, lane), parent: n, lane: uint8(lane),
		}
	}
	return n.children[lane]
}

// insertBelow stores an item as far down as it fits. n contains it and has counted it.
func (t *Tree) insertBelow(n *node, it index.Item) {
	for lane := t.fit(n, &it.Box); lane >= 0; lane = t.fit(n, &it.Box) {
		n = t.below(n, lane)
		n.count++
	}
	t.homes[it.ID] = location{n, int32(len(n.objects))}
	n.objects = append(n.objects, it)
	if n.children == nil && len(n.objects) > t.cfg.SplitAbove && n.divisible() {
		t.spare = slices.Grow(t.spare[:0], len(n.objects))[:len(n.objects)]
		t.divide(n, n.objects, t.spare)
	}
}

// take removes an item from its list; the last item moves into the gap.
func (t *Tree) take(h location) {
	list := h.node.objects
	last := len(list) - 1
	list[h.slot] = list[last]
	t.homes[list[h.slot].ID].slot = h.slot
	h.node.objects = list[:last]
}

// leave decrements the counts from a node up to end, exclusive, or to the root. It removes empty nodes and
// merges the largest subtree with too few objects.
func (t *Tree) leave(n, end *node) {
	var few *node
	for n != end {
		p := n.parent
		switch n.count--; {
		case n.count == 0 && p != nil:
			p.children[n.lane] = nil
		case n.children != nil && int(n.count) < t.cfg.MergeBelow:
			few = n
		}
		n = p
	}
	if few != nil {
		t.merge(few)
	}
}

// merge turns a node into a leaf.
func (t *Tree) merge(n *node) {
	for _, c := range n.children {
		if c == nil {
			continue
		}
		c.each(func(x *node) {
			for _, it := range x.objects {
				t.homes[it.ID] = location{n, int32(len(n.objects))}
				n.objects = append(n.objects, it)
			}
		})
	}
	n.children = nil
}

// divide builds the tree below n from items that its enlarged cell contains. It reorders them, and uses
// spare, which is as long, as scratch memory.
func (t *Tree) divide(n *node, items, spare index.List) {
	n.count = int32(len(items))
	if len(items) <= t.cfg.SplitAbove || !n.divisible() {
		t.settle(n, items)
		return
	}
	lanes := t.fan * t.fan * t.fan
	n.children = make([]*node, lanes)
	var cells [27]soa.AABB
	for lane := range lanes {
		cells[lane] = t.loosened(n, lane)
	}
	var ends [28]int
	items.Part(spare, ends[:lanes+1], func(it *index.Item) int {
		if lane := t.nearest(n, &it.Box); cells[lane].Contains(it.Box) {
			return lane
		}
		return lanes // stays in the node
	})
	from := 0
	for p, end := range ends[:lanes+1] {
		switch {
		case p == lanes:
			t.settle(n, spare[from:end])
		case end > from:
			t.divide(t.below(n, p), spare[from:end], items[from:end])
		}
		from = end
	}
}

// settle sets the list of a node to the items.
func (t *Tree) settle(n *node, items index.List) {
	n.objects = slices.Clone(items)
	for i := range items {
		t.homes[items[i].ID] = location{n, int32(i)}
	}
}
