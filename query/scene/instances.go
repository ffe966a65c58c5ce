package scene

import (
	"iter"

	"github.com/zoctree/zoctree/linear"
)

// Instances returns an iterator over the instances of a scene at any depth, depth-first: the contents of
// the part of an instance follow it. [Path.Instance] of a path returns its transform to the scene.
// The instances of one part are in the order of their tree ([linear.SceneView.Instances]).
//
// [linear.SceneView.Parts] iterates over the parts, each once, and [All] of the zero query.Frustum over all
// objects. Instances takes time proportional to the number of paths, which may exceed the number of stored
// instances by far, and does not allocate. Changing the scene during the iteration makes it panic.
func Instances(v linear.SceneView) iter.Seq[Part] {
	return func(yield func(Part) bool) {
		var path Path
		eachInstance(v, v, &path, yield)
	}
}

// eachInstance yields the instances in a part of a scene, until yield returns false.
func eachInstance(top, part linear.SceneView, path *Path, yield func(Part) bool) bool {
	instances := part.Instances()
	for slot := range uint32(instances.Slots()) {
		for _, id := range instances.IDs(slot) {
			inner, number, _ := part.Instance(id)
			path.push(id)
			if !yield(Part{*path, inner, number}) {
				return false
			}
			top.Instances() // panics if the scene has changed
			if !eachInstance(top, inner, path, yield) {
				return false
			}
			path.pop()
		}
	}
	return true
}
