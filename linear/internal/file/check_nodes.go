package file

import (
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// nodes checks all nodes with lanes, lowest first, so that the nodes below have been checked.
func (c *safety) nodes() error {
	n := &c.s.Nodes
	if err := upTo(c.nodeSums, len(n.Hot)); err != nil {
		return err
	}
	if len(n.Hot) == 0 {
		return nil
	}
	c.below = make([]subtree, len(n.Hot))
	for _, node := range byHeight(n) {
		if err := c.node(node); err != nil {
			return err
		}
	}
	switch {
	case n.Used[0] == 0:
		return NotSound("the root has no lanes")
	case n.Parents[0] != soa.NoParent:
		return NotSound("the root has the parent %#x", n.Parents[0])
	case !c.below[0].cells:
		return NotSound("there is no cell at the root or below it")
	}
	box := octree.NodeBox(&n.Hot[0])
	if box != soa.Empty() && !c.extent().Contains(box) {
		return NotSound("the root has the box %v, beyond the bound %v of coordinates", box, c.s.Extent)
	}
	return nil
}

// extent returns the box of the bounds of all coordinates.
func (c *safety) extent() (b soa.AABB) {
	for a, x := range c.s.Extent {
		b.Min[a], b.Max[a] = -x, x
	}
	return b
}

// byHeight lists the nodes with lanes, in ascending order of height.
func byHeight(n *soa.NodeColumns) (list []uint32) {
	var first [257]int
	used := 0
	for i, h := range n.Height {
		if n.Used[i] > 0 {
			first[int(h)+1]++
			used++
		}
	}
	for h := range 256 {
		first[h+1] += first[h]
	}
	list = make([]uint32, used)
	for i, h := range n.Height {
		if n.Used[i] > 0 {
			list[first[h]] = uint32(i)
			first[h]++
		}
	}
	return list
}

// node checks a node after the nodes below it.
func (c *safety) node(i uint32) error {
	n, p := &c.s.Nodes, &c.s.Packets
	node, lanes := &n.Hot[i], int(n.Used[i])
	if lanes > soa.Fan {
		return NotSound("node %d has %d lanes", i, lanes)
	}
	for l := lanes; l < soa.Fan; l++ {
		if node.Child[l] != 0 || node.Mask[l] != 0 || n.Keys[i][l] != soa.NoKey || !emptyLane(&node.Bounds, l) {
			return NotSound("node %d lane %d is free and not empty", i, l)
		}
	}
	all := subtree{slots: soa.Span{First: soa.None}}
	cells, others := 0, 0 // lanes with and without cells below
	objects := uint64(0)
	for l, ref := range node.Child[:lanes] {
		at, up := ref.Index(), soa.MakeUp(i, l)
		if ref.IsPacket() {
			if uint64(at) >= uint64(len(p.Parents)) || p.Parents[at] != up {
				return NotSound("node %d lane %d refers to slot %d of %d, which does not lead back", i, l, at, len(p.Parents))
			}
			all.slots.First, all.slots.End = min(all.slots.First, at), max(all.slots.End, at+1)
			objects += uint64(p.Counts[at])
			others++
			continue
		}
		switch {
		case at == 0 || uint64(at) >= uint64(len(n.Parents)) || n.Used[at] == 0 || n.Parents[at] != up:
			return NotSound("node %d lane %d refers to node %d of %d, which does not lead back", i, l, at, len(n.Parents))
		case n.Height[at] >= n.Height[i]:
			return NotSound("node %d of height %d is below node %d of height %d", at, n.Height[at], i, n.Height[i])
		}
		if !soundLane(&node.Bounds, l) {
			return NotSound("node %d lane %d has the box %v", i, l, octree.LaneBox(node, l))
		}
		below := &c.below[at]
		all.slots.First, all.slots.End = min(all.slots.First, below.slots.First), max(all.slots.End, below.slots.End)
		objects += uint64(below.objects)
		if below.cells {
			cells++
		} else {
			others++
		}
		if !holds(node, l, &n.Hot[at], int(n.Used[at])) {
			return NotSound("node %d lane %d does not hold node %d, which is below it", i, l, at)
		}
	}
	switch all.cells = cells > 0; {
	case octree.IsCell(c.s, i):
		if cells > 0 {
			return NotSound("cell %d has cells below it", i)
		}
		all.cells = true
	case cells > 0 && others > 0:
		return NotSound("node %d has lanes with cells and %d without", i, others)
	case cells > 0 && !ascending(n, i, lanes):
		return NotSound("the keys of the lanes of node %d are not in order", i)
	}
	if objects > uint64(c.s.Count) {
		return NotSound("%d objects below node %d, there are %d", objects, i, c.s.Count)
	}
	all.objects = uint32(objects)
	if k := n.Below[i]; (c.s.Counted || n.Height[i] == 0) && k != all.objects {
		return NotSound("node %d counts %d objects, below it are %d", i, k, objects)
	}
	if span := n.Slots[i]; span.End != 0 {
		if span.First > all.slots.First || span.End < all.slots.End || uint64(span.End) >= uint64(len(c.before)) ||
			c.before[span.End]-c.before[span.First] != all.objects {
			return NotSound("node %d has slots %d to %d of %d, below it are %d to %d with %d objects",
				i, span.First, span.End, len(p.Counts), all.slots.First, all.slots.End, objects)
		}
	}
	c.below[i] = all
	return nil
}

// emptyLane reports whether a lane holds the empty box.
func emptyLane(b *soa.Packet, l int) bool {
	e := &soa.EmptyNode.Bounds
	return b[0][l] == e[0][0] && b[1][l] == e[1][0] && b[2][l] == e[2][0] &&
		b[3][l] == e[3][0] && b[4][l] == e[4][0] && b[5][l] == e[5][0]
}

// soundLane reports whether a lane holds a box, which may be empty.
func soundLane(b *soa.Packet, l int) bool {
	return b[0][l] <= b[1][l] && b[2][l] <= b[3][l] && b[4][l] <= b[5][l] || emptyLane(b, l)
}

// holds reports whether a lane of a node contains all lanes of the node below.
func holds(node *soa.Node, l int, below *soa.Node, lanes int) bool {
	b := &node.Bounds
	minX, maxX, minY, maxY, minZ, maxZ := b[0][l], b[1][l], b[2][l], b[3][l], b[4][l], b[5][l]
	d := &below.Bounds
	mask, flags := uint32(0), soa.Ref(0)
	for k := range lanes {
		k &= soa.Fan - 1
		if !(d[0][k] >= minX && d[1][k] <= maxX && d[2][k] >= minY && d[3][k] <= maxY && d[4][k] >= minZ && d[5][k] <= maxZ) {
			return false
		}
		mask |= below.Mask[k]
		flags |= below.Child[k]
	}
	return mask&^node.Mask[l] == 0 && flags.Flags()&^node.Child[l] == 0
}

// ascending reports whether the first keys of the lanes of a node above cells ascend, are valid
// keys, and equal those of the nodes below.
func ascending(n *soa.NodeColumns, i uint32, lanes int) bool {
	last := uint64(0)
	for l, key := range n.Keys[i][:lanes] {
		child := n.Hot[i].Child[l].Index()
		first := n.Cells[child].Low
		if n.Cells[child] == soa.NoSpan {
			first = n.Keys[child][0]
		}
		if key < last || key == soa.NoKey || key != first {
			return false
		}
		last = key
	}
	return true
}
