package nevala

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/soa"
)

// Config is the settings of a tree.
type Config struct {
	// MinSize is the side of the smallest cube, in world units. 0 means 1, as in the article.
	MinSize float32
}

// location is the location of an object: in the list of a node, or in the queue.
type location struct {
	node *node // nil: in the queue
	slot int32 // -1: not stored
}

// Tree is the octree. It is for one goroutine at a time, because a query may insert queued objects. Queries
// allocate only for that, and for results.
type Tree struct {
	min     float32
	root    *node // nil: all objects are in the queue
	pending index.List
	homes   []location // by ID
	dying   []*node

	above index.List // scratch of the pair test
	found index.Found
}

var _ index.Octree = (*Tree)(nil)

// New returns an empty tree. It panics if the minimum size is negative or NaN.
func New(cfg Config) *Tree {
	if !(cfg.MinSize >= 0) {
		panic(fmt.Sprintf("nevala: minimum size %v", cfg.MinSize))
	}
	if cfg.MinSize == 0 {
		cfg.MinSize = 1
	}
	return &Tree{min: cfg.MinSize}
}

// Build replaces the contents by these objects and builds the tree, in time proportional to their number and
// the depth.
func (t *Tree) Build(objects []soa.Object) {
	t.root = nil
	t.dying = t.dying[:0]
	t.pending = make(index.List, 0, len(objects))
	t.homes = slices.Grow(t.homes[:0], len(objects))
	for i := range objects {
		t.homes = append(t.homes, location{slot: int32(i)})
		t.pending = append(t.pending, index.Item{Object: objects[i], ID: uint32(i)})
	}
	t.flush()
}

// Insert appends an object to the queue, in constant time; the next query or Tick inserts it into the tree.
func (t *Tree) Insert(id uint32, o soa.Object) {
	for int(id) >= len(t.homes) {
		t.homes = append(t.homes, location{slot: -1})
	}
	if t.homes[id].slot >= 0 {
		panic(fmt.Sprintf("nevala: object %d is stored", id))
	}
	t.wait(index.Item{Object: o, ID: id})
}

func (t *Tree) wait(it index.Item) {
	t.homes[it.ID] = location{slot: int32(len(t.pending))}
	t.pending = append(t.pending, it)
}

// find returns the location of a stored object.
func (t *Tree) find(id uint32) location {
	if int(id) >= len(t.homes) || t.homes[id].slot < 0 {
		panic(fmt.Sprintf("nevala: object %d is not stored", id))
	}
	return t.homes[id]
}

// Remove removes an object, in constant time. A leaf that becomes empty stays for its lifespan.
func (t *Tree) Remove(id uint32) {
	h := t.find(id)
	if h.node == nil {
		t.pending = t.drop(t.pending, h.slot)
	} else {
		t.take(h)
	}
	t.homes[id] = location{slot: -1}
}

// drop removes an item from a list; the last item moves into the gap.
func (t *Tree) drop(list index.List, slot int32) index.List {
	last := len(list) - 1
	list[slot] = list[last]
	t.homes[list[slot].ID].slot = slot
	return list[:last]
}

// Move changes the box of an object. The cost is the number of levels up to the cube that contains the box
// and down again. If the root does not contain it, the next query rebuilds the tree.
func (t *Tree) Move(id uint32, box soa.AABB) {
	h := t.find(id)
	if h.node == nil {
		t.pending[h.slot].Box = box
		return
	}
	n := h.node
	it := &n.objects[h.slot]
	it.Box = box
	if n.holds(&box) && (n.alone() || !t.divisible(n) || n.octant(&box) < 0) {
		return
	}
	moved := *it
	for !n.holds(&box) {
		if n = n.parent; n == nil {
			t.unbuild()
			return
		}
	}
	t.take(h)
	t.insert(n, moved)
}

// flush inserts the queue into the tree. If the root does not contain the queued objects, it rebuilds the
// tree from all objects.
func (t *Tree) flush() {
	if len(t.pending) == 0 {
		return
	}
	if t.root != nil && !t.holdsPending() {
		t.unbuild()
	}
	if t.root == nil {
		t.build()
		return
	}
	for _, it := range t.pending {
		t.insert(t.root, it)
	}
	t.pending = t.pending[:0]
}

func (t *Tree) holdsPending() bool {
	for i := range t.pending {
		if !t.root.region.Contains(t.pending[i].Box) {
			return false
		}
	}
	return true
}

// unbuild moves all objects back to the queue.
func (t *Tree) unbuild() {
	t.root.each(func(n *node) {
		for _, it := range n.objects {
			t.wait(it)
		}
	})
	t.root, t.dying = nil, t.dying[:0]
}

// Tick ends a frame: it flushes the queue and removes the leaves whose lifespan has ended.
func (t *Tree) Tick() {
	t.flush()
	t.age()
}

// Bytes returns the memory of nodes, lists and tables.
func (t *Tree) Bytes() int {
	n := t.pending.Bytes() + t.above.Bytes() +
		cap(t.homes)*int(unsafe.Sizeof(location{})) + cap(t.dying)*int(unsafe.Sizeof(&node{}))
	if t.root != nil {
		t.root.each(func(x *node) { n += int(unsafe.Sizeof(*x)) + x.objects.Bytes() })
	}
	return n
}

// Stats flushes the queue and returns the shape of the tree.
func (t *Tree) Stats() (s index.Stats) {
	t.flush()
	if t.root != nil {
		t.root.count(&s, 1)
	}
	return s
}

func (n *node) count(s *index.Stats, depth int) {
	s.Add(depth, len(n.objects), n.active == 0)
	for m := n.active; m != 0; m &= m - 1 {
		n.child[bits.TrailingZeros8(m)].count(s, depth+1)
	}
}
