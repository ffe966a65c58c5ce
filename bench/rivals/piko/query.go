package piko

import (
	"github.com/zoctree/zoctree/bench/rivals/index"
)

// Append appends the IDs of the objects that intersect the volume to dst.
func (t *Tree) Append(dst []uint32, v *index.Volume) []uint32 {
	dst = t.outside.objects.Append(dst, v)
	if t.root == nil {
		return dst
	}
	return t.root.walk(dst, v)
}

// walk searches a node whose enlarged cell intersects the volume.
func (n *node) walk(dst []uint32, v *index.Volume) []uint32 {
	dst = n.objects.Append(dst, v)
	for _, c := range n.children {
		switch {
		case c == nil || !v.Meets(&c.loose):
		case v.Holds(&c.loose):
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
	for _, c := range n.children {
		if c != nil {
			dst = c.all(dst)
		}
	}
	return dst
}

// AppendHits appends the hits of the ray to dst, by time, then ID.
func (t *Tree) AppendHits(dst []index.Hit, r *index.Ray) []index.Hit {
	t.found.Reset()
	t.outside.hits(r, &t.found)
	if t.root != nil {
		t.root.hits(r, &t.found)
	}
	return t.found.Append(dst)
}

func (n *node) hits(r *index.Ray, found *index.Found) {
	n.objects.Hits(r, found)
	for _, c := range n.children {
		if c != nil {
			if _, ok := r.Enter(&c.loose); ok {
				c.hits(r, found)
			}
		}
	}
}

// First returns the first hit of the ray, of equal times the smallest ID.
func (t *Tree) First(r *index.Ray) (index.Hit, bool) {
	var f index.First
	t.outside.first(r, &f)
	if t.root != nil {
		t.root.first(r, &f)
	}
	return f.Hit()
}

// first searches a node, its children front to back.
func (n *node) first(r *index.Ray, f *index.First) {
	n.objects.First(r, f)
	var order index.Order
	for lane, c := range n.children {
		if c != nil {
			if at, ok := r.Enter(&c.loose); ok {
				order.Put(at, lane)
			}
		}
	}
	for i := range order.Len {
		if f.Later(order.At[i]) {
			return
		}
		n.children[order.Lane[i]].first(r, f)
	}
}

// Pairs calls yield once for each two objects that overlap, unless both are static. It runs a query for each
// object. yield must not change the tree.
func (t *Tree) Pairs(yield func(a, b uint32)) {
	t.each(func(n *node) {
		for i := range n.objects {
			t.outside.touch(&n.objects[i], yield)
			if t.root != nil {
				t.root.touch(&n.objects[i], yield)
			}
		}
	})
}

// touch reports the overlaps of an object with objects of larger IDs.
func (n *node) touch(a *index.Item, yield func(a, b uint32)) {
	for i := range n.objects {
		if b := &n.objects[i]; b.ID > a.ID && a.Overlaps(b) {
			yield(a.ID, b.ID)
		}
	}
	for _, c := range n.children {
		if c != nil && a.Box.Overlaps(c.loose) {
			c.touch(a, yield)
		}
	}
}
