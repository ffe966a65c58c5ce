package irregular

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/soa"
)

// Config is the settings of a tree. Zero fields are the defaults.
type Config struct {
	// SplitAbove is the number of objects above which a query splits a leaf;
	// 0 means 16, as in the paper.
	SplitAbove int

	// Straddlers is the share of the objects of a leaf, 0 to 1, that may lie
	// on a split plane; with more the plane is disabled. 0 means 1/4.
	Straddlers float64
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
	turn uint32 // changes with every change of the object
}

// journey is the end of a swept volume.
type journey struct {
	id, turn uint32
	to       soa.AABB
}

// Tree is the octree. It is for one goroutine at a time: a query splits what it
// meets. Queries allocate only for that, and for answers.
type Tree struct {
	cfg    Config
	root   *node
	homes  []home // by ID
	dead   []*node
	sweeps []journey
	found  index.Found
}

var (
	_ index.Index     = (*Tree)(nil)
	_ index.Inserter  = (*Tree)(nil)
	_ index.Remover   = (*Tree)(nil)
	_ index.Mover     = (*Tree)(nil)
	_ index.Ticker    = (*Tree)(nil)
	_ index.Settler   = (*Tree)(nil)
	_ index.Volumes   = (*Tree)(nil)
	_ index.Rays      = (*Tree)(nil)
	_ index.Pairs     = (*Tree)(nil)
	_ index.Shaper    = (*Tree)(nil)
	_ index.Validator = (*Tree)(nil)
)

// New returns an empty tree. It panics if a number is out of its range.
func New(cfg Config) *Tree {
	if cfg.SplitAbove == 0 {
		cfg.SplitAbove = 16
	}
	if cfg.Straddlers == 0 {
		cfg.Straddlers = 0.25
	}
	if cfg.SplitAbove < 1 || !(cfg.Straddlers > 0 && cfg.Straddlers <= 1) {
		panic(fmt.Sprintf("irregular: split above %d, straddlers %v", cfg.SplitAbove, cfg.Straddlers))
	}
	return &Tree{cfg: cfg, root: newNode(nil, 0)}
}

// Build replaces everything by these objects. They lie in one leaf until queries
// split it; see [Tree.Settle].
func (t *Tree) Build(objects []soa.Object) {
	t.root = newNode(nil, 0)
	t.dead, t.sweeps = t.dead[:0], t.sweeps[:0]
	clear(t.homes)
	t.homes = slices.Grow(t.homes[:0], len(objects))
	t.root.objects = make([]item, len(objects))
	for i := range objects {
		t.root.objects[i] = item{objects[i], uint32(i)}
		t.root.box = t.root.box.Union(objects[i].Box)
		t.homes = append(t.homes, home{node: t.root, slot: int32(i)})
	}
}

// Settle does all splits that queries would do, and brings all boxes up to
// date.
func (t *Tree) Settle() { t.root.settle(t) }

func (n *node) settle(t *Tree) {
	n.visit(t)
	for _, c := range n.child {
		if c != nil {
			c.settle(t)
		}
	}
}

// Insert stores an object, in time proportional to the depth. It may leave a leaf
// with too many for the next query to split.
func (t *Tree) Insert(id uint32, o soa.Object) {
	for int(id) >= len(t.homes) {
		t.homes = append(t.homes, home{})
	}
	if t.homes[id].node != nil {
		panic(fmt.Sprintf("irregular: object %d is stored", id))
	}
	t.place(item{o, id})
}

// find returns the place of a stored object.
func (t *Tree) find(id uint32) *home {
	if int(id) >= len(t.homes) || t.homes[id].node == nil {
		panic(fmt.Sprintf("irregular: object %d is not stored", id))
	}
	return &t.homes[id]
}

// Remove takes an object out. It costs at most the depth.
func (t *Tree) Remove(id uint32) {
	t.take(t.find(id))
}

// Move gives an object another box and ends its sweep. It costs the depth.
func (t *Tree) Move(id uint32, box soa.AABB) {
	h := t.find(id)
	h.turn++
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
	t.place(moved)
}

// Sweep gives an object the volume of its motion to another box, the union of
// the two, until the next [Tree.Tick] or change, and from then on that box. So
// pairs and queries find whatever it may meet on the way.
func (t *Tree) Sweep(id uint32, to soa.AABB) {
	h := t.find(id)
	t.Move(id, h.node.objects[h.slot].Box.Union(to))
	t.sweeps = append(t.sweeps, journey{id, t.homes[id].turn, to})
}

// Tick ends a frame: swept volumes become the boxes at their end, and dead nodes
// are collected.
func (t *Tree) Tick() {
	for _, s := range t.sweeps {
		if h := t.homes[s.id]; h.node != nil && h.turn == s.turn {
			t.Move(s.id, s.to)
		}
	}
	t.sweeps = t.sweeps[:0]
	t.collect()
}

// collect unlinks the nodes that have lost everything, and then those above
// that have. A node that keeps one child and nothing else gives it its place.
func (t *Tree) collect() {
	for i := 0; i < len(t.dead); i++ {
		n := t.dead[i]
		n.listed = false
		p := n.parent
		if !n.empty() || p == nil || p.child[n.lane] != n {
			continue
		}
		p.child[n.lane] = nil
		switch p.kids--; {
		case p.kids == 0:
			p.on, p.wait = 0, 0
			t.bury(p)
		case p.kids == 1 && len(p.objects) == 0:
			t.replace(p)
		}
	}
	clear(t.dead)
	t.dead = t.dead[:0]
}

// bury lists a node for collection if it is empty. The root stays.
func (t *Tree) bury(n *node) {
	if n.empty() && n.parent != nil && !n.listed {
		n.listed = true
		t.dead = append(t.dead, n)
	}
}

// replace puts the only child of a node in its place.
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

// Bytes returns the memory of nodes, lists and tables.
func (t *Tree) Bytes() int {
	n := cap(t.homes)*int(unsafe.Sizeof(home{})) + cap(t.dead)*int(unsafe.Sizeof(&node{})) +
		cap(t.sweeps)*int(unsafe.Sizeof(journey{}))
	t.root.each(func(x *node) { n += int(unsafe.Sizeof(*x)) + cap(x.objects)*int(unsafe.Sizeof(item{})) })
	return n
}

// Stats returns the shape of the tree as it is now.
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
