package linear

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear/internal/instance"
)

// Scene is a container for instancing: it holds objects in a tree of its own, and instances of parts. A part is a tree,
// a snapshot or another scene; an instance places it under a transform. A part may have any number of instances in any
// number of scenes, and takes its memory once. Queries find its current contents in each instance.
//
//	street            a Scene: a tree of its own objects, and a tree of instance boxes
//	  instance 0  transform --+
//	  instance 1  transform --+--> building   a Scene, once
//	  instance 2  transform -+         instance 0  transform --> table    a Tree, once
//	                         |         instance 1  transform --> chair
//	                         +-----------------------------------^
//
// A query runs on the tree of instance boxes, and continues in the part of each box that it hits, after its shape is
// transformed into the part's space (package query/scene). This is the two-level scheme that ray tracers call TLAS and
// BLAS. Moving an instance is one [Scene.Move], however many objects the part has.
//
// A part may change at any time, and queries still have no false negatives: its instances are
// listed as outgrown until [Scene.Tick] has given them boxes that contain it. A program that calls
// Tick for the outermost scene in each frame ticks all parts below it.
//
// One goroutine at a time may change a scene and the parts below it, and none may query meanwhile; between changes any
// number of goroutines may query. [NewScenePublisher] lifts that restriction. A Scene is made by [NewScene]: methods of
// the zero value panic. It must not be copied. A part with instances keeps the scenes that hold it from being
// collected: call [Scene.Clear] on a scene that is no longer needed before its parts.
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
// Package query/scene transforms a query into the space of each part whose instance it intersects, level by level, and
// reads the parts through a [SceneView]. Moving an instance only moves a box. A changed part marks the scenes that hold
// it dirty, once until their next View; that View updates their state. A [Scene.Tick] ticks the scene, inner parts
// first. Before the tick, instances whose parts have outgrown their boxes are kept in a list, and every query searches
// that list.
type Scene struct {
	tree      *Tree // objects that belong to the scene itself
	instances *Tree // box of each instance
	scene     instance.Scene
	shared    *ScenePublisher // nil if the scene is not published
}

// InstanceOptions configure an instance; the zero value makes one that filters of every mask find, and
// whose box contains the part only in its present orientation.
type InstanceOptions struct {
	// Mask is the instance mask: objects inside are found only by filters whose Mask is 0, which
	// means all, or shares a bit with it. 0 means all bits.
	Mask uint32

	// Turns announces that the transform will rotate often. The box of the instance then contains the part in every
	// orientation: it is the box of the ball of [Part.Radius] about the part's origin, scaled by the transform. It is
	// larger than necessary, but a transform that only rotates the part about its origin changes no box. If it is
	// false, the box is that of the image of [Part.Bounds].
	Turns bool
}

// MaxDepth is the maximum nesting depth of instances. A tree in a scene has depth 1.
const MaxDepth = instance.MaxDepth

// Errors of [Scene.AddInstance].
var (
	// ErrCycle is returned when a scene would contain itself.
	ErrCycle = instance.ErrCycle

	// ErrDepth is returned when scenes would be nested deeper than [MaxDepth].
	ErrDepth = instance.ErrDepth
)

// NewScene returns an empty scene. The configuration is used for the tree of its own objects; Workers and Log are used
// for the tree of instances, too. The errors are those of [New].
func NewScene(cfg Config) (*Scene, error) {
	t, err := New(cfg)
	if err != nil {
		return nil, err
	}
	instances, err := New(Config{Workers: cfg.Workers, Log: cfg.Log})
	if err != nil {
		return nil, err
	}
	s := &Scene{tree: t, instances: instances}
	s.scene.Begin(s, instances, t.asPart(), instances.asPart())
	return s, nil
}

// Tree returns the tree of the scene's own objects, which is changed and queried like any other.
// Its IDs are distinct from instance IDs.
func (s *Scene) Tree() *Tree {
	s.made()
	return s.tree
}

// made returns the structure of the scene. It panics if the scene is the zero value, which has no trees.
func (s *Scene) made() *instance.Scene {
	if len(s.scene.Entries) == 0 {
		zeroUsed("Scene", "make one with NewScene")
	}
	return &s.scene
}

//go:noinline
func zeroUsed(name, instead string) {
	panic("linear: the zero " + name + " was used: " + instead)
}

// AddInstance adds an instance of a part under a transform, and returns its ID. Instances have IDs of their own, dense
// numbers like those of objects. The part may be empty, and the scene references it while it has an instance. A
// [Snapshot] has to stay open as long: views that reach a closed one panic.
//
// The errors are [ErrCycle] and [ErrDepth], an instance whose box is not finite, IDs that have run out ([ErrFull]), a
// snapshot that has been closed ([ErrClosed]), and a nil part. On an error nothing has changed. On success all views of
// the scene, and of the scenes that hold it, are invalidated.
func (s *Scene) AddInstance(p Part, transform Transform, o InstanceOptions) (id uint32, err error) {
	s.made()
	transforms, dst := [1]Transform{transform}, [1]uint32{}
	ids, err := s.AddInstances(dst[:0], p, transforms[:], o)
	if err != nil {
		return None, err
	}
	return ids[0], nil
}

// AddInstances adds one instance of a part for each transform, and appends their IDs to dst. The
// errors are those of [Scene.AddInstance]; the error for a box names the first such transform. On
// an error nothing has changed, and dst is returned unchanged.
func (s *Scene) AddInstances(dst []uint32, p Part, transforms []Transform, o InstanceOptions) ([]uint32, error) {
	s.made()
	if p == nil || p.asPart() == nil {
		return dst, errors.New("linear: AddInstance: the part is nil")
	}
	u := p.asPart()
	if s := snapshotOf(u); s != nil && s.file.IsClosed() {
		return dst, ErrClosed
	}
	return s.scene.Add(dst, u, formsOf(transforms), o.Mask, o.Turns)
}

// formsOf returns transforms in the type of package xform.
func formsOf(transforms []Transform) []xform.Transform {
	return unsafe.Slice(unsafe.SliceData(transforms).form(), len(transforms))
}

// Move sets the transform of an instance. The part itself is not touched, so it takes the time of one [Tree.Move], and
// less if the instance has [InstanceOptions.Turns] and only rotates; in steady state it allocates nothing. The errors
// are [ErrUnknown] and an instance whose box is not finite; on an error nothing has changed. On success all views of
// the scene, and of the scenes that hold it, are invalidated.
func (s *Scene) Move(id uint32, transform Transform) error {
	return s.made().Move(id, transform.form())
}

// MoveBatch sets the transform of instance ids[i] to transforms[i]: see [Scene.Move]. An ID that occurs
// twice gets the last transform. When an ID is not live or a box is not finite, the error names the
// index and nothing moves. It panics when the slices differ in length.
func (s *Scene) MoveBatch(ids []uint32, transforms []Transform) error {
	s.made()
	if len(ids) != len(transforms) {
		panic(fmt.Sprintf("linear: MoveBatch of %d instances and %d transforms", len(ids), len(transforms)))
	}
	return s.scene.MoveBatch(ids, formsOf(transforms))
}

// Remove removes an instance; the part is kept. The ID is free for the next instance, and handles of it become stale.
// An ID that is not live gives [ErrUnknown]. It invalidates all views of the scene, and of the scenes that hold it.
func (s *Scene) Remove(id uint32) error {
	if !s.made().IsLive(id) {
		return instance.Unknown(id)
	}
	if err := s.instances.Remove(id); err != nil {
		return err
	}
	s.scene.Vacate(id)
	return nil
}

// RemoveBatch removes the instances. When an ID is not live, or occurs twice, the error names its index and nothing is
// removed. It invalidates all views of the scene, and of the scenes that hold it.
func (s *Scene) RemoveBatch(ids []uint32) error {
	s.made()
	if err := s.instances.RemoveBatch(ids); err != nil {
		return fault.Errorf("linear: instances of a scene: %w", err)
	}
	s.scene.Vacate(ids...)
	return nil
}

// SetMask sets the mask of an instance: see [InstanceOptions]. An ID that is not live gives
// [ErrUnknown]. It invalidates all views of the scene, and of the scenes that hold it.
func (s *Scene) SetMask(id, mask uint32) error {
	if !s.made().IsLive(id) {
		return instance.Unknown(id)
	}
	return s.instances.SetMask(id, instance.Mask(mask))
}

// Instance returns the part of an instance and its transform. ok is false when the ID is not live.
func (s *Scene) Instance(id uint32) (p Part, transform Transform, ok bool) {
	if !s.made().IsLive(id) {
		return nil, transform, false
	}
	return faceOf(s.scene.Entries[s.scene.In[id]].Part), Transform(s.scene.Transforms[id]), true
}

// Handle returns a generational handle of an instance, which stays valid until the instance is
// removed. ok is false when the ID is not live.
func (s *Scene) Handle(id uint32) (h Handle, ok bool) {
	s.made()
	return s.instances.Handle(id)
}

// Resolve returns the ID of the instance with a handle, or [ErrStale] when the instance has been removed.
func (s *Scene) Resolve(h Handle) (id uint32, err error) {
	s.made()
	return s.instances.Resolve(h)
}

// Tick ends a frame and refits the scene. It ticks the parts below, inner ones first, each once however many scenes
// hold it. A part that another scene or the program has ticked since the last tick of this scene is not ticked again.
// Then it gives the instances of parts with other bounds new boxes. A part that has grown gets them at once. A part
// that has shrunk gets them when the sum of its sides, or its radius for instances with Turns, is less than four fifths
// of the former one. Last it ticks the trees of the scene. Parts without changes and without pending work cost nothing.
//
// The errors are those of [Tree.Tick], and instances whose boxes would not be finite: these keep
// their boxes, and queries still find their objects ([SceneView.Outgrown]). An error does not keep
// other parts from being processed. If there was work, all views of the scene, and of the scenes
// that hold it, are invalidated. In steady state it allocates nothing.
func (s *Scene) Tick() error { return s.made().Tick() }

// Validate checks all invariants of the scene and of the parts below it. It recomputes every stored
// fact, and returns an error that names the first wrong ones, or nil. It is for tests and for bug
// reports: it takes time proportional to the whole scene, each part once, and allocates. It reads what
// a first View changes, so no other goroutine may use the scene or a part below it meanwhile.
//
// It checks the trees ([Tree.Validate]), but not snapshots, which never change. It also checks the
// following invariants of scenes:
//   - Each instance belongs to one part, which lists it once, and has the box that follows from
//     its transform and the part.
//   - The references between parts and scenes agree.
//   - The depths of scenes are right.
//   - Every changed part is marked in the scenes that hold it.
//   - Views read the current state.
func (s *Scene) Validate() error { return s.made().Validate() }

// Clear removes all objects and all instances; parts are kept. IDs begin with 0 again. The scene
// keeps its memory. It invalidates all views of the scene, and of the scenes that hold it.
func (s *Scene) Clear() {
	s.made()
	s.tree.Clear()
	s.instances.Clear()
	s.scene.Clear()
}

// Trim frees memory that the scene does not need, as [Tree.Trim] does for its own trees; parts are
// not trimmed. It invalidates all views of the scene, and of the scenes that hold it.
func (s *Scene) Trim() {
	s.made()
	s.tree.Trim()
	s.instances.Trim()
	s.scene.Trim()
	if s.shared != nil {
		s.shared.versions.DropFree()
	}
}
