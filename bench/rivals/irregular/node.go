package irregular

import (
	"math"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/soa"
)

// node is a leaf, or is split by up to three planes. The list of a leaf holds all its objects; the list of
// another node holds the objects on its enabled planes.
type node struct {
	box   soa.AABB // contains all objects and boxes of the subtree; their exact union, if fresh
	fresh bool
	on    uint8 // enabled planes; 0: a leaf
	kids  uint8 // number of children
	lane  uint8 // index in the parent
	wait  int32 // changes of the list until the next attempt to split
	plane [3]float32

	parent  *node
	child   [8]*node
	objects index.List
}

func newNode(parent *node, lane int) *node {
	return &node{box: soa.Empty(), fresh: true, parent: parent, lane: uint8(lane)}
}

// each calls f for the node and its descendants.
func (n *node) each(f func(n *node)) {
	f(n)
	for _, c := range n.child {
		if c != nil {
			c.each(f)
		}
	}
}

func (n *node) empty() bool { return n.kids == 0 && len(n.objects) == 0 }

// side returns the child for a box, or -1 if the node is a leaf or the box lies on an enabled plane. A box
// that touches the plane from above is above, so boxes in two children do not touch.
func (n *node) side(b *soa.AABB) (lane int) {
	if n.on == 0 {
		return -1
	}
	for a := range 3 {
		switch {
		case n.on>>a&1 == 0 || b.Max[a] < n.plane[a]:
		case b.Min[a] >= n.plane[a]:
			lane |= 1 << a
		default:
			return -1
		}
	}
	return lane
}

// target returns the node for a box, and the index of the child to create, or -1.
func (t *Tree) target(b *soa.AABB) (n *node, lane int) {
	n = t.root
	for lane = n.side(b); lane >= 0; lane = n.side(b) {
		if n.child[lane] == nil {
			return n, lane
		}
		n = n.child[lane]
	}
	return n, -1
}

// insertItem stores an item.
func (t *Tree) insertItem(it index.Item) {
	n, lane := t.target(&it.Box)
	if lane >= 0 {
		n.child[lane] = newNode(n, lane)
		n.kids++
		n = n.child[lane]
	}
	t.homes[it.ID] = location{n, int32(len(n.objects))}
	n.objects = append(n.objects, it)
	n.wait = max(n.wait-1, 0)
	n.widen(&it.Box)
}

// take removes an item and returns it; the last item of the list moves into the gap.
func (t *Tree) take(h *location) index.Item {
	n, it := h.node, h.node.objects[h.slot]
	last := len(n.objects) - 1
	n.objects[h.slot] = n.objects[last]
	t.homes[n.objects[h.slot].ID].slot = h.slot
	n.objects = n.objects[:last]
	n.wait = max(n.wait-1, 0)
	*h = location{}
	n.shed(&it.Box)
	t.prune(n)
	return it
}

// prune frees an empty node, and the branch above it that contains nothing else. A node with one child and no
// objects is replaced by its child. The root is kept.
func (t *Tree) prune(n *node) {
	for n.empty() && n.parent != nil {
		p := n.parent
		p.child[n.lane] = nil
		if p.kids--; p.kids == 0 {
			p.on, p.wait = 0, 0 // becomes a leaf
		}
		n = p
	}
	if n.kids == 1 && len(n.objects) == 0 {
		t.replace(n)
	}
}

// replace replaces a node by its only child.
func (t *Tree) replace(n *node) {
	for _, c := range n.child {
		if c == nil {
			continue
		}
		c.parent, c.lane = n.parent, n.lane
		if n.parent == nil {
			t.root = c
		} else {
			n.parent.child[n.lane] = c
		}
	}
}

// widen enlarges the boxes of a node and its ancestors by an added box.
func (n *node) widen(b *soa.AABB) {
	for ; n != nil && !n.box.Contains(*b); n = n.parent {
		n.box = n.box.Union(*b)
	}
}

// shed records the removal of a box: from the node upwards, boxes that it may have spanned are no longer
// fresh.
func (n *node) shed(b *soa.AABB) {
	for ; n != nil; n = n.parent {
		x := &n.box
		if n.fresh && x.Min[0] < b.Min[0] && b.Max[0] < x.Max[0] && x.Min[1] < b.Min[1] && b.Max[1] < x.Max[1] &&
			x.Min[2] < b.Min[2] && b.Max[2] < x.Max[2] {
			return // and does not span the ancestors' boxes
		}
		n.fresh = false
	}
}

// visit refreshes the box of a node and splits it if it has too many objects. A query calls it for each node
// that it reaches.
func (n *node) visit(t *Tree) {
	n.refresh()
	if n.on == 0 && len(n.objects) > t.cfg.SplitAbove && n.wait == 0 {
		n.split(t)
	}
}

// refresh recomputes the box of a node if it is not fresh.
func (n *node) refresh() {
	if n.fresh {
		return
	}
	b := soa.Empty()
	for i := range n.objects {
		b = b.Union(n.objects[i].Box)
	}
	for _, c := range n.child {
		if c != nil {
			c.refresh()
			b = b.Union(c.box)
		}
	}
	n.box, n.fresh = b, true
}

// split divides a fresh leaf by planes through the weighted mean of its objects, if a plane separates them.
func (n *node) split(t *Tree) {
	n.aim()
	on, best := n.enable(&t.cfg)
	n.on = on
	counts, parted := n.parts()
	if parted == 0 && on != best {
		// Every object lies on some plane, but not all on the best one.
		n.on = best
		counts, parted = n.parts()
	}
	if parted == 0 {
		n.on, n.wait = 0, int32(len(n.objects))
		return
	}
	t.splits++
	for lane, count := range counts {
		if count > 0 {
			n.child[lane] = newNode(n, lane)
			n.child[lane].objects = make(index.List, 0, count)
			n.kids++
		}
	}
	old, stay := n.objects, make(index.List, 0, len(n.objects)-parted)
	for _, it := range old {
		lane := n.side(&it.Box)
		if lane < 0 {
			t.homes[it.ID].slot = int32(len(stay))
			stay = append(stay, it)
			continue
		}
		c := n.child[lane]
		h := &t.homes[it.ID]
		h.node, h.slot = c, int32(len(c.objects))
		c.objects = append(c.objects, it)
		c.box = c.box.Union(it.Box)
	}
	n.objects = stay
}

// enable returns the planes to enable, and the best one of them. It selects, up to the configured number,
// planes that separate the objects, with the fewest objects on them. A plane with more than the share of
// straddlers is disabled; if that holds for all planes, those with the fewest straddlers are enabled. Both
// results are 0 if no plane separates anything.
func (n *node) enable(cfg *Config) (on, best uint8) {
	total := len(n.objects)
	var straddlers [3]int // total if the plane separates nothing
	for a := range 3 {
		below, above := 0, 0
		for i := range n.objects {
			switch b := &n.objects[i].Box; {
			case b.Max[a] < n.plane[a]:
				below++
			case b.Min[a] >= n.plane[a]:
				above++
			}
		}
		if straddlers[a] = total - below - above; below == total || above == total {
			straddlers[a] = total
		}
	}
	most := max(int(max(cfg.Straddlers, 0)*float64(total)), min(straddlers[0], straddlers[1], straddlers[2]))
	for range cfg.Planes {
		next := -1
		for a, s := range straddlers {
			if on>>a&1 == 0 && s <= most && s < total && (next < 0 || s < straddlers[next]) {
				next = a
			}
		}
		if next < 0 {
			break
		}
		if on |= 1 << next; best == 0 {
			best = on
		}
	}
	return on, best
}

// parts returns the number of objects for each child, and their sum.
func (n *node) parts() (counts [8]int, parted int) {
	for i := range n.objects {
		if lane := n.side(&n.objects[i].Box); lane >= 0 {
			counts[lane]++
			parted++
		}
	}
	return counts, parted
}

// aim moves the planes to the mean of the centres of the objects, each weighted by the inverse of its radius,
// so that clusters of small objects dominate.
func (n *node) aim() {
	span := 0.0
	for a := range 3 {
		span = max(span, float64(n.box.Max[a])-float64(n.box.Min[a]))
	}
	// A point has the weight of a very small object.
	least := max(span*0x1p-24, 0x1p-200)
	var sum [3]float64
	total := 0.0
	for i := range n.objects {
		b := &n.objects[i].Box
		w := weight(b, least)
		total += w
		c := b.Center()
		for a := range 3 {
			sum[a] += float64(float64(c[a]) * w)
		}
	}
	for a := range 3 {
		n.plane[a] = float32(sum[a] / total)
	}
}

// weight returns the inverse of the radius of a box, its half diagonal; radii below least count as least.
func weight(b *soa.AABB, least float64) float64 {
	sum := 0.0
	for a := range 3 {
		e := float64(b.Max[a]) - float64(b.Min[a])
		sum += float64(e * e)
	}
	return 1 / max(math.Sqrt(sum)/2, least)
}
