package linear

import "sync/atomic"

// Stamp identifies the state that a view shows: two views with the same stamp show the same
// objects with the same boxes and bounds, and places with the same poses. A program that
// keeps results of queries compares stamps to find out whether they still hold.
//
// Stamps are comparable, and valid in the process that made them. A stamp stays valid when
// its view has ended. A tree that changes and changes back has another stamp, and a view
// of a published version may have another one than the view of the tree from which it was
// published.
type Stamp struct {
	Source  uint64 // the tree, scene, snapshot or directory; its versions have it, too
	Version uint64 // of the source
	Part    uint32 // of a view of a part in a scene, its number; else 0
}

var sources atomic.Uint64

// nextSource returns a number that no source of a stamp has, and no version of what is
// published.
func nextSource() uint64 { return sources.Add(1) }

// Stamp returns the stamp of the state that the view shows. It allocates nothing and takes
// the time to read two numbers. It panics when the view has ended.
func (v View) Stamp() Stamp {
	s := v.Store()
	return Stamp{Source: s.Tree, Version: s.Version}
}

// Stamp returns the stamp of the state of the scene and of all parts in it, at any depth, or
// of the part that the view shows. It allocates nothing and takes the time to read a few
// numbers. It panics when the view has ended.
func (v SceneView) Stamp() Stamp {
	v.seen()
	t := v.level.table
	if t.version != 0 {
		return Stamp{t.source, published | t.version, v.level.number}
	}
	return Stamp{t.levels[0].state.objects.store.Tree, v.at, v.level.number}
}

// published is a bit in the versions of what is published: changes of a scene are counted
// from 0.
const published = 1 << 63
