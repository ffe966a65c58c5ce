package linear

import (
	"fmt"
	"iter"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/linear/internal/instance"
)

// SceneView is a read-only view of a scene, or of one of its parts, between two changes. Queries descend from the view
// of the scene to the views of its parts. A tree or snapshot that is a part appears as a scene without instances. It is
// a small value, valid until the next change of the scene or of any part below it; using it later panics. Any number of
// goroutines may use views of one scene at a time.
type SceneView struct {
	level    *instance.Level
	validity *uint64 // change number of the outermost scene
	at       uint64
}

// View returns a view of the scene and its parts in their current state. It costs an atomic load if nothing has
// changed. Otherwise it applies the deferred changes of the trees that have changed, as [Tree.View] does, in time
// proportional to the number of parts, and of instances that have outgrown their boxes since the last [Scene.Tick]. Any
// number of goroutines may take views between two changes: the first applies the deferred changes, and the others wait
// for it. In steady state it allocates nothing.
func (s *Scene) View() SceneView {
	l := s.made().Level()
	return SceneView{l, &s.scene.Epoch, s.scene.Epoch}
}

// seen returns the state that the view reads. It panics when the view is stale.
func (v SceneView) seen() *instance.State {
	if v.validity == nil || *v.validity != v.at {
		v.stale()
	}
	return v.level.State
}

//go:noinline
func (v SceneView) stale() {
	if v.validity == nil {
		panic("linear: the zero SceneView was used: make one with Scene.View")
	}
	if *v.validity == closedVersion {
		panic("linear: a view of a snapshot was used after it was closed")
	}
	if v.level.Table.Levels[0].State.Objects.Validity == nil { // not of a part, which may be a snapshot
		panic("linear: a view of a version of a scene was used after the version was released: release it after its last query")
	}
	panic(fmt.Sprintf("linear: a view of a scene at change %d was used after change %d: call View after each change, or keep a version of a ScenePublisher", v.at, *v.validity))
}

// Objects returns the view of the plain objects: those in [Scene.Tree], or in the tree that is the
// part. [View.All] iterates over them.
func (v SceneView) Objects() View { return v.leased(&v.seen().Objects) }

// Instances returns the view of the tree of instance boxes. [View.All] iterates over them. Its IDs are instance IDs and
// its masks are the instance masks ([InstanceOptions]). Each box contains all objects of its instance, except for the
// instances in Outgrown. For a tree that is a part, the view is empty.
func (v SceneView) Instances() View { return v.leased(&v.seen().Instances) }

// leased returns the view of a tree. In a published version it is valid as long as v.
func (v SceneView) leased(of *instance.View) View {
	if of.Validity == nil {
		return View{of.Store, v.validity, v.at, of.Index}
	}
	return View{of.Store, of.Validity, of.At, of.Index}
}

// Outgrown returns the IDs, ascending, of the instances that may stick out of their boxes, because
// the part has grown since the last [Scene.Tick]. Queries visit them regardless of their boxes. The
// slice is read-only, and valid as long as the view.
func (v SceneView) Outgrown() []uint32 { return v.seen().Outgrown }

// Instance returns the part of an instance: its view, its number as in Parts, and the transform, which is read-only,
// and valid as long as the view. It panics when there is no instance with that ID. It allocates nothing.
func (v SceneView) Instance(id uint32) (inner SceneView, part uint32, transform *Transform) {
	st := v.seen()
	if uint64(id) < uint64(len(st.Still)) && st.Still[id].Total > 0 {
		return SceneView{&v.level.Table.Levels[1+id], v.validity, v.at}, 1 + id, (*Transform)(&instance.Identity)
	}
	if uint64(id) < uint64(len(st.In)) && st.In[id] != None {
		l := v.level.Inner[st.In[id]]
		return SceneView{l, v.validity, v.at}, l.Number, (*Transform)(&st.Transforms[id])
	}
	panic(fmt.Sprintf("linear: no instance has the ID %d", id))
}

// Prefetch loads the rows of instances, and the transforms of the first entered ones, at most all, into the cache of
// the CPU, so that the cache misses of many of them overlap. A search calls it some instances ahead of those that it
// takes or enters. IDs that no instance has are harmless. It takes about a nanosecond for each, changes nothing, and
// does not allocate.
func (v SceneView) Prefetch(ids []uint32, entered int) {
	st := v.seen()
	mem.Prefetch(st.In, ids, 0)
	mem.Prefetch(st.Transforms, ids[:min(max(entered, 0), len(ids))], 0)
}

// Still reports that all instances hold trees under the identity transform, each in a box that
// equals its bounds. This holds for the shards in the view of a [Directory].
func (v SceneView) Still() bool { return len(v.seen().Still) > 0 }

// Tree returns the objects of an instance of a still scene, and the other results of Instance, with fewer memory
// accesses than Instance. It panics if the scene is not still, or has no instance with that ID.
func (v SceneView) Tree(id uint32) (objects View, part uint32, transform *Transform) {
	still := v.seen().Still
	if uint64(id) >= uint64(len(still)) {
		panic(fmt.Sprintf("linear: the tree of instance %d in a scene of %d identity instances", id, len(still)))
	}
	return v.leased(&still[id].Objects), 1 + id, (*Transform)(&instance.Identity)
}

// Bounds returns the smallest known box that contains all objects of the scene or part.
func (v SceneView) Bounds() AABB { return v.seen().Bounds }

// Total returns the number of objects through all instances: the objects of a part count once per
// instance. It is at most 2^64 - 1.
func (v SceneView) Total() uint64 { return v.seen().Total }

// Parts returns an iterator over the views of the scene and of all parts below it, each once, with their numbers. The
// numbers are dense and begin with 0, the scene itself, so that a program can keep data per part in a slice. They do
// not change until a part gets its first instance or loses its last one.
//
// The numbers of the view of a part are those of the scene from which the view was taken. They count all parts of that
// scene, with the part of the view itself as number 0, in place of the scene.
func (v SceneView) Parts() iter.Seq2[uint32, SceneView] {
	return func(yield func(uint32, SceneView) bool) {
		v.seen()
		levels := v.level.Table.Levels
		for i := range levels {
			l := &levels[i]
			if i == 0 {
				l = v.level // number 0 is the part of the view
			}
			if !yield(uint32(i), SceneView{l, v.validity, v.at}) {
				return
			}
			v.seen() // panics if the scene has changed
		}
	}
}
