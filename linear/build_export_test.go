package linear

import (
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// SetSqueeze makes builds squeeze keys whose items share at least that many bits, and returns the previous
// number.
func SetSqueeze(shared int) (was int) {
	was, octree.SqueezeMin = octree.SqueezeMin, shared
	return was
}

// SetParts sets the least numbers of objects, of objects to cut and of slots that justify another worker, and
// returns the previous numbers.
func SetParts(objects, cut, slots int) (oldObjects, oldCut, oldSlots int) {
	oldObjects, oldCut, oldSlots = octree.EncodeMin, octree.CutMin, octree.FillMin
	octree.EncodeMin, octree.CutMin, octree.FillMin, octree.LeafMin = objects, cut, slots, max(slots/soa.Fan, 1)
	return oldObjects, oldCut, oldSlots
}
