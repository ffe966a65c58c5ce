package nevala

import (
	"math"
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/soa"
)

// node is a cube with the objects that are in it and in none of its octants.
type node struct {
	region  soa.AABB
	parent  *node
	objects index.List
	child   [8]*node
	active  uint8 // bits of existing children
	lane    uint8 // index in the parent

	// Lifespan in frames, and frames left; -1 while in use.
	span, life int16
	listed     bool // in the list of expiring nodes
}

const (
	spanMin = 8
	spanMax = 64
)

func newNode(region soa.AABB, parent *node, lane int) *node {
	return &node{region: region, parent: parent, lane: uint8(lane), span: spanMin, life: -1}
}

// each calls f for the node and its descendants.
func (n *node) each(f func(n *node)) {
	f(n)
	for m := n.active; m != 0; m &= m - 1 {
		n.child[bits.TrailingZeros8(m)].each(f)
	}
}

// alone reports whether the node is a leaf with one object, which may be in an octant.
func (n *node) alone() bool { return n.active == 0 && len(n.objects) == 1 }

// divisible reports whether the cube may have octants.
func (t *Tree) divisible(n *node) bool {
	r, c := &n.region, n.region.Center()
	large := false
	for a := range 3 {
		if !(r.Min[a] < c[a] && c[a] < r.Max[a]) {
			return false
		}
		large = large || r.Max[a]-r.Min[a] > t.min
	}
	return large
}

// octant returns the octant that contains a box of the cube, or -1 if the box straddles the border between
// octants. The border belongs to the upper octant, so boxes in two octants do not touch.
func (n *node) octant(b *soa.AABB) (o int) {
	c := n.region.Center()
	for a := range 3 {
		switch {
		case b.Max[a] < c[a]:
		case b.Min[a] >= c[a]:
			o |= 1 << a
		default:
			return -1
		}
	}
	return o
}

// holds reports whether a box may be stored at the node or below: it is in the cube and, unless the node is
// the root, does not touch its upper border, which belongs to other cubes.
func (n *node) holds(b *soa.AABB) bool {
	up := &n.region.Max
	return n.region.Contains(*b) && (n.parent == nil || b.Max[0] < up[0] && b.Max[1] < up[1] && b.Max[2] < up[2])
}

// below returns the child of that octant, and creates it if necessary.
func (n *node) below(o int) *node {
	if n.active>>o&1 == 0 {
		r, c := n.region, n.region.Center()
		for a := range 3 {
			if o>>a&1 == 0 {
				r.Max[a] = c[a]
			} else {
				r.Min[a] = c[a]
			}
		}
		n.child[o] = newNode(r, n, o)
		n.active |= 1 << o
		n.use()
	}
	return n.child[o]
}

// insert stores an item in the smallest cube from n downwards that contains it. n must contain it.
func (t *Tree) insert(n *node, it index.Item) {
	for n.active != 0 || len(n.objects) > 0 {
		if !t.divisible(n) {
			break
		}
		if n.alone() {
			// A leaf does not keep two objects.
			if o := n.octant(&n.objects[0].Box); o >= 0 {
				first := n.objects[0]
				n.objects = n.objects[:0]
				t.add(n.below(o), first)
			}
		}
		o := n.octant(&it.Box)
		if o < 0 {
			break
		}
		n = n.below(o)
	}
	t.add(n, it)
}

// add appends an item to the list of a node.
func (t *Tree) add(n *node, it index.Item) {
	t.homes[it.ID] = location{n, int32(len(n.objects))}
	n.objects = append(n.objects, it)
	n.use()
}

// take removes an item from the list of a node.
func (t *Tree) take(h location) {
	h.node.objects = t.drop(h.node.objects, h.slot)
	t.fade(h.node)
}

// build builds the tree from all objects in the queue.
func (t *Tree) build() {
	items := t.pending
	bounds := soa.Empty()
	for i := range items {
		bounds = bounds.Union(items[i].Box)
	}
	t.root = newNode(t.cube(bounds), nil, 0)
	t.divide(t.root, items, make(index.List, len(items)))
	t.pending = nil // as large as the tree, and empty from here on
}

// cube returns a cube around a box, with a side that is a power of two.
func (t *Tree) cube(b soa.AABB) soa.AABB {
	side := float64(t.min)
	for a := range 3 {
		side = max(side, float64(b.Max[a])-float64(b.Min[a]))
	}
	f, exp := math.Frexp(side) // side = f * 2^exp, f in [1/2, 1)
	if f == 0.5 {
		exp--
	}
	side = math.Ldexp(1, exp)
	for a := range 3 {
		// Rounding may reduce the sum below the old maximum.
		b.Max[a] = max(b.Max[a], float32(min(float64(b.Min[a])+side, math.MaxFloat32)))
	}
	return b
}

// divide builds the tree below n from items that its cube contains. It reorders them, and uses spare, which
// is as long, as scratch memory.
func (t *Tree) divide(n *node, items, spare index.List) {
	if len(items) <= 1 || !t.divisible(n) {
		t.settle(n, items)
		return
	}
	const stay = 8
	var ends [9]int
	items.Part(spare, ends[:], func(it *index.Item) int {
		if o := n.octant(&it.Box); o >= 0 {
			return o
		}
		return stay
	})
	from := 0
	for o, end := range ends {
		switch {
		case o == stay:
			t.settle(n, spare[from:end])
		case end > from:
			t.divide(n.below(o), spare[from:end], items[from:end])
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
