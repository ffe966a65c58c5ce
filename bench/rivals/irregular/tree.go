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
	// on a split plane; with more the plane is disabled, unless all are. 0
	// means 1/4, a negative number none.
	Straddlers float64

	// Planes is how many planes a node enables at most: 3 make an octree of
	// it, 1 a BSP tree. 0 means 3.
	Planes int

	// Ahead says which leaves [Tree.SplitAhead] splits.
	Ahead Ahead
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
	balls  index.Balls
	sweeps []journey
	found  index.Found
	splits int

	region   []index.Volume // of motion that is anticipated
	rejected []*node        // by the last query for a volume, if somebody wants to know
	queue    []*node        // of SplitAhead
}

var (
	_ index.Octree  = (*Tree)(nil)
	_ index.Settler = (*Tree)(nil)
)

// New returns an empty tree. It panics if a number is out of its range.
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

// Build replaces everything by these objects. They lie in one leaf until queries
// split it; see [Tree.Settle].
func (t *Tree) Build(objects []soa.Object) {
	t.root = newNode(nil, 0)
	t.sweeps = t.sweeps[:0]
	clear(t.rejected)
	t.rejected = t.rejected[:0]
	t.balls.Reset()
	clear(t.homes)
	t.homes = slices.Grow(t.homes[:0], len(objects))
	t.root.objects = make(index.List, len(objects))
	for i := range objects {
		t.root.objects[i] = index.Item{Object: objects[i], ID: uint32(i)}
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
	t.place(index.Item{Object: o, ID: id})
}

// find returns the place of a stored object.
func (t *Tree) find(id uint32) *home {
	if int(id) >= len(t.homes) || t.homes[id].node == nil {
		panic(fmt.Sprintf("irregular: object %d is not stored", id))
	}
	return &t.homes[id]
}

// SetBall implements [index.Round]. It costs nothing: the box is what the tree
// goes by.
func (t *Tree) SetBall(id uint32, b index.Ball) {
	h := t.find(id)
	t.balls.Set(id, b, &h.node.objects[h.slot].Box)
}

// Remove takes an object out. A branch that becomes empty is freed. It costs at
// most the depth.
func (t *Tree) Remove(id uint32) {
	t.take(t.find(id))
	t.balls.Drop(id)
}

// Move gives an object another box and ends its sweep. It costs the depth.
func (t *Tree) Move(id uint32, box soa.AABB) {
	h := t.find(id)
	h.turn++
	t.balls.Drop(id)
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
// pairs and queries find whatever it may meet on the way. It is a box then, and
// after: its bounding sphere is dropped.
func (t *Tree) Sweep(id uint32, to soa.AABB) {
	h := t.find(id)
	t.Move(id, h.node.objects[h.slot].Box.Union(to))
	t.sweeps = append(t.sweeps, journey{id, t.homes[id].turn, to})
}

// Tick ends a frame: swept volumes become the boxes at their end.
func (t *Tree) Tick() {
	for _, s := range t.sweeps {
		if h := t.homes[s.id]; h.node != nil && h.turn == s.turn {
			t.Move(s.id, s.to)
		}
	}
	t.sweeps = t.sweeps[:0]
}

// Splits returns how many leaves have been split since the tree was new.
func (t *Tree) Splits() int { return t.splits }

// Bytes returns the memory of nodes, lists and tables.
func (t *Tree) Bytes() int {
	n := cap(t.homes)*int(unsafe.Sizeof(home{})) + cap(t.sweeps)*int(unsafe.Sizeof(journey{})) +
		(cap(t.rejected)+cap(t.queue))*int(unsafe.Sizeof(&node{})) + t.balls.Bytes() +
		cap(t.region)*int(unsafe.Sizeof(index.Volume{}))
	t.root.each(func(x *node) { n += int(unsafe.Sizeof(*x)) + x.objects.Bytes() })
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
