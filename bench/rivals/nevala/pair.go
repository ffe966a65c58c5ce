package nevala

import (
	"math/bits"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/soa"
)

// Pairs calls yield once for each two objects that overlap, unless both are
// static. yield must not change the tree.
func (t *Tree) Pairs(yield func(a, b uint32)) {
	t.flush()
	t.above = t.above[:0]
	if t.root != nil {
		t.meet(t.root, 0, yield)
	}
}

// meet tests the objects of a node against each other and against the ancestors' objects that overlap its
// cube, t.above[from:], and passes on the objects that overlap the cubes below.
func (t *Tree) meet(n *node, from int, yield func(a, b uint32)) {
	for i := range n.objects {
		a := &n.objects[i]
		t.above[from:].Pairs(a, yield)
		n.objects[:i].Pairs(a, yield)
	}
	end := len(t.above)
	for m := n.active; m != 0; m &= m - 1 {
		c := n.child[bits.TrailingZeros8(m)]
		t.hand(t.above[from:end], &c.region)
		t.hand(n.objects, &c.region)
		t.meet(c, end, yield)
		t.above = t.above[:end]
	}
}

// hand appends the items that overlap a cube to the ancestors' list.
func (t *Tree) hand(items index.List, region *soa.AABB) {
	for i := range items {
		if items[i].Box.Overlaps(*region) {
			t.above = append(t.above, items[i])
		}
	}
}
