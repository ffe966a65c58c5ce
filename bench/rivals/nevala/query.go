package nevala

import (
	"math/bits"

	"github.com/zoctree/zoctree/bench/rivals/index"
)

// Query is a query for objects of some types.
type Query struct {
	t     *Tree
	types uint32
}

// Only returns queries for the objects whose type mask has a bit in common with types; 0 selects all objects.
func (t *Tree) Only(types uint32) Query { return Query{t, types} }

// Append appends the IDs of the objects that intersect the volume to dst.
func (t *Tree) Append(dst []uint32, v *index.Volume) []uint32 { return t.Only(0).Append(dst, v) }

// AppendHits appends the hits of the ray to dst, by time, then ID.
func (t *Tree) AppendHits(dst []index.Hit, r *index.Ray) []index.Hit {
	return t.Only(0).AppendHits(dst, r)
}

// First returns the first hit of the ray, of equal times the smallest ID.
func (t *Tree) First(r *index.Ray) (index.Hit, bool) { return t.Only(0).First(r) }

// Append appends the IDs of the objects that intersect the volume to dst.
func (q Query) Append(dst []uint32, v *index.Volume) []uint32 {
	q.t.flush()
	if q.t.root == nil {
		return dst
	}
	return q.walk(dst, q.t.root, v)
}

// wants reports whether an object is of a selected type.
func (q Query) wants(it *index.Item) bool { return q.types == 0 || it.Mask&q.types != 0 }

// walk searches a node whose cube intersects the volume.
func (q Query) walk(dst []uint32, n *node, v *index.Volume) []uint32 {
	for i := range n.objects {
		if it := &n.objects[i]; q.wants(it) && q.t.balls.Meets(v, it) {
			dst = append(dst, it.ID)
		}
	}
	for m := n.active; m != 0; m &= m - 1 {
		c := n.child[bits.TrailingZeros8(m)]
		switch {
		case !v.Meets(&c.region):
		case v.Holds(&c.region):
			dst = q.all(dst, c)
		default:
			dst = q.walk(dst, c, v)
		}
	}
	return dst
}

// all appends the objects of a node and its descendants.
func (q Query) all(dst []uint32, n *node) []uint32 {
	for i := range n.objects {
		if it := &n.objects[i]; q.wants(it) {
			dst = append(dst, it.ID)
		}
	}
	for m := n.active; m != 0; m &= m - 1 {
		dst = q.all(dst, n.child[bits.TrailingZeros8(m)])
	}
	return dst
}

// AppendHits appends the hits of the ray to dst, by time, then ID.
func (q Query) AppendHits(dst []index.Hit, r *index.Ray) []index.Hit {
	q.t.flush()
	if q.t.root == nil {
		return dst
	}
	q.t.found.Reset()
	q.hits(q.t.root, r)
	return q.t.found.Append(dst)
}

func (q Query) hits(n *node, r *index.Ray) {
	for i := range n.objects {
		if it := &n.objects[i]; q.wants(it) {
			if at, ok := r.Enter(&it.Box); ok {
				q.t.found.Take(it.ID, at)
			}
		}
	}
	for m := n.active; m != 0; m &= m - 1 {
		c := n.child[bits.TrailingZeros8(m)]
		if _, ok := r.Enter(&c.region); ok {
			q.hits(c, r)
		}
	}
}

// First returns the first hit of the ray, of equal times the smallest ID.
func (q Query) First(r *index.Ray) (index.Hit, bool) {
	q.t.flush()
	var f index.First
	if q.t.root != nil {
		q.first(q.t.root, r, &f)
	}
	return f.Hit()
}

// first searches a node, its children front to back.
func (q Query) first(n *node, r *index.Ray, f *index.First) {
	for i := range n.objects {
		if it := &n.objects[i]; q.wants(it) {
			if at, ok := r.Enter(&it.Box); ok {
				f.Take(it.ID, at)
			}
		}
	}
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
		q.first(n.child[order.Lane[i]], r, f)
	}
}
