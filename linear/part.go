package linear

import (
	"github.com/zoctree/zoctree/linear/internal/file"
	"github.com/zoctree/zoctree/linear/internal/instance"
	"github.com/zoctree/zoctree/linear/internal/octree"
)

// Part is an element that a [Scene] instances under transforms: a *[Tree], a *[Snapshot] or a *[Scene]. No other
// type implements it.
type Part interface {
	// Bounds returns the smallest known box that contains the whole part; it is empty for an empty part. It
	// reads the part like [Tree.View], and so applies deferred changes.
	Bounds() AABB

	// Radius returns an upper bound of the distance of the part's content from the origin of the part's space;
	// 0 for an empty part. It reads the part like [Tree.View].
	Radius() float64

	asPart() *instance.Part
}

// treePart is a tree as the source of a part.
type treePart Tree

// View applies deferred changes.
func (t *treePart) View() instance.View { return viewIn((*Tree)(t).View()) }

// Synced reports whether no change is deferred.
func (t *treePart) Synced() bool { return t.deferred.synced.Load() }

// Tick ticks the tree.
func (t *treePart) Tick() error { return (*Tree)(t).Tick() }

// viewIn returns a view in the form that scenes hold.
func viewIn(v View) instance.View {
	return instance.View{Store: v.store, Validity: v.validity, At: v.at, Index: v.index}
}

// faceOf returns the tree, snapshot or scene of a part.
func faceOf(u *instance.Part) Part {
	if u.Scene != nil {
		return u.Scene.Face.(*Scene)
	}
	if s := snapshotOf(u); s != nil {
		return s
	}
	return treeOf(u)
}

// snapshotOf returns the snapshot that is a part, else nil.
func snapshotOf(u *instance.Part) *Snapshot {
	if f, ok := u.Source.(*file.Snapshot); ok {
		return f.Face.(*Snapshot)
	}
	return nil
}

// treeOf returns the tree that is a part.
func treeOf(u *instance.Part) *Tree { return (*Tree)(u.Source.(*treePart)) }

func (t *Tree) asPart() *instance.Part {
	if t == nil {
		return nil
	}
	return instance.PartOf(&t.octree, (*treePart)(t))
}

func (s *Snapshot) asPart() *instance.Part {
	if s == nil {
		return nil
	}
	return &s.opened().Part
}

func (s *Scene) asPart() *instance.Part {
	if s == nil {
		return nil
	}
	return &s.made().Part
}

// Bounds returns the smallest known bounding box of all objects, pending ones included. It is exact after a
// [Tree.Tick], and empty, as [EmptyBox] is, without objects. It takes a [Tree.View], constant time, and time
// proportional to the pending objects.
func (t *Tree) Bounds() AABB { return t.View().Bounds() }

// Bounds returns the smallest known bounding box of all objects of the view: see [Tree.Bounds].
func (v View) Bounds() AABB { return octree.BoundsOf(v.Store()) }

// Radius returns an upper bound of the distance of all boxes from the origin. It is the distance of the farthest
// corner of 16 boxes that contain the tree, and of the boxes of pending objects. It is 0 without objects. It takes
// a [Tree.View], constant time, and time proportional to the pending objects.
func (t *Tree) Radius() float64 { return octree.RadiusOf(t.View().Store()) }

// Bounds returns the [Tree.Bounds] of the tree that was saved. The first call takes the same time as that method.
// It panics when the snapshot has been closed before.
func (s *Snapshot) Bounds() AABB { return s.opened().Part.Sync().Bounds }

// Radius returns the [Tree.Radius] of the tree that was saved: see [Snapshot.Bounds].
func (s *Snapshot) Radius() float64 { return s.opened().Part.Sync().Radius }

// Bounds returns the smallest known box that contains all objects and the images of all parts.
// Images that exceed float32 make it infinite. It applies deferred changes: see [Scene.View].
func (s *Scene) Bounds() AABB { return s.made().Part.Sync().Bounds }

// Radius returns an upper bound of the distance from the origin to any object or image of a part.
// It applies deferred changes: see [Scene.View].
func (s *Scene) Radius() float64 { return s.made().Part.Sync().Radius }
