package nevala

import (
	"math/bits"

	"github.com/zoctree/zoctree/bench/rivals/index"
)

// Query asks for some types of object only.
type Query struct {
	t     *Tree
	types uint32
}

// Only returns queries for the objects whose type mask has a bit in common with
// types; 0 stands for all objects.
func (t *Tree) Only(types uint32) Query { return Query{t, types} }

// Append appends the IDs of the objects that meet the volume to dst.
func (t *Tree) Append(dst []uint32, v *index.Volume) []uint32 { return t.Only(0).Append(dst, v) }

// AppendHits appends what the ray meets to dst, by time, then ID.
func (t *Tree) AppendHits(dst []index.Hit, r *index.Ray) []index.Hit {
	return t.Only(0).AppendHits(dst, r)
}

// First returns what the ray meets first, of equals the smallest ID.
func (t *Tree) First(r *index.Ray) (index.Hit, bool) { return t.Only(0).First(r) }

// Append appends the IDs of the objects that meet the volume to dst.
func (q Query) Append(dst []uint32, v *index.Volume) []uint32 {
	q.t.flush()
	if q.t.root == nil {
		return dst
	}
	return q.walk(dst, q.t.root, v)
}

// wants reports whether an object is of the types asked for.
func (q Query) wants(it *index.Item) bool { return q.types == 0 || it.Mask&q.types != 0 }

// walk tests a node whose cube meets the volume.
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

// all appends the objects of a node and all below it.
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

// AppendHits appends what the ray meets to dst, by time, then ID.
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

// First returns what the ray meets first, of equals the smallest ID.
func (q Query) First(r *index.Ray) (index.Hit, bool) {
	q.t.flush()
	var f index.First
	if q.t.root != nil {
		q.first(q.t.root, r, &f)
	}
	return f.Hit()
}

// first looks into a node, the nearest child first.
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
