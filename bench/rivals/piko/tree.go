package piko

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/soa"
)

// Config is the settings of a tree. Zero fields are the defaults.
type Config struct {
	// SplitAbove is the number of objects above which a leaf is split; 0
	// means 32.
	SplitAbove int

	// MergeBelow is the number of objects in a subtree below which it becomes
	// a leaf: at most SplitAbove, so that a leaf just split is not merged; 0
	// means half of SplitAbove.
	MergeBelow int

	// Enlarge is by how much a cell is larger than its share of the parent,
	// in per cent; 0 means 25, a negative number none.
	Enlarge float32

	// Middle gives a node 27 children in place of 8: between each two octants
	// there is a cell of their size over the border.
	Middle bool
}

// item is an object in the list of a node.
type item struct {
	soa.Object
	id uint32
}

// home is where an object is.
type home struct {
	node *node // nil: nowhere
	slot int32
}

// Tree is the octree. Any number of goroutines may ask for volumes, first hits
// and pairs while none changes it. Queries allocate only for answers.
type Tree struct {
	cfg   Config
	fan   int     // cells of a node along an axis: 2 or 3
	grown float64 // the enlarged cell / its cell
	root  *node   // nil: empty
	homes []home  // by ID
	spare []item
	found index.Found // of AppendHits, which is for one goroutine at a time
}

var (
	_ index.Index     = (*Tree)(nil)
	_ index.Inserter  = (*Tree)(nil)
	_ index.Remover   = (*Tree)(nil)
	_ index.Mover     = (*Tree)(nil)
	_ index.Ticker    = (*Tree)(nil)
	_ index.Volumes   = (*Tree)(nil)
	_ index.Rays      = (*Tree)(nil)
	_ index.Pairs     = (*Tree)(nil)
	_ index.Shaper    = (*Tree)(nil)
	_ index.Validator = (*Tree)(nil)
)

// New returns an empty tree. It panics if the bounds of a leaf are negative or
// contradict each other, or Enlarge is not finite.
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
	if cfg.MergeBelow < 0 || cfg.SplitAbove < cfg.MergeBelow || cfg.Enlarge-cfg.Enlarge != 0 {
		panic(fmt.Sprintf("piko: split above %d, merge below %d, enlarge by %v %%", cfg.SplitAbove, cfg.MergeBelow, cfg.Enlarge))
	}
	t := &Tree{cfg: cfg, fan: 2, grown: 1 + float64(max(cfg.Enlarge, 0))/100}
	if cfg.Middle {
		t.fan = 3
	}
	return t
}

// Build replaces everything by these objects, in time proportional to their
// number and the depth.
func (t *Tree) Build(objects []soa.Object) {
	t.root = nil
	clear(t.homes)
	t.homes = slices.Grow(t.homes[:0], len(objects))[:len(objects)]
	if len(objects) == 0 {
		return
	}
	items, bounds := make([]item, len(objects)), soa.Empty()
	for i := range objects {
		items[i] = item{objects[i], uint32(i)}
		bounds = bounds.Union(objects[i].Box)
	}
	t.root = t.around(bounds)
	t.divide(t.root, items, make([]item, len(items)))
}

// around returns a leaf whose cell holds a box.
func (t *Tree) around(b soa.AABB) *node {
	n := &node{center: b.Center()}
	for a := range 3 {
		n.half = max(n.half, float32(min(float64(b.Max[a])-float64(b.Min[a]), 0x1p127))/2)
	}
	n.half = max(n.half, 0x1p-100)
	n.loose = t.enlarged(n.center, n.half).Union(b)
	return n
}

// Insert stores an object, in time proportional to the depth. The root grows
// until it holds it.
func (t *Tree) Insert(id uint32, o soa.Object) {
	for int(id) >= len(t.homes) {
		t.homes = append(t.homes, home{})
	}
	if t.homes[id].node != nil {
		panic(fmt.Sprintf("piko: object %d is stored", id))
	}
	if t.root == nil {
		t.root = t.around(o.Box)
	}
	t.grow(&o.Box)
	t.root.count++
	t.place(t.root, item{o, id})
}

// find returns the place of a stored object.
func (t *Tree) find(id uint32) home {
	if int(id) >= len(t.homes) || t.homes[id].node == nil {
		panic(fmt.Sprintf("piko: object %d is not stored", id))
	}
	return t.homes[id]
}

// Remove takes an object out, in time proportional to the depth. A subtree that
// has become too small merges.
func (t *Tree) Remove(id uint32) {
	h := t.find(id)
	t.take(h)
	t.homes[id] = home{}
	t.leave(h.node, nil)
	if t.root.count == 0 {
		t.root = nil
	}
}

// Move gives an object another box. It stays while the enlarged cell holds it;
// else it goes up to the first that does, and down from there.
func (t *Tree) Move(id uint32, box soa.AABB) {
	h := t.find(id)
	n := h.node
	it := &n.objects[h.slot]
	it.Box = box
	if n.loose.Contains(box) && t.fit(n, &box) < 0 {
		return
	}
	moved := *it
	t.take(h)
	to := n
	for to != nil && !to.loose.Contains(box) {
		to = to.parent
	}
	if to == nil {
		t.grow(&box)
		to = t.root
	}
	t.leave(n, to)
	t.place(to, moved)
}

// Tick ends a frame: the root shrinks.
func (t *Tree) Tick() { t.shrink() }

// grow doubles the root towards a box until it holds it. The old root becomes
// one of its children, unless it is a leaf.
func (t *Tree) grow(b *soa.AABB) {
	for !t.root.loose.Contains(*b) {
		old, c := t.root, b.Center()
		r := &node{center: old.center, half: 2 * old.half, count: old.count}
		scale, lane := 1, 0
		for a := range 3 {
			step := old.half
			if c[a] < old.center[a] {
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
			continue
		}
		r.children = make([]*node, t.fan*t.fan*t.fan)
		r.children[lane] = old
		old.parent, old.lane = r, uint8(lane)
		t.root = r
	}
}

// shrink makes the one child that holds everything the root, again and again.
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

// Bytes returns the memory of nodes, lists and tables.
func (t *Tree) Bytes() int {
	n := cap(t.spare)*int(unsafe.Sizeof(item{})) + cap(t.homes)*int(unsafe.Sizeof(home{}))
	if t.root != nil {
		t.root.each(func(x *node) {
			n += int(unsafe.Sizeof(*x)) + cap(x.objects)*int(unsafe.Sizeof(item{})) + cap(x.children)*int(unsafe.Sizeof(x))
		})
	}
	return n
}

// World returns the enlarged cell of the root; ok is false for an empty tree.
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
