package linear

import (
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/zoctree/zoctree/linear/internal/octree"
)

// SceneView is a read-only view of a scene, or of one of its parts, between two changes. Queries
// descend from the view of the scene to the views of its parts. A tree or snapshot that is a part
// appears as a scene without instances. It is a small value, valid until the next change of the
// scene or of any part below it; using it later panics. Any number of goroutines may use views of
// one scene at a time.
type SceneView struct {
	level    *level
	validity *uint64 // change number of the outermost scene
	at       uint64
}

// View returns a view of the scene and its parts in their current state. It costs an atomic load if
// nothing has changed. Otherwise it applies the deferred changes of the trees that have changed, as
// [Tree.View] does, in time proportional to the number of parts, and of instances that have
// outgrown their boxes since the last [Scene.Tick]. Any number of goroutines may take views between
// two changes: the first applies the deferred changes, and the others wait for it. In steady state
// it allocates nothing.
func (s *Scene) View() SceneView {
	s.made()
	st := s.partNode.sync()
	if s.table.shape.Load() != st.shape {
		s.table.make(&s.partNode)
	}
	return SceneView{&s.table.levels[0], &s.epoch, s.epoch}
}

// seen returns the state that the view reads. It panics when the view is stale.
func (v SceneView) seen() *state {
	if v.validity == nil || *v.validity != v.at {
		v.stale()
	}
	return v.level.state
}

//go:noinline
func (v SceneView) stale() {
	if v.validity == nil {
		panic("linear: the zero SceneView was used: make one with Scene.View")
	}
	if *v.validity == closedVersion {
		panic("linear: a view of a snapshot was used after it was closed")
	}
	if v.level.table.levels[0].state.objects.validity == nil { // not of a part, which may be a snapshot
		panic("linear: a view of a version of a scene was used after the version was released")
	}
	panic(fmt.Sprintf("linear: a view of a scene at change %d was used after change %d", v.at, *v.validity))
}

// Objects returns the view of the plain objects: those in [Scene.Tree], or in the tree that is the
// part. [View.All] iterates over them.
func (v SceneView) Objects() View { return v.leased(&v.seen().objects) }

// Instances returns the view of the tree of instance boxes. [View.All] iterates over them. Its IDs are instance IDs and
// its masks are the instance masks ([InstanceOptions]). Each box contains all objects of its instance, except for the
// instances in Outgrown. For a tree that is a part, the view is empty.
func (v SceneView) Instances() View { return v.leased(&v.seen().instances) }

// leased returns the view of a tree. In a published version it is valid as long as v.
func (v SceneView) leased(of *View) View {
	if of.validity == nil {
		return View{of.store, v.validity, v.at, of.index}
	}
	return *of
}

// Outgrown returns the IDs, ascending, of the instances that may stick out of their boxes, because
// the part has grown since the last [Scene.Tick]. Queries visit them regardless of their boxes. The
// slice is read-only, and valid as long as the view.
func (v SceneView) Outgrown() []uint32 { return v.seen().outgrown }

// Instance returns the part of an instance: its view, its number as in Parts, and the transform,
// which is read-only, and valid as long as the view. It panics when there is no instance with that
// ID. It allocates nothing.
func (v SceneView) Instance(id uint32) (inner SceneView, part uint32, transform *Transform) {
	st := v.seen()
	if uint64(id) < uint64(len(st.still)) && st.still[id].total > 0 {
		return SceneView{&v.level.table.levels[1+id], v.validity, v.at}, 1 + id, &identity
	}
	if uint64(id) < uint64(len(st.in)) && st.in[id] != None {
		l := v.level.inner[st.in[id]]
		return SceneView{l, v.validity, v.at}, l.number, &st.transforms[id]
	}
	panic(fmt.Sprintf("linear: no instance has the ID %d", id))
}

// identity is the transform of all instances of a still scene.
var identity Transform

// Still reports that all instances hold trees under the identity transform, each in a box that
// equals its bounds. This holds for the shards in the view of a [Directory].
func (v SceneView) Still() bool { return len(v.seen().still) > 0 }

// Tree returns the objects of an instance of a still scene, and the other results of Instance, with
// fewer memory accesses than Instance. It panics if the scene is not still, or has no instance with
// that ID.
func (v SceneView) Tree(id uint32) (objects View, part uint32, transform *Transform) {
	still := v.seen().still
	if uint64(id) >= uint64(len(still)) {
		panic(fmt.Sprintf("linear: the tree of instance %d in a scene of %d identity instances", id, len(still)))
	}
	return v.leased(&still[id].objects), 1 + id, &identity
}

// Bounds returns the smallest known box that contains all objects of the scene or part.
func (v SceneView) Bounds() AABB { return v.seen().bounds }

// Total returns the number of objects through all instances: the objects of a part count once per
// instance. It is at most 2^64 - 1.
func (v SceneView) Total() uint64 { return v.seen().total }

// Parts returns an iterator over the views of the scene and of all parts below it, each once, with
// their numbers. The numbers are dense and begin with 0, the scene itself, so that a program can
// keep data per part in a slice. They do not change until a part gets its first instance or loses
// its last one.
func (v SceneView) Parts() iter.Seq2[uint32, SceneView] {
	return func(yield func(uint32, SceneView) bool) {
		v.seen()
		levels := v.level.table.levels
		for i := range levels {
			if !yield(uint32(i), SceneView{&levels[i], v.validity, v.at}) {
				return
			}
			v.seen() // panics if the scene has changed
		}
	}
}

// Bounds returns the smallest known box that contains all objects and the images of all parts.
// Images that exceed float32 make it infinite. It applies deferred changes: see [Scene.View].
func (s *Scene) Bounds() AABB {
	s.made()
	return s.partNode.sync().bounds
}

// Radius returns an upper bound of the distance from the origin to any object or image of a part.
// It applies deferred changes: see [Scene.View].
func (s *Scene) Radius() float64 {
	s.made()
	return s.partNode.sync().radius
}

// renew updates the state of a scene.
func (s *Scene) renew(st *state) {
	own, instances := s.entries[ownEntry].partNode.sync(), s.entries[instancesEntry].partNode.sync()
	st.objects, st.instances, st.in, st.transforms = own.objects, instances.objects, s.in, s.transforms
	st.bounds, st.radius = own.bounds.Union(instances.bounds), max(own.radius, instances.radius)
	st.total, st.shape, st.outgrown = own.total, s.shape, st.outgrown[:0]
	for i, ok := s.held.Next(0); ok; i, ok = s.held.Next(i + 1) {
		e := &s.entries[i]
		inner := e.partNode.sync()
		st.shape = max(st.shape, inner.shape)
		st.total = sumOf(st.total, productOf(uint64(len(e.ids)), inner.total))
		turning := e.turns > 0 && !e.bounds.holdsRadius(inner)
		others := e.turns < len(e.ids) && !e.bounds.holdsBounds(inner)
		if !turning && !others {
			continue
		}
		for _, id := range e.ids {
			row := &s.rows[id]
			if turns := row.turns(); turns && !turning || !turns && !others {
				continue
			}
			box := imageOf(&s.transforms[id], &inner.bounds)
			st.bounds = st.bounds.Union(box)
			st.radius = max(st.radius, cornerOf(&box))
			st.outgrown = append(st.outgrown, id)
		}
	}
	slices.Sort(st.outgrown)
}

// cornerOf returns an upper bound of the distance to the farthest corner of a box, 0 for an empty
// one.
func cornerOf(b *AABB) float64 {
	square := 0.0
	for a := range 3 {
		x := float64(max(-b.Min[a], b.Max[a], 0))
		square += float64(x * x)
	}
	return octree.Radius(square)
}

// sumOf returns a + b, at most 2^64 - 1.
func sumOf(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	return sum | -carry
}

// productOf returns a * b, at most 2^64 - 1.
func productOf(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	if high > 0 {
		return math.MaxUint64
	}
	return low
}

// table lists the parts of a scene, at any depth, each once.
type table struct {
	shape  atomic.Uint64 // shape that it was made for; 0: never made
	lock   sync.Mutex    // held while it is made
	levels []level

	// Numbers of the scene and of the version, for tables of published or immutable scenes. Both
	// are 0 in the table of a Scene: see SceneView.Stamp.
	source, version uint64
}

// level is a part in a table.
type level struct {
	state  *state
	inner  []*level // by entry of a scene; nil where it holds no part
	table  *table
	number uint32
}

var shapes atomic.Uint64

// nextShape returns a number that no scene has had before.
func nextShape() uint64 { return shapes.Add(1) }

// make lists the parts of a scene, outer ones first, in the order of entries.
func (tb *table) make(top *partNode) {
	tb.lock.Lock()
	defer tb.lock.Unlock()
	if tb.shape.Load() == top.state.shape {
		return // made by another goroutine
	}
	list := partsBelow(top)
	tb.fill(list, func(k int) *state { return &list[k].state })
	tb.shape.Store(top.state.shape)
}

// fill makes the levels of listed parts with their states.
func (tb *table) fill(list []*partNode, stateOf func(k int) *state) {
	links := 0
	number := make(map[*partNode]uint32, len(list))
	for k, u := range list {
		number[u] = uint32(k)
		if u.scene != nil {
			links += len(u.scene.entries)
		}
	}
	tb.levels = make([]level, len(list))
	all := make([]*level, links)
	for k, u := range list {
		l := &tb.levels[k]
		*l = level{state: stateOf(k), table: tb, number: uint32(k)}
		if u.scene == nil {
			continue
		}
		n := len(u.scene.entries)
		l.inner, all = all[:n:n], all[n:]
		for i, e := range u.scene.entries[firstPart:] {
			if e.partNode != nil {
				l.inner[firstPart+i] = &tb.levels[number[e.partNode]]
			}
		}
	}
}

// partsBelow lists a part and all parts below it, each once, outer ones first, in the order of
// entries.
func partsBelow(top *partNode) []*partNode {
	seen := map[*partNode]bool{top: true}
	list := []*partNode{top}
	for k := 0; k < len(list); k++ {
		if list[k].scene == nil {
			continue
		}
		for _, e := range list[k].scene.entries[firstPart:] {
			if e.partNode != nil && !seen[e.partNode] {
				seen[e.partNode] = true
				list = append(list, e.partNode)
			}
		}
	}
	return list
}
