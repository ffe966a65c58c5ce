package nevala

import (
	"math/bits"

	"github.com/zoctree/zoctree/soa"
)

// Pairs calls yield once for each two objects that overlap, unless both are
// static. yield must not change the tree.
func (t *Tree) Pairs(yield func(a, b uint32)) {
	t.pairs(func(a, b *item) { yield(a.id, b.id) })
}

// Record is an intersection of two objects.
type Record struct {
	Object, Other uint32

	// Position is the middle of what the boxes have in common.
	Position [3]float32

	// Normal is the axis on which the boxes are nearest to being apart,
	// from Object to Other; Depth is how far Other has to go that way.
	Normal [3]float32
	Depth  float32
}

// Intersections appends a record of every pair to dst.
func (t *Tree) Intersections(dst []Record) []Record {
	t.pairs(func(a, b *item) { dst = append(dst, record(a, b)) })
	return dst
}

func record(a, b *item) Record {
	common := soa.AABB{}
	r := Record{Object: a.id, Other: b.id}
	for k := range 3 {
		common.Min[k], common.Max[k] = max(a.Box.Min[k], b.Box.Min[k]), min(a.Box.Max[k], b.Box.Max[k])
		up, down := a.Box.Max[k]-b.Box.Min[k], b.Box.Max[k]-a.Box.Min[k]
		if d := min(up, down); k == 0 || d < r.Depth {
			r.Depth, r.Normal = d, [3]float32{}
			r.Normal[k] = 1
			if down < up {
				r.Normal[k] = -1
			}
		}
	}
	r.Position = common.Center()
	return r
}

func (t *Tree) pairs(yield func(a, b *item)) {
	t.flush()
	t.above = t.above[:0]
	if t.root != nil {
		t.meet(t.root, 0, yield)
	}
}

// meet tests the objects of a node against each other and against those from
// above that overlap its cube, t.above[from:], and hands on what overlaps the
// cubes below.
func (t *Tree) meet(n *node, from int, yield func(a, b *item)) {
	for i := range n.objects {
		a := &n.objects[i]
		test(a, t.above[from:], yield)
		test(a, n.objects[:i], yield)
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

// test reports the overlaps of an object with others.
func test(a *item, others []item, yield func(a, b *item)) {
	for i := range others {
		if b := &others[i]; !(a.Static && b.Static) && a.Box.Overlaps(b.Box) {
			yield(b, a)
		}
	}
}

// hand puts the items that overlap a cube on the list from above.
func (t *Tree) hand(items []item, region *soa.AABB) {
	for i := range items {
		if items[i].Box.Overlaps(*region) {
			t.above = append(t.above, items[i])
		}
	}
}
