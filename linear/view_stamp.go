package linear

// Stamp identifies the state of a view, for caches of query results. Two views with the same stamp have the same
// objects with the same boxes and bounds, and instances with the same transforms. A program that keeps results
// compares stamps to detect whether they are still valid.
//
// Stamps are comparable, and valid in the process that made them. A stamp stays valid when its view has ended. A
// tree that changes and changes back has another stamp, and a view of a published version may have another stamp
// than the view of the tree from which it was published.
type Stamp struct {
	Source  uint64 // ID of the tree, scene, snapshot or directory; the same in its versions
	Version uint64 // version of the source
	Part    uint32 // number of the part if the view is of a part in a scene; else 0
}

// Stamp returns the stamp of the view's state. It reads two numbers and allocates nothing. It panics when the view
// has ended.
func (v View) Stamp() Stamp {
	s := v.Store()
	return Stamp{Source: s.Tree, Version: s.Version}
}

// Stamp returns the stamp of the state of the scene and of all its parts at any depth, or of the part that the view
// is of. It reads a few numbers and allocates nothing. It panics when the view has ended.
func (v SceneView) Stamp() Stamp {
	v.seen()
	t := v.level.table
	if t.version != 0 {
		return Stamp{t.source, published | t.version, v.level.number}
	}
	return Stamp{t.levels[0].state.objects.store.Tree, v.at, v.level.number}
}

// published is a bit in the version numbers of published states: changes of a scene are counted from 0.
const published = 1 << 63
