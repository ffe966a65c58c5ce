package irregular

import "github.com/zoctree/zoctree/bench/rivals/index"

// Append appends the IDs of the objects that intersect the volume to dst.
func (t *Tree) Append(dst []uint32, v *index.Volume) []uint32 {
	return t.ask(dst, v, true)
}

// AppendCandidates appends the IDs of all objects in nodes whose box intersects the volume: a query in the
// report's sense, before culling of single objects. The result contains that of [Tree.Append].
func (t *Tree) AppendCandidates(dst []uint32, v *index.Volume) []uint32 {
	return t.ask(dst, v, false)
}

func (t *Tree) ask(dst []uint32, v *index.Volume, cull bool) []uint32 {
	clear(t.rejected)
	t.rejected = t.rejected[:0]
	return t.root.enter(t, dst, v, cull)
}

// enter tests the box of a node, and then its contents.
func (n *node) enter(t *Tree, dst []uint32, v *index.Volume, cull bool) []uint32 {
	n.refresh()
	if n.empty() {
		return dst
	}
	if !v.Meets(&n.box) {
		t.reject(n)
		return dst
	}
	if v.Holds(&n.box) {
		return n.all(dst)
	}
	n.visit(t)
	if cull {
		dst = n.objects.Append(dst, v)
	} else {
		dst = n.objects.All(dst)
	}
	for _, c := range n.child {
		if c != nil {
			dst = c.enter(t, dst, v, cull)
		}
	}
	return dst
}

// all appends the objects of a node and its descendants.
func (n *node) all(dst []uint32) []uint32 {
	dst = n.objects.All(dst)
	for _, c := range n.child {
		if c != nil {
			dst = c.all(dst)
		}
	}
	return dst
}

// AppendHits appends the hits of the ray to dst, by time, then ID.
func (t *Tree) AppendHits(dst []index.Hit, r *index.Ray) []index.Hit {
	t.found.Reset()
	t.root.hits(t, r)
	return t.found.Append(dst)
}

func (n *node) hits(t *Tree, r *index.Ray) {
	n.refresh()
	if n.empty() {
		return
	}
	if _, ok := r.Enter(&n.box); !ok {
		return
	}
	n.visit(t)
	n.objects.Hits(r, &t.found)
	for _, c := range n.child {
		if c != nil {
			c.hits(t, r)
		}
	}
}

// First returns the first hit of the ray, of equal times the smallest ID.
func (t *Tree) First(r *index.Ray) (index.Hit, bool) {
	var f index.First
	t.root.first(t, r, &f)
	return f.Hit()
}

// first searches a node, its children front to back.
func (n *node) first(t *Tree, r *index.Ray, f *index.First) {
	n.visit(t)
	n.objects.First(r, f)
	var order index.Order
	for lane, c := range n.child {
		if c == nil || c.empty() {
			continue
		}
		c.refresh()
		if at, ok := r.Enter(&c.box); ok {
			order.Put(at, lane)
		}
	}
	for i := range order.Len {
		if f.Later(order.At[i]) {
			return
		}
		n.child[order.Lane[i]].first(t, r, f)
	}
}

// Pairs calls yield once for each two objects that overlap, unless both are static. Objects in two children
// do not touch, so an object is tested only with its node and the subtree. yield must not change the tree.
func (t *Tree) Pairs(yield func(a, b uint32)) {
	t.Settle()
	t.root.each(func(n *node) {
		for i := range n.objects {
			a := &n.objects[i]
			n.objects[:i].Pairs(a, yield)
			n.touch(a, yield)
		}
	})
}

// touch reports the overlaps of an object with the objects below a node.
func (n *node) touch(a *index.Item, yield func(a, b uint32)) {
	for _, c := range n.child {
		if c != nil && a.Box.Overlaps(c.box) {
			c.objects.Pairs(a, yield)
			c.touch(a, yield)
		}
	}
}
