package instance

import (
	"sync"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// View is the content of a tree or a snapshot. It is valid as long as the counter of validity has a given value.
type View struct {
	Store    *soa.Store
	Validity *uint64 // nil in a version: as long as the view of the scene is
	At       uint64
	Index    *octree.Index
}

// Empty is a view without objects.
var Empty = func() View {
	s := octree.NewStore()
	return View{s, &s.Version, 0, &octree.Index{IDs: &soa.IDs{}}}
}()

// State is the part of a scene level that queries read. A tree has the state of a scene without instances.
type State struct {
	Bounds             soa.AABB
	Total              uint64 // number of objects, counted through all instances
	Objects, Instances View
	In                 []uint32          // by instance ID: its entry, or None
	Transforms         []xform.Transform // by instance ID
	Still              []State           // instead of both, by instance ID: states of trees under the identity, levels 1, 2, …
	Outgrown           []uint32          // IDs of instances that may extend beyond their boxes, ascending
	Radius             float64
	Shape              uint64 // changes when the set of parts below changes
}

// Level is a part in a table.
type Level struct {
	State  *State
	Inner  []*Level // by entry of a scene; nil where it holds no part
	Table  *Table
	Number uint32
}

// Table lists the parts of a scene, at any depth, each once.
type Table struct {
	shape  atomic.Uint64 // shape that it was made for; 0: never made
	lock   sync.Mutex    // held while it is made
	Levels []Level

	// Numbers of the scene and of the version, for tables of published or immutable scenes. Both
	// are 0 in the table of a Scene: see linear.SceneView.Stamp.
	Source, Version uint64
}

// Identity is the transform of all instances of a still scene.
var Identity xform.Transform

var shapes atomic.Uint64

// nextShape returns a number that no scene has had before.
func nextShape() uint64 { return shapes.Add(1) }

// renew lists the parts of a scene, outer ones first, in the order of entries.
func (tb *Table) renew(top *Part) {
	tb.lock.Lock()
	defer tb.lock.Unlock()
	if tb.shape.Load() == top.State.Shape {
		return // made by another goroutine
	}
	list := PartsBelow(top)
	tb.Fill(list, func(k int) *State { return &list[k].State })
	tb.shape.Store(top.State.Shape)
}

// Fill makes the levels of listed parts with their states.
func (tb *Table) Fill(list []*Part, stateOf func(k int) *State) {
	links := 0
	number := make(map[*Part]uint32, len(list))
	for k, u := range list {
		number[u] = uint32(k)
		if u.Scene != nil {
			links += len(u.Scene.Entries)
		}
	}
	tb.Levels = make([]Level, len(list))
	all := make([]*Level, links)
	for k, u := range list {
		l := &tb.Levels[k]
		*l = Level{State: stateOf(k), Table: tb, Number: uint32(k)}
		if u.Scene == nil {
			continue
		}
		n := len(u.Scene.Entries)
		l.Inner, all = all[:n:n], all[n:]
		for i, e := range u.Scene.Entries[FirstPart:] {
			if e.Part != nil {
				l.Inner[FirstPart+i] = &tb.Levels[number[e.Part]]
			}
		}
	}
}

// PartsBelow lists a part and all parts below it, each once, outer ones first, in the order of entries.
func PartsBelow(top *Part) []*Part {
	seen := map[*Part]bool{top: true}
	list := []*Part{top}
	for k := 0; k < len(list); k++ {
		if list[k].Scene == nil {
			continue
		}
		for _, e := range list[k].Scene.Entries[FirstPart:] {
			if e.Part != nil && !seen[e.Part] {
				seen[e.Part] = true
				list = append(list, e.Part)
			}
		}
	}
	return list
}

// PartsWithin lists a part after all parts below it, each once, including the own trees of scenes.
func PartsWithin(top *Part) []*Part {
	seen := map[*Part]bool{}
	var list []*Part
	var visit func(u *Part)
	visit = func(u *Part) {
		if seen[u] {
			return
		}
		seen[u] = true
		if u.Scene != nil {
			for i := range u.Scene.Entries {
				if e := &u.Scene.Entries[i]; e.Part != nil {
					visit(e.Part)
				}
			}
		}
		list = append(list, u)
	}
	visit(top)
	return list
}
