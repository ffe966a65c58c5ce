package linear

import (
	"errors"
	"slices"

	"github.com/zoctree/zoctree/internal/bitset"
)

// Scene holds objects in a tree of its own, and parts in places: trees, snapshots and other
// scenes, each under a pose. A part may be in any number of places of any number of scenes, and takes its
// memory once. What is in it is found in each of them as it is now.
//
//	street            a Scene: a tree of its own objects, and a tree with a box for each place
//	  place 0  pose -----+
//	  place 1  pose -----+--> house      a Scene, once
//	  place 2  pose ---+        place 0  pose -----> table    a Tree, once
//	                   |        place 1  pose -----> chair
//	                   +-----------------------------^
//
// A query asks the tree of boxes of places what it meets, and goes on in each part, with
// itself brought into the space of that (package query/scene). To move a part is one
// [Scene.Move], whatever is in it.
//
// A part may change at any time, and queries miss nothing: its places are listed as outgrown
// until [Scene.Tick] has given them boxes that hold it. A program that calls Tick for
// the outermost scene in each frame has all below ticked.
//
// One goroutine at a time may change a scene and the parts below it, and none while others
// query; between changes any number of goroutines may query. [NewScenePublisher] lifts
// that. A Scene is made by [NewScene]: methods of the zero value panic. It must not be copied. A part that is placed keeps the scenes that hold it
// from being collected: [Scene.Clear] a scene that is given up before its parts.
type Scene struct {
	tree   *Tree // of its own objects
	places *Tree // a box for each place

	in      []uint32          // by the ID of the place: its entry; None: the ID is free
	poses   []Transform       // by the ID of the place
	rows    []placement       // likewise
	wrote   []uint64          // likewise: the number of the last write to what views see of it
	writes  uint64            // to these
	entries []entry           // the own trees, then the parts
	entryOf map[*uses]uint32  // of parts
	free    []uint32          // entries without a part
	depth   int               // places on the longest way inwards
	parts   [MaxDepth + 1]int // the number of those of each depth
	shape   uint64            // a new number whenever the parts of the entries change

	epoch uint64     // counts what ends views
	ticks uint32     // ends of frames
	due   bitset.Set // entries with something for the next tick: see scene_tick.go

	uses  uses  // of the scene as a part
	table table // of its own views

	shared *ScenePublisher // unless nil

	scratch sceneScratch
}

// The entries of the scene's own trees. They have no places.
const (
	ownEntry = iota
	placesEntry
	firstPart
)

// entry is a part that a scene holds.
type entry struct {
	uses   *uses    // nil: the entry is free
	at     uint32   // index in its uses.by
	ids    []uint32 // of its places
	mixed  bool     // these may be out of order
	turns  int      // places that turn
	told   told
	ticked uint32 // ticks of the part when the scene ticked last
}

// placement is what only the scene knows of a place.
type placement struct {
	index uint32  // in the IDs of the entry
	reach float64 // of a place that turns: the radius of the ball in its box; else stays
}

// sceneScratch are the buffers of batches.
type sceneScratch struct {
	objects []Object
	ids     []uint32
	boxes   []AABB
	reaches []float64
}

// InstanceOptions say how a part is placed.
type InstanceOptions struct {
	// Mask is a gate: what is inside is found only by filters whose Mask is 0, which means
	// all, or shares a bit with this one. 0 means all bits.
	Mask uint32

	// Turns says that the pose is going to turn often. Then the box of the place holds the
	// part however it turns: the ball of [Part.Radius] about the part's origin, stretched by
	// the pose. It is larger than it needs to be, but a pose that only turns the part about
	// its origin changes no box.
	Turns bool
}

// MaxDepth is how many places one may go through, one inside the other: a tree in a scene is 1
// deep.
const MaxDepth = 8

// Errors of [Scene.AddInstance].
var (
	// ErrCycle is returned when a scene would be inside itself.
	ErrCycle = errors.New("linear: a scene would be inside itself")

	// ErrDepth is returned when scenes would be nested deeper than [MaxDepth].
	ErrDepth = errors.New("linear: scenes would be nested too deep")
)

// NewScene returns an empty scene. The configuration is that of the tree of its own
// objects; so are the errors.
func NewScene(cfg Config) (*Scene, error) {
	t, err := New(cfg)
	if err != nil {
		return nil, err
	}
	places, err := New(Config{Workers: cfg.Workers})
	if err != nil {
		return nil, err
	}
	s := &Scene{tree: t, places: places, entryOf: make(map[*uses]uint32), shape: nextShape()}
	s.uses.scene = s
	s.uses.stale.Store(true)
	for _, t := range []*Tree{s.tree, s.places} {
		s.hold(t.asPart())
	}
	return s, nil
}

// Tree returns the tree of the scene's own objects, which is changed and asked like any
// other. Its IDs are not those of places.
func (s *Scene) Tree() *Tree {
	s.made()
	return s.tree
}

func (s *Scene) asPart() *uses {
	if s == nil {
		return nil
	}
	s.made()
	return &s.uses
}

// made panics if the scene is the zero one, which has no trees.
func (s *Scene) made() {
	if len(s.entries) == 0 {
		zeroUsed("Scene", "make one with NewScene")
	}
}

//go:noinline
func zeroUsed(name, instead string) {
	panic("linear: the zero " + name + " was used: " + instead)
}

// change ends the life of all views.
func (s *Scene) change() {
	s.epoch++
	s.uses.changed()
}

// hold makes an entry for a part.
func (s *Scene) hold(u *uses) uint32 {
	i := uint32(len(s.entries))
	if n := len(s.free); n > 0 {
		i, s.free = s.free[n-1], s.free[:n-1]
	} else {
		s.entries = append(s.entries, entry{})
	}
	e := &s.entries[i]
	*e = entry{uses: u, at: u.add(use{s, i}), ids: e.ids[:0], ticked: u.ticks()}
	if i >= firstPart {
		s.parts[u.depth()]++
	}
	s.shape = nextShape()
	s.mark(i)
	s.change()
	return i
}

// drop gives an entry without places back.
func (s *Scene) drop(i uint32) {
	e := &s.entries[i]
	u := e.uses
	u.remove(e.at)
	s.parts[u.depth()]--
	delete(s.entryOf, u)
	*e = entry{ids: e.ids[:0]}
	s.free = append(s.free, i)
	s.due.Remove(i)
	s.shape = nextShape()
	s.change()
	s.lower(u.depth())
}

// write puts a place into an entry, under a pose.
func (s *Scene) write(id, entry uint32, pose *Transform) {
	for int(id) >= len(s.rows) {
		s.in, s.poses, s.rows = append(s.in, None), append(s.poses, Transform{}), append(s.rows, placement{})
		s.wrote = append(s.wrote, 0)
	}
	s.writes++
	s.wrote[id] = s.writes
	s.in[id], s.poses[id] = entry, *pose
}

// order brings the IDs of a part's places in order.
func (s *Scene) order(e *entry) {
	if !e.mixed {
		return
	}
	e.mixed = false
	slices.Sort(e.ids)
	for k, id := range e.ids {
		s.rows[id].index = uint32(k) // which no view reads
	}
}
