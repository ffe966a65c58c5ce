package irregular

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/soa"
)

// Config is the settings of a tree. Zero fields select the defaults.
type Config struct {
	// SplitAbove is the number of objects above which a query splits a leaf; 0 means 16, as in the paper.
	SplitAbove int

	// Straddlers is the share of the objects of a leaf, 0 to 1, that may lie on a split plane. A plane with more
	// is disabled, unless all planes have more. 0 means 1/4, a negative number none.
	Straddlers float64

	// Planes is the largest number of planes that a node enables: 3 for an octree, 1 for a BSP tree. 0 means 3.
	Planes int

	// Ahead selects the leaves that [Tree.SplitAhead] splits.
	Ahead Ahead
}

// location is the location of an object.
type location struct {
	node *node // nil: not stored
	slot int32
}

// Tree is the octree. It is for one goroutine at a time, because queries split nodes. Queries allocate only
// for splits and for results.
type Tree struct {
	cfg    Config
	root   *node
	homes  []location // by ID
	found  index.Found
	splits int

	region   []index.Volume // predicted motion
	rejected []*node        // by the last volume query; only with the policy Rejected
	queue    []*node        // queue of SplitAhead
}

var (
	_ index.Octree  = (*Tree)(nil)
	_ index.Settler = (*Tree)(nil)
)

// New returns an empty tree. It panics if a setting is out of range.
func New(cfg Config) *Tree {
	if cfg.SplitAbove == 0 {
		cfg.SplitAbove = 16
	}
	if cfg.Straddlers == 0 {
		cfg.Straddlers = 0.25
	}
	if cfg.Planes == 0 {
		cfg.Planes = 3
	}
	if cfg.SplitAbove < 1 || !(cfg.Straddlers <= 1) || cfg.Planes < 1 || cfg.Planes > 3 || cfg.Ahead > All {
		panic(fmt.Sprintf("irregular: split above %d, straddlers %v, planes %d, ahead %d", cfg.SplitAbove, cfg.Straddlers, cfg.Planes, cfg.Ahead))
	}
	return &Tree{cfg: cfg, root: newNode(nil, 0)}
}

// Build replaces the contents by these objects. They are in one leaf until queries split it; see
// [Tree.Settle].
func (t *Tree) Build(objects []soa.Object) {
	t.root = newNode(nil, 0)
	clear(t.rejected)
	t.rejected = t.rejected[:0]
	clear(t.homes)
	t.homes = slices.Grow(t.homes[:0], len(objects))
	t.root.objects = make(index.List, len(objects))
	for i := range objects {
		t.root.objects[i] = index.Item{Object: objects[i], ID: uint32(i)}
		t.root.box = t.root.box.Union(objects[i].Box)
		t.homes = append(t.homes, location{node: t.root, slot: int32(i)})
	}
}

// Settle performs all splits that queries would perform, and refreshes all boxes.
func (t *Tree) Settle() { t.root.settle(t) }

func (n *node) settle(t *Tree) {
	n.visit(t)
	for _, c := range n.child {
		if c != nil {
			c.settle(t)
		}
	}
}

// Insert stores an object, in time proportional to the depth. It may leave an overfull leaf for the next
// query to split.
func (t *Tree) Insert(id uint32, o soa.Object) {
	for int(id) >= len(t.homes) {
		t.homes = append(t.homes, location{})
	}
	if t.homes[id].node != nil {
		panic(fmt.Sprintf("irregular: object %d is stored", id))
	}
	t.insertItem(index.Item{Object: o, ID: id})
}

// find returns the location of a stored object.
func (t *Tree) find(id uint32) *location {
	if int(id) >= len(t.homes) || t.homes[id].node == nil {
		panic(fmt.Sprintf("irregular: object %d is not stored", id))
	}
	return &t.homes[id]
}

// Remove removes an object, in time at most proportional to the depth. An empty branch is freed.
func (t *Tree) Remove(id uint32) {
	t.take(t.find(id))
}

// Move changes the box of an object in time proportional to the depth.
func (t *Tree) Move(id uint32, box soa.AABB) {
	h := t.find(id)
	n, lane := t.target(&box)
	if n == h.node && lane < 0 {
		it := &n.objects[h.slot]
		n.shed(&it.Box)
		it.Box = box
		n.widen(&box)
		n.wait = max(n.wait-1, 0)
		return
	}
	moved := t.take(h)
	moved.Box = box
	t.insertItem(moved)
}

// Splits returns the number of leaf splits since the tree was created.
func (t *Tree) Splits() int { return t.splits }

// Bytes returns the memory of nodes, lists and tables.
func (t *Tree) Bytes() int {
	n := cap(t.homes)*int(unsafe.Sizeof(location{})) +
		(cap(t.rejected)+cap(t.queue))*int(unsafe.Sizeof(&node{})) +
		cap(t.region)*int(unsafe.Sizeof(index.Volume{}))
	t.root.each(func(x *node) { n += int(unsafe.Sizeof(*x)) + x.objects.Bytes() })
	return n
}

// Stats returns the current shape of the tree.
func (t *Tree) Stats() (s index.Stats) {
	t.root.measure(&s, 1)
	return s
}

func (n *node) measure(s *index.Stats, depth int) {
	s.Add(depth, len(n.objects), n.on == 0)
	for _, c := range n.child {
		if c != nil {
			c.measure(s, depth+1)
		}
	}
}
