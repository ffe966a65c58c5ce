package nevala

import (
	"math/bits"

	"github.com/zoctree/zoctree/bench/rivals/index"
)

// Append appends the IDs of the objects that intersect the volume to dst.
func (t *Tree) Append(dst []uint32, v *index.Volume) []uint32 {
	t.flush()
	if t.root == nil {
		return dst
	}
	return t.root.walk(dst, v)
}

// walk searches a node whose cube intersects the volume.
func (n *node) walk(dst []uint32, v *index.Volume) []uint32 {
	dst = n.objects.Append(dst, v)
	for m := n.active; m != 0; m &= m - 1 {
		c := n.child[bits.TrailingZeros8(m)]
		switch {
		case !v.Meets(&c.region):
		case v.Holds(&c.region):
			dst = c.all(dst)
		default:
			dst = c.walk(dst, v)
		}
	}
	return dst
}

// all appends the objects of a node and its descendants.
func (n *node) all(dst []uint32) []uint32 {
	dst = n.objects.All(dst)
	for m := n.active; m != 0; m &= m - 1 {
		dst = n.child[bits.TrailingZeros8(m)].all(dst)
	}
	return dst
}

// AppendHits appends the hits of the ray to dst, by time, then ID.
func (t *Tree) AppendHits(dst []index.Hit, r *index.Ray) []index.Hit {
	t.flush()
	if t.root == nil {
		return dst
	}
	t.found.Reset()
	t.root.hits(r, &t.found)
	return t.found.Append(dst)
}

func (n *node) hits(r *index.Ray, found *index.Found) {
	n.objects.Hits(r, found)
	for m := n.active; m != 0; m &= m - 1 {
		c := n.child[bits.TrailingZeros8(m)]
		if _, ok := r.Enter(&c.region); ok {
			c.hits(r, found)
		}
	}
}

// First returns the first hit of the ray, of equal times the smallest ID.
func (t *Tree) First(r *index.Ray) (index.Hit, bool) {
	t.flush()
	var f index.First
	if t.root != nil {
		t.root.first(r, &f)
	}
	return f.Hit()
}

// first searches a node, its children front to back.
func (n *node) first(r *index.Ray, f *index.First) {
	n.objects.First(r, f)
	var order index.Order
	for m := n.active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros8(m)
		if at, ok := r.Enter(&n.child[lane].region); ok {
			order.Put(at, lane)
		}
	}
	for i := range order.Len {
		if f.Later(order.At[i]) {
			return
		}
		n.child[order.Lane[i]].first(r, f)
	}
}
