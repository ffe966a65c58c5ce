package scene

import (
	"iter"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// Append adds the objects that intersect a volume to an answer.
//
// The scene's own objects are first, in the order of the volume's own Append
// ([query.Frustum.Append]). They are followed instance by instance by the objects of the part, in
// the order of its tree, then, before the next instance, by the contents of the part's instances.
// Instances are in the order in which the volume finds their boxes in the tree of instances.
// Instances that have outgrown their boxes since the last tick ([linear.SceneView.Outgrown]) are
// last, ascending. So the order is a function of the changes made to the scene and its parts so
// far, of the volume, and of the filter. It is the same on every CPU.
//
// A flat [query.OrientedBox], with one axis of no length, is a section plane of any direction: with Filter.Exact it
// finds the objects whose bounds the plane cuts, not only their boxes.
//
// It allocates only while the answer lacks room. The cost is as of the volume on the tree of
// instances, and a cost for each instance found. If its box is surely inside, only its IDs are
// written, and copied if the part has been visited before in this way. Otherwise the volume is
// transformed, of planes those that cross the box (BenchmarkScene). Then nothing follows if the
// bounds of the part are outside the volume, the IDs are written if they are inside, and else the
// part is queried.
func Append[V query.Volume](a *Answer, volume V, v linear.SceneView, flt query.Filter) {
	w := begin(askAppend, &volume, v, &flt)
	w.answer = a
	w.run(&flt)
	w.release()
}

// Count returns the number of objects that intersect a volume, without reading IDs. Objects of a
// part count once for each of its instances. The result is at most 2^64 - 1. A fully contained
// part is not searched if the filter keeps all. It does not allocate.
func Count[V query.Volume](volume V, v linear.SceneView, flt query.Filter) uint64 {
	w := begin(askCount, &volume, v, &flt)
	w.run(&flt)
	n := w.count
	w.release()
	return n
}

// All returns an iterator over the objects that intersect a volume, with the paths of their
// parts, in the order of [Append]. It searches instance by instance during the iteration.
// Changing the scene during the iteration makes it panic.
func All[V query.Volume](volume V, v linear.SceneView, flt query.Filter) iter.Seq2[Path, uint32] {
	return func(yield func(Path, uint32) bool) {
		w := begin(askEach, &volume, v, &flt)
		w.yield = yield
		w.run(&flt)
		w.release()
	}
}

// Part is the part of an instance, or the scene itself, with the path that leads to it.
type Part struct {
	Path   Path
	View   linear.SceneView // view of the part; View.Objects has the columns of its objects
	Number uint32           // as linear.SceneView.Parts numbers it, for example to select a mesh
}

// Ranges calls yield with the result of [Append] as ranges of packet slots, until yield returns
// false. The caller can read IDs and columns from them without copying: see
// [query.Frustum.Ranges]. A slot may be empty. Changing the scene in yield makes it panic.
func Ranges[V query.Volume](volume V, v linear.SceneView, flt query.Filter, yield func(Part, query.Range) bool) {
	w := begin(askParts, &volume, v, &flt)
	w.part = yield
	w.run(&flt)
	w.release()
}
