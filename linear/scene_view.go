package linear

import (
	"fmt"
	"iter"
)

// SceneView is an immutable look at a scene between two changes, and at one of the parts in
// it: queries go from the view of the scene to those of its parts. A tree or snapshot that is a
// part looks like a scene without places. It is a small value, valid until the next change of the
// scene or of any part of it, at any depth; using it later panics. Any number of goroutines
// may use views of one scene at a time.
type SceneView struct {
	level *level
	life  *uint64 // counts what ends views of the outermost scene
	at    uint64
}

// View returns a look at the scene and its parts as they are now. It costs an atomic load
// if nothing has changed. Otherwise what waits in the trees that have changed is done, as
// by [Tree.View], in time proportional to the parts, and to the places of those that have
// outgrown their boxes since the last [Scene.Tick]. Any number of goroutines may take views
// between two changes: the first does what waits, the others wait for it. In steady state
// it allocates nothing.
func (s *Scene) View() SceneView {
	s.made()
	st := s.uses.look()
	if s.table.shape.Load() != st.shape {
		s.table.make(&s.uses)
	}
	return SceneView{&s.table.levels[0], &s.epoch, s.epoch}
}

// seen returns what the view looks at. It panics when the view is stale.
func (v SceneView) seen() *state {
	if v.life == nil || *v.life != v.at {
		v.stale()
	}
	return v.level.state
}

//go:noinline
func (v SceneView) stale() {
	if v.life == nil {
		panic("linear: the zero SceneView was used: take one with Scene.View")
	}
	if *v.life == closedVersion {
		panic("linear: a view of a snapshot was used after it was closed")
	}
	if v.level.table.levels[0].state.objects.life == nil { // not of a part, which may be a snapshot
		panic("linear: a view of a version of a scene that was held was used after its release")
	}
	panic(fmt.Sprintf("linear: a view of a scene at change %d was used after change %d", v.at, *v.life))
}

// Objects returns the view of the plain objects: those of [Scene.Tree], or of the tree that is
// the part.
func (v SceneView) Objects() View { return v.leased(&v.seen().objects) }

// Locator returns the view of a tree of boxes, one for each place, whose IDs are those of
// the places and whose masks are the gates ([InstanceOptions]). Each box holds all that is in
// its place, but for those of Outgrown. Of a tree that is a part it is an empty view.
func (v SceneView) Instances() View { return v.leased(&v.seen().places) }

// leased returns the view of a tree, which lives as long as v if it is that of a version.
func (v SceneView) leased(of *View) View {
	if of.life == nil {
		return View{of.store, v.life, v.at, of.index}
	}
	return *of
}

// Outgrown returns the IDs of the places that may stick out of their boxes, ascending,
// because the part has grown since the last [Scene.Tick]. Queries look at
// them whatever their boxes are. The slice is for reading only, as long as the view is valid.
func (v SceneView) Outgrown() []uint32 { return v.seen().outgrown }

// Instance returns what is in a place: the view of the part, its number, which Parts gives,
// and the pose, which is for reading only, as long as the view is valid. It panics when the
// ID is not that of a place. It allocates nothing.
func (v SceneView) Instance(id uint32) (inner SceneView, part uint32, pose *Transform) {
	st := v.seen()
	if uint64(id) < uint64(len(st.still)) && st.still[id].total > 0 {
		return SceneView{&v.level.table.levels[1+id], v.life, v.at}, 1 + id, &identity
	}
	if uint64(id) < uint64(len(st.in)) && st.in[id] != None {
		l := v.level.inner[st.in[id]]
		return SceneView{l, v.life, v.at}, l.number, &st.poses[id]
	}
	panic(fmt.Sprintf("linear: no place has the ID %d", id))
}

// identity is the pose of all places that are still.
var identity Transform

// Still reports that all places hold trees under the identity, each in a box that is its bounds: as
// shards are in the view of a [Directory].
func (v SceneView) Still() bool { return len(v.seen().still) > 0 }

// Tree returns the objects of a place of a scene that is still, and what Place returns besides, by way of
// less memory. It panics if the scene is not still, or has no such place.
func (v SceneView) Tree(id uint32) (objects View, part uint32, pose *Transform) {
	still := v.seen().still
	if uint64(id) >= uint64(len(still)) {
		panic(fmt.Sprintf("linear: the tree of place %d in a scene of %d places that are still", id, len(still)))
	}
	return v.leased(&still[id].objects), 1 + id, &identity
}

// Bounds returns the smallest box that is known to hold all that is in the scene, or in
// the part.
func (v SceneView) Bounds() AABB { return v.seen().bounds }

// Total returns the number of objects through all places: those of a part count as often as
// it is placed. It is at most 2^64 - 1.
func (v SceneView) Total() uint64 { return v.seen().total }

// Parts returns an iterator over the views of the scene and of all parts in it, at any
// depth, each once, and their numbers, from 0, the scene itself, upwards: dense ones, by
// which a program may keep something for each. They stay the same until other parts are
// placed, or parts are placed no more.
func (v SceneView) Parts() iter.Seq2[uint32, SceneView] {
	return func(yield func(uint32, SceneView) bool) {
		v.seen()
		levels := v.level.table.levels
		for i := range levels {
			if !yield(uint32(i), SceneView{&levels[i], v.life, v.at}) {
				return
			}
			v.seen() // panics if the scene has changed
		}
	}
}
