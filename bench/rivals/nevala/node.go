package nevala

import (
	"math"
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/soa"
)

// node is a cube and what lies in it and in no octant of it.
type node struct {
	region  soa.AABB
	parent  *node
	objects index.List
	child   [8]*node
	active  uint8 // the children that exist
	lane    uint8 // of the parent

	// The lifespan in frames, and what is left of it; -1 while it is used.
	span, life int16
	listed     bool // among the dying
}

const (
	spanMin = 8
	spanMax = 64
)

func newNode(region soa.AABB, parent *node, lane int) *node {
	return &node{region: region, parent: parent, lane: uint8(lane), span: spanMin, life: -1}
}

// each calls f for the node and all below it.
func (n *node) each(f func(n *node)) {
	f(n)
	for m := n.active; m != 0; m &= m - 1 {
		n.child[bits.TrailingZeros8(m)].each(f)
	}
}

// alone reports whether the node is a leaf of one object, which may lie in an
// octant.
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

// octant returns the octant that holds a box of the cube, -1 if it straddles the
// border between octants. The border belongs to the upper one, so that boxes in
// two octants do not touch.
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

// holds reports whether a box may be at the node or below: it is in the cube and, unless that is the
// root, does not touch its upper border, which belongs to other cubes.
func (n *node) holds(b *soa.AABB) bool {
	up := &n.region.Max
	return n.region.Contains(*b) && (n.parent == nil || b.Max[0] < up[0] && b.Max[1] < up[1] && b.Max[2] < up[2])
}

// below returns the child of that octant and makes it if there is none.
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

// insert puts an item into the smallest cube from n downwards that holds it. n
// does.
func (t *Tree) insert(n *node, it index.Item) {
	for n.active != 0 || len(n.objects) > 0 {
		if !t.divisible(n) {
			break
		}
		if n.alone() {
			// Two are too many for a leaf.
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
	t.homes[it.ID] = home{n, int32(len(n.objects))}
	n.objects = append(n.objects, it)
	n.use()
}

// take removes an item from the list of a node.
func (t *Tree) take(h home) {
	h.node.objects = t.drop(h.node.objects, h.slot)
	t.fade(h.node)
}

// build makes the tree of all objects in the queue.
func (t *Tree) build() {
	items := t.pending
	bounds := soa.Empty()
	for i := range items {
		bounds = bounds.Union(items[i].Box)
	}
	t.root = newNode(t.cube(bounds), nil, 0)
	t.divide(t.root, items, make(index.List, len(items)))
	t.pending = nil // as large as the tree, and empty from now on
}

// cube returns a cube around a box, its side a power of two.
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
		// Rounding may take the sum below the old maximum.
		b.Max[a] = max(b.Max[a], float32(min(float64(b.Min[a])+side, math.MaxFloat32)))
	}
	return b
}

// divide builds the tree below n of items that its cube holds. It moves them
// about, and uses spare, which is as long, for that.
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

// settle makes the items the list of a node.
func (t *Tree) settle(n *node, items index.List) {
	n.objects = slices.Clone(items)
	for i := range items {
		t.homes[items[i].ID] = home{n, int32(i)}
	}
}
