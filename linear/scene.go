package linear

import (
	"errors"
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/internal/fault"
)

// Scene is a container for instancing: it holds objects in a tree of its own, and instances of
// parts. A part is a tree, a snapshot or another scene; an instance places it under a transform. A
// part may have any number of instances in any number of scenes, and takes its memory once. Queries
// find its current contents in each instance.
//
//	street            a Scene: a tree of its own objects, and a tree of instance boxes
//	  instance 0  transform --+
//	  instance 1  transform --+--> building   a Scene, once
//	  instance 2  transform -+         instance 0  transform --> table    a Tree, once
//	                         |         instance 1  transform --> chair
//	                         +-----------------------------------^
//
// A query runs on the tree of instance boxes, and continues in the part of each box that it hits,
// after its shape is transformed into the part's space (package query/scene). This is the two-level
// scheme that ray tracers call TLAS and BLAS. Moving an instance is one [Scene.Move], however many
// objects the part has.
//
// A part may change at any time, and queries still have no false negatives: its instances are
// listed as outgrown until [Scene.Tick] has given them boxes that contain it. A program that calls
// Tick for the outermost scene in each frame ticks all parts below it.
//
// One goroutine at a time may change a scene and the parts below it, and none may query meanwhile;
// between changes any number of goroutines may query. [NewScenePublisher] lifts that restriction. A
// Scene is made by [NewScene]: methods of the zero value panic. It must not be copied. A part with
// instances keeps the scenes that hold it from being collected: call [Scene.Clear] on a scene that
// is no longer needed before its parts.
//
// # How it works
//
// A [Scene] implements instancing, nested to any depth: it holds parts, which are trees,
// snapshots and other scenes, under transforms. A part is stored once and may have many instances:
//
//	Scene street              its own objects: a Tree
//	  instances: a Tree of boxes
//	  +-----+   +-----+       the box of an instance holds the image of the bounds of
//	  |  /\ |   | __  |       its part, under the [Transform] of the instance
//	  | /  \|   ||  | |
//	  | \  /|   ||__| |
//	  |  \/ |   |     |
//	  +--+--+   +--+--+
//	     | transforms|
//	     v           v
//	   +---------------+
//	   |part: building |      a Tree, Snapshot or Scene, in a space of its own
//	   +---------------+
//
// Package query/scene transforms a query into the space of each part whose instance it
// intersects, level by level, and reads the parts through a [SceneView]. Moving an instance only
// moves a box. A changed part marks the scenes that hold it dirty, once until their next View; that
// View updates their state. A [Scene.Tick] ticks the scene, inner parts first. Before the
// tick, instances whose parts have outgrown their boxes are kept in a list, and every query
// searches that list.
type Scene struct {
	tree      *Tree // objects that belong to the scene itself
	instances *Tree // box of each instance

	in         []uint32             // entry of each instance, by ID; None: the ID is free
	transforms []Transform          // transform of each instance, by ID
	rows       []placement          // by ID
	wrote      []uint64             // number of the last write to the columns that views read, by ID
	writes     uint64               // number of writes to these columns
	entries    []entry              // the own trees, then the parts
	entryOf    map[*partNode]uint32 // entry of each part
	held       bitset.Set           // entries of parts
	free       []uint32             // entries without a part
	depth      int                  // instances on the longest path down, at most MaxDepth
	parts      [MaxDepth + 1]int    // number of parts of each depth
	shape      uint64               // number that is renewed whenever the parts of the entries change

	epoch uint64     // number of changes that invalidate views
	ticks uint32     // number of calls of Tick
	due   bitset.Set // entries that the next tick has to process: see scene_tick.go

	partNode partNode // the scene as a part
	table    table    // levels of the scene's views

	shared *ScenePublisher // nil if the scene is not published

	scratch sceneScratch
}

// Entries of the scene's own trees. They have no instances.
const (
	ownEntry = iota
	instancesEntry
	firstPart
)

// entry is a part of a scene, with its instances.
type entry struct {
	partNode *partNode // nil: the entry is free
	at       uint32    // index in uses.by
	ids      []uint32  // IDs of the instances
	mixed    bool      // ids may be unsorted
	turns    int       // number of instances with InstanceOptions.Turns
	bounds   instanceBounds
	ticked   uint32 // tick count of the part at the scene's last tick
}

// placement is the private row of an instance: no view reads it.
type placement struct {
	index uint32  // position in entry.ids
	reach float64 // radius of the ball in the box, for an instance with Turns; else stays
}

// sceneScratch holds the reusable buffers of batches.
type sceneScratch struct {
	objects []Object
	ids     []uint32
	boxes   []AABB
	reaches []float64
}

// InstanceOptions configure an instance; the zero value makes one that filters of every mask find, and
// whose box contains the part only in its present orientation.
type InstanceOptions struct {
	// Mask is the instance mask: objects inside are found only by filters whose Mask is 0, which
	// means all, or shares a bit with it. 0 means all bits.
	Mask uint32

	// Turns announces that the transform will rotate often. The box of the instance then contains
	// the part in every orientation: it is the box of the ball of [Part.Radius] about the part's
	// origin, scaled by the transform. It is larger than necessary, but a transform that only
	// rotates the part about its origin changes no box. If it is false, the box
	// is that of the image of [Part.Bounds].
	Turns bool
}

// MaxDepth is the maximum nesting depth of instances. A tree in a scene has depth 1.
const MaxDepth = 8

// Errors of [Scene.AddInstance].
var (
	// ErrCycle is returned when a scene would contain itself.
	ErrCycle = errors.New("linear: a scene would contain itself")

	// ErrDepth is returned when scenes would be nested deeper than [MaxDepth].
	ErrDepth = errors.New("linear: scenes would be nested too deep")
)

// NewScene returns an empty scene. The configuration is used for the tree of its own objects; the
// errors are those of [New].
func NewScene(cfg Config) (*Scene, error) {
	t, err := New(cfg)
	if err != nil {
		return nil, err
	}
	instances, err := New(Config{Workers: cfg.Workers})
	if err != nil {
		return nil, err
	}
	s := &Scene{tree: t, instances: instances, entryOf: make(map[*partNode]uint32), shape: nextShape()}
	s.partNode.scene = s
	s.partNode.stale.Store(true)
	for _, t := range []*Tree{s.tree, s.instances} {
		s.hold(t.asPart())
	}
	return s, nil
}

// Tree returns the tree of the scene's own objects, which is changed and queried like any other.
// Its IDs are distinct from instance IDs.
func (s *Scene) Tree() *Tree {
	s.made()
	return s.tree
}

func (s *Scene) asPart() *partNode {
	if s == nil {
		return nil
	}
	s.made()
	return &s.partNode
}

// made panics if the scene is the zero value, which has no trees.
func (s *Scene) made() {
	if len(s.entries) == 0 {
		zeroUsed("Scene", "make one with NewScene")
	}
}

//go:noinline
func zeroUsed(name, instead string) {
	panic("linear: the zero " + name + " was used: " + instead)
}

// change invalidates all views.
func (s *Scene) change() {
	s.epoch++
	s.partNode.Changed()
}

// hold makes an entry for a part.
func (s *Scene) hold(u *partNode) uint32 {
	i := uint32(len(s.entries))
	if n := len(s.free); n > 0 {
		i, s.free = s.free[n-1], s.free[:n-1]
	} else {
		s.entries = append(s.entries, entry{})
	}
	e := &s.entries[i]
	*e = entry{partNode: u, at: u.add(use{s, i}), ids: e.ids[:0], ticked: u.ticks()}
	if i >= firstPart {
		s.parts[u.depth()]++
		s.held.Add(i)
	}
	s.shape = nextShape()
	s.notifyHolders(i)
	s.change()
	return i
}

// drop frees an entry without instances.
func (s *Scene) drop(i uint32) {
	e := &s.entries[i]
	u := e.partNode
	u.remove(e.at)
	s.parts[u.depth()]--
	delete(s.entryOf, u)
	*e = entry{ids: e.ids[:0]}
	s.free = append(s.free, i)
	s.held.Remove(i)
	s.due.Remove(i)
	s.shape = nextShape()
	s.change()
	s.lower(u.depth())
}

// A scene with at least compactMin entries renumbers them when fewer than one in compactOneIn is of
// a part, unless it has more instances than entries. The cost is thus proportional to the number of
// parts that have been removed since the last time.
const (
	compactMin   = 64
	compactOneIn = 4
)

// compactIfSparse renumbers the entries after removals if most are free.
func (s *Scene) compactIfSparse() {
	if n := len(s.entries); n >= compactMin && compactOneIn*(n-len(s.free)) < n && s.instances.Len() <= n {
		s.compact()
	}
}

// compact renumbers the entries so that none is free. Their order stays the same. It frees the
// memory of the free ones.
func (s *Scene) compact() {
	old := s.entries
	s.entries = make([]entry, len(old)-len(s.free))
	s.entryOf = make(map[*partNode]uint32, len(s.entries)-firstPart) // a map never shrinks
	s.free = nil
	s.held.Clear()
	next := uint32(0)
	for i := range old {
		if old[i].partNode == nil {
			continue
		}
		e := &s.entries[next]
		*e = old[i]
		e.ids = slices.Clone(e.ids)
		if s.due.Has(uint32(i)) {
			s.due.Remove(uint32(i))
			s.due.Add(next)
		}
		if next >= firstPart {
			s.held.Add(next)
			s.entryOf[e.partNode] = next
		}
		if i != int(next) {
			e.partNode.renumber(e.at, next)
			for _, id := range e.ids {
				s.write(id, next, &s.transforms[id])
			}
		}
		next++
	}
	s.due.Trim()
	s.held.Trim()
	s.shape = nextShape() // tables have room for each entry
	s.change()
}

// write sets the entry and the transform of an instance.
func (s *Scene) write(id, entry uint32, transform *Transform) {
	for int(id) >= len(s.rows) {
		s.in, s.transforms, s.rows = append(s.in, None), append(s.transforms, Transform{}), append(s.rows, placement{})
		s.wrote = append(s.wrote, 0)
	}
	s.writes++
	s.wrote[id] = s.writes
	s.in[id], s.transforms[id] = entry, *transform
}

// order sorts the IDs of a part's instances.
func (s *Scene) order(e *entry) {
	if !e.mixed {
		return
	}
	e.mixed = false
	slices.Sort(e.ids)
	for k, id := range e.ids {
		s.rows[id].index = uint32(k) // no view reads it
	}
}

// The depth of a scene is 0 without instances, else one more than the depth of its deepest part. No
// scene is deeper than MaxDepth, so none contains itself. A scene counts its parts by depth, so
// that it need not visit all of them when it loses the deepest one.

// deepened is a scene with its former depth.
type deepened struct {
	scene *Scene
	depth int
}

// deepen raises the depth of the scene, and of the scenes that hold it, for a new part. On an error
// none has changed.
func (s *Scene) deepen(part *partNode) error {
	var log []deepened
	err := s.raise(part.depth()+1, part.scene, &log)
	if err != nil {
		for i := range log {
			r := log[len(log)-1-i]
			r.scene.setDepth(r.depth)
		}
		if part.scene != nil && s.isIn(part.scene, make(map[*Scene]bool)) {
			return ErrCycle
		}
		return fault.Errorf("linear: a part of depth %d: %w", part.depth(), err)
	}
	return nil
}

// raise makes a scene, and the scenes that hold it, at least that deep. It detects a cycle when it
// reaches the new part, because a scene is deeper than its parts.
func (s *Scene) raise(depth int, part *Scene, log *[]deepened) error {
	switch {
	case s == part:
		return ErrCycle
	case depth <= s.depth:
		return nil
	case depth > MaxDepth:
		return fmt.Errorf("%w: instances nested %d deep, at most %d", ErrDepth, depth, MaxDepth)
	}
	*log = append(*log, deepened{s, s.depth})
	s.setDepth(depth)
	for _, by := range s.partNode.by {
		if err := by.scene.raise(depth+1, part, log); err != nil {
			return err
		}
	}
	return nil
}

// isIn reports whether the scene is outer or inside it, and skips scenes seen before.
func (s *Scene) isIn(outer *Scene, seen map[*Scene]bool) bool {
	if s == outer {
		return true
	}
	if seen[s] {
		return false
	}
	seen[s] = true
	for _, by := range s.partNode.by {
		if by.scene.isIn(outer, seen) {
			return true
		}
	}
	return false
}

// lower reduces the depth of the scene, and of the scenes that hold it, after it has lost a part of
// that depth.
func (s *Scene) lower(part int) {
	if s.depth != part+1 {
		return
	}
	depth := s.depth
	for depth > 0 && s.parts[depth-1] == 0 {
		depth--
	}
	if depth == s.depth {
		return
	}
	was := s.depth
	s.setDepth(depth)
	for _, by := range s.partNode.by {
		by.scene.lower(was)
	}
}

// setDepth changes the depth of the scene, and the counts of the scenes that hold it.
func (s *Scene) setDepth(depth int) {
	for _, by := range s.partNode.by {
		by.scene.parts[s.depth]--
		by.scene.parts[depth]++
	}
	s.depth = depth
}
