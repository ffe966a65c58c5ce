package piko

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/soa"
)

// Config is the settings of a tree. Zero fields select the defaults.
type Config struct {
	// SplitAbove is the number of objects above which a leaf is split; 0 means 32.
	SplitAbove int

	// MergeBelow is the number of objects below which a subtree becomes a leaf: at most SplitAbove, so that a
	// leaf just split is not merged; 0 means half of SplitAbove.
	MergeBelow int

	// Enlarge is the enlargement of a cell relative to its share of the parent, in per cent; 0 means 25, a
	// negative number none.
	Enlarge float32

	// OutsideAbove and OutsideShare limit the number of objects outside the root: to OutsideAbove, or to that
	// share of all objects, from 0 to 1, if it is more. Beyond the limit the root grows. An OutsideAbove of 0
	// means SplitAbove, a negative one none.
	OutsideAbove int
	OutsideShare float64

	// Middle gives a node 27 children instead of 8: a cell of the same size over the border between each two
	// octants.
	Middle bool
}

// location is the location of an object.
type location struct {
	node *node // nil: not stored
	slot int32
}

// Tree is the octree. Any number of goroutines may run volume queries, first-hit queries and pair searches
// while none changes it. Queries allocate only for results.
type Tree struct {
	cfg   Config
	fan   int        // cells of a node along an axis: 2 or 3
	grown float64    // side of an enlarged cell / side of its cell
	root  *node      // nil: empty
	homes []location // by ID
	spare index.List
	found index.Found // scratch of AppendHits, which is for one goroutine at a time

	// outside is a leaf that is not part of the tree: the objects that do not fit the root. It is empty if there
	// is no root.
	outside node
}

var _ index.Octree = (*Tree)(nil)

// New returns an empty tree. It panics if the limits of a leaf are negative or contradict each other, Enlarge
// is not finite or OutsideShare not from 0 to 1.
func New(cfg Config) *Tree {
	if cfg.SplitAbove == 0 {
		cfg.SplitAbove = 32
	}
	if cfg.MergeBelow == 0 {
		cfg.MergeBelow = (cfg.SplitAbove + 1) / 2
	}
	if cfg.Enlarge == 0 {
		cfg.Enlarge = 25
	}
	if cfg.OutsideAbove == 0 {
		cfg.OutsideAbove = cfg.SplitAbove
	}
	if cfg.MergeBelow < 0 || cfg.SplitAbove < cfg.MergeBelow || cfg.Enlarge-cfg.Enlarge != 0 ||
		!(cfg.OutsideShare >= 0 && cfg.OutsideShare <= 1) {
		panic(fmt.Sprintf("piko: split above %d, merge below %d, enlarge by %v %%, a share of %v outside",
			cfg.SplitAbove, cfg.MergeBelow, cfg.Enlarge, cfg.OutsideShare))
	}
	t := &Tree{cfg: cfg, fan: 2, grown: 1 + float64(max(cfg.Enlarge, 0))/100}
	if cfg.Middle {
		t.fan = 3
	}
	return t
}

// Build replaces the contents by these objects, in time proportional to their number and the depth.
func (t *Tree) Build(objects []soa.Object) {
	t.root = nil
	t.outside.objects = t.outside.objects[:0]
	clear(t.homes)
	t.homes = slices.Grow(t.homes[:0], len(objects))[:len(objects)]
	if len(objects) == 0 {
		return
	}
	items, bounds := make(index.List, len(objects)), soa.Empty()
	for i := range objects {
		items[i] = index.Item{Object: objects[i], ID: uint32(i)}
		bounds = bounds.Union(objects[i].Box)
	}
	t.root = t.around(bounds)
	t.divide(t.root, items, make(index.List, len(items)))
}

// Insert stores an object, in time proportional to the depth. Objects that do not fit the root stay outside,
// up to the limits of [Config].
func (t *Tree) Insert(id uint32, o soa.Object) {
	for int(id) >= len(t.homes) {
		t.homes = append(t.homes, location{})
	}
	if t.homes[id].node != nil {
		panic(fmt.Sprintf("piko: object %d is stored", id))
	}
	t.enter(index.Item{Object: o, ID: id})
	t.admit()
}

// find returns the location of a stored object.
func (t *Tree) find(id uint32) location {
	if int(id) >= len(t.homes) || t.homes[id].node == nil {
		panic(fmt.Sprintf("piko: object %d is not stored", id))
	}
	return t.homes[id]
}

// Remove removes an object, in time proportional to the depth. A subtree that becomes too small is merged.
func (t *Tree) Remove(id uint32) {
	h := t.find(id)
	t.take(h)
	t.homes[id] = location{}
	if h.node != &t.outside {
		t.leave(h.node, nil)
	}
	t.admit()
}

// Move changes the box of an object. The object stays while its enlarged cell contains the box; otherwise it
// climbs to the first cell that does, and descends from there, or moves outside.
func (t *Tree) Move(id uint32, box soa.AABB) {
	h := t.find(id)
	n := h.node
	it := &n.objects[h.slot]
	it.Box = box
	if n == &t.outside {
		if t.root.loose.Contains(box) {
			moved := *it
			t.take(h)
			t.enter(moved)
		}
		return
	}
	if n.loose.Contains(box) && t.fit(n, &box) < 0 {
		return
	}
	moved := *it
	t.take(h)
	to := n
	for to != nil && !to.loose.Contains(box) {
		to = to.parent
	}
	t.leave(n, to)
	if to != nil {
		t.insertBelow(to, moved)
		return
	}
	t.expel(moved)
	t.admit()
}

// Tick ends a frame: the root shrinks.
func (t *Tree) Tick() { t.shrink() }

// Bytes returns the memory of nodes, lists and tables.
func (t *Tree) Bytes() int {
	n := t.spare.Bytes() + cap(t.homes)*int(unsafe.Sizeof(location{}))
	t.each(func(x *node) {
		n += int(unsafe.Sizeof(*x)) + x.objects.Bytes() + cap(x.children)*int(unsafe.Sizeof(x))
	})
	return n
}

// each calls f for all nodes and for the outside leaf.
func (t *Tree) each(f func(n *node)) {
	f(&t.outside)
	if t.root != nil {
		t.root.each(f)
	}
}

// World returns the enlarged cell of the root, which may not contain all objects; ok is false for an empty
// tree.
func (t *Tree) World() (b soa.AABB, ok bool) {
	if t.root == nil {
		return b, false
	}
	return t.root.loose, true
}

// Stats returns the shape of the tree.
func (t *Tree) Stats() (s index.Stats) {
	if t.root != nil {
		t.root.measure(&s, 1)
	}
	return s
}

func (n *node) measure(s *index.Stats, depth int) {
	s.Add(depth, len(n.objects), n.children == nil)
	for _, c := range n.children {
		if c != nil {
			c.measure(s, depth+1)
		}
	}
}
