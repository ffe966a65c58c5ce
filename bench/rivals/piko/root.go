package piko

import (
	"math"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/soa"
)

// around returns a leaf whose cell contains a box.
func (t *Tree) around(b soa.AABB) *node {
	n := &node{center: b.Center()}
	for a := range 3 {
		n.half = max(n.half, float32(min(float64(b.Max[a])-float64(b.Min[a]), 0x1p127))/2)
	}
	n.half = max(n.half, 0x1p-100)
	n.loose = t.enlarged(n.center, n.half).Union(b)
	return n
}

// enter stores an item in the tree, or outside.
func (t *Tree) enter(it index.Item) {
	if t.root == nil {
		t.root = t.around(it.Box)
	}
	if !t.root.loose.Contains(it.Box) {
		t.expel(it)
		return
	}
	t.root.count++
	t.insertBelow(t.root, it)
}

// expel stores an item outside.
func (t *Tree) expel(it index.Item) {
	list := &t.outside.objects
	t.homes[it.ID] = location{&t.outside, int32(len(*list))}
	*list = append(*list, it)
}

// crowded reports whether too many objects are outside.
func (t *Tree) crowded() bool {
	n := len(t.outside.objects)
	inside := 0
	if t.root != nil {
		inside = int(t.root.count)
	}
	return n > max(t.cfg.OutsideAbove, 0) && float64(n) > t.cfg.OutsideShare*float64(inside+n)
}

// admit grows the root until few enough objects are outside. If the tree is empty, it creates a new root
// around an object outside.
func (t *Tree) admit() {
	if t.root != nil && t.root.count == 0 {
		t.root = nil
	}
	if t.root == nil && len(t.outside.objects) > 0 {
		t.root = t.around(t.outside.objects[0].Box)
		t.readmit()
	}
	for t.crowded() {
		t.grow(t.outermost())
		t.readmit()
	}
}

// readmit stores the outside objects that fit the root in the tree.
func (t *Tree) readmit() {
	for i := 0; i < len(t.outside.objects); {
		it := t.outside.objects[i]
		if !t.root.loose.Contains(it.Box) {
			i++
			continue
		}
		t.take(location{&t.outside, int32(i)})
		t.enter(it)
	}
}

// outermost returns the octant, relative to the middle of the root, with most of the outside objects, as a
// bit for each axis: 1 is above.
func (t *Tree) outermost() (octant int) {
	var counts [8]int
	for i := range t.outside.objects {
		o, c := 0, t.outside.objects[i].Box.Center()
		for a := range 3 {
			if c[a] >= t.root.center[a] {
				o |= 1 << a
			}
		}
		if counts[o]++; counts[o] > counts[octant] || counts[o] == counts[octant] && o < octant {
			octant = o
		}
	}
	return octant
}

// grow doubles the root towards an octant. The old root becomes one of its
// children, unless it is a leaf.
func (t *Tree) grow(octant int) {
	old := t.root
	r := &node{center: old.center, half: 2 * old.half, count: old.count}
	scale, lane := 1, 0
	for a := range 3 {
		step := old.half
		if octant>>a&1 == 0 {
			step = -step
			lane += scale * (t.fan - 1)
		}
		r.center[a] = min(max(old.center[a]+step, -math.MaxFloat32), math.MaxFloat32)
		scale *= t.fan
	}
	if r.half >= 0x1p127 {
		r.half, r.loose = 0x1p127, everything
	} else {
		r.loose = t.enlarged(r.center, r.half).Union(old.loose)
	}
	if old.children == nil {
		old.center, old.half, old.loose = r.center, r.half, r.loose
		return
	}
	r.children = make([]*node, t.fan*t.fan*t.fan)
	r.children[lane] = old
	old.parent, old.lane = r, uint8(lane)
	t.root = r
}

// shrink repeatedly replaces the root by the one child that contains all objects.
func (t *Tree) shrink() {
	for t.root != nil && t.root.children != nil && len(t.root.objects) == 0 {
		var only *node
		for _, c := range t.root.children {
			if c != nil && c.count == t.root.count {
				only = c
			}
		}
		if only == nil {
			return
		}
		only.parent = nil
		t.root = only
	}
}
