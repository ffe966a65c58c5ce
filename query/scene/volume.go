package scene

import (
	"iter"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// Append adds the objects that meet a volume to an answer.
//
// First come the scene's own objects, in the order of the volume's own Append
// ([query.Frustum.Append]), then place by place what is in parts: the objects of the
// part, in the order in which its tree gives them, then, before the next place, what is
// placed in the part. Places come in the order in which the volume finds their boxes in
// the tree of places; those that have outgrown their boxes since the last tick
// ([linear.SceneView.Outgrown]) come last, ascending. So the order is a function of the
// changes made to the scene and its parts so far, of the volume, and of the filter. It
// is equal on every CPU.
//
// It allocates only while the answer lacks room. Cost: that of the volume on the tree of
// places; for each place found whose box is surely inside, the writing of its IDs, which are
// copied if the part has been met so before; for each other one, to move the volume, of planes
// those that cross the box (BenchmarkScene), and then nothing if the bounds of the part are outside
// the volume, the writing of the IDs if they are inside, and else the query of that part.
func Append[V query.Volume](a *Answer, volume V, v linear.SceneView, flt query.Filter) {
	w := begin(askAppend, &volume, v, &flt)
	w.answer = a
	w.run(&flt)
	w.release()
}

// Count returns the number of objects that meet a volume, without reading IDs; those of a
// part count as often as it is placed. It is at most 2^64 - 1. A part that lies wholly
// inside is not looked at, however many there are in it, if the filter keeps all. It does
// not allocate.
func Count[V query.Volume](volume V, v linear.SceneView, flt query.Filter) uint64 {
	w := begin(askCount, &volume, v, &flt)
	w.run(&flt)
	n := w.count
	w.release()
	return n
}

// Any reports whether an object meets a volume. It stops when it has found one. It does not
// allocate.
func Any[V query.Volume](volume V, v linear.SceneView, flt query.Filter) bool {
	w := begin(askAny, &volume, v, &flt)
	w.run(&flt)
	found := w.count > 0
	w.release()
	return found
}

// All returns an iterator over the objects that meet a volume, with the paths of the parts
// that they are in, in the order of [Append]. It works place by place while it goes on.
// Changing the scene during the iteration makes it panic.
func All[V query.Volume](volume V, v linear.SceneView, flt query.Filter) iter.Seq2[Path, uint32] {
	return func(yield func(Path, uint32) bool) {
		w := begin(askEach, &volume, v, &flt)
		w.yield = yield
		w.run(&flt)
		w.release()
	}
}

// Part is a part of a scene in which something was found.
type Part struct {
	Path   Path
	View   linear.SceneView // of the part; View.Objects has the columns of its objects
	Number uint32           // as linear.SceneView.Parts gives it: that of a mesh, say
}

// Ranges calls yield with the answer of [Append] as ranges of packet slots, from which a
// caller reads IDs and columns without copying, until it returns false: see
// [query.Frustum.Ranges]. A slot may be empty. Changing the scene in yield makes it panic.
func Ranges[V query.Volume](volume V, v linear.SceneView, flt query.Filter, yield func(Part, query.Range) bool) {
	w := begin(askParts, &volume, v, &flt)
	w.part = yield
	w.run(&flt)
	w.release()
}
