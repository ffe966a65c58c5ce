package linear

import (
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/internal/mem"
)

// SceneStats holds the counts and memory figures of a scene, from [Scene.Stats].
type SceneStats struct {
	Instances int    // number of instances
	Parts     int    // number of distinct parts
	Turning   int    // number of instances with [InstanceOptions.Turns]
	Depth     int    // instances on the longest path down, at most MaxDepth
	Total     uint64 // number of objects through all instances; at most 2^64 - 1

	Objects Stats // tree of the scene's own objects
	Boxes   Stats // tree of instance boxes

	Transforms int // bytes of transforms and the columns of instances
	Lists      int // bytes of lists of instances and parts
	Scratch    int // bytes of buffers

	// Figures of a published scene: Versions is the number of versions in memory, published, free
	// or held. Held is the number of those that readers hold now. VersionBytes is the memory of
	// their transforms; versions of trees are counted by the Stats of the trees.
	Versions     int
	Held         int
	VersionBytes int
}

// Stats returns the counts and the memory of the scene without its parts. It takes time
// proportional to the number of instances and of packets of its own trees.
func (s *Scene) Stats() SceneStats {
	s.made()
	return s.stats(s.tree.Stats(), s.instances.Stats())
}

// stats counts the scene, given the statistics of its own trees.
func (s *Scene) stats(objects, boxes Stats) SceneStats {
	st := SceneStats{
		Instances: boxes.Objects, Parts: len(s.entryOf), Depth: s.depth, Total: s.partNode.sync().total,
		Objects: objects, Boxes: boxes,
		Transforms: mem.Bytes(s.in) + mem.Bytes(s.transforms) + mem.Bytes(s.rows) + mem.Bytes(s.wrote), Lists: mem.Bytes(s.entries) + mem.Bytes(s.free) + mem.Bytes(s.due.Words()) + mem.Bytes(s.held.Words()),
	}
	for i := range s.entries {
		st.Turning += s.entries[i].turns
		st.Lists += mem.Bytes(s.entries[i].ids)
	}
	sc := &s.scratch
	st.Scratch = mem.Bytes(sc.objects) + mem.Bytes(sc.ids) + mem.Bytes(sc.boxes) + mem.Bytes(sc.reaches)
	if s.shared != nil {
		s.shared.count(&st)
	}
	return st
}

// Bytes returns the memory of the scene without that of its parts.
func (s SceneStats) Bytes() int {
	bytes := s.Transforms + s.Lists + s.Scratch + s.VersionBytes
	for _, t := range []*Stats{&s.Objects, &s.Boxes} {
		bytes += t.LiveBytes() + t.Log + t.Slack + t.Scratch + t.VersionBytes
	}
	return bytes
}

// String returns a line of counts and a line of memory.
func (s SceneStats) String() string {
	return fmt.Sprintf("%d objects and %d instances (%d turning) of %d parts, depth %d, %d objects through all instances\nbytes: %d of objects, %d of boxes of instances, %d of transforms, %d in all",
		s.Objects.Objects, s.Instances, s.Turning, s.Parts, s.Depth, s.Total, s.Objects.LiveBytes(), s.Boxes.LiveBytes(), s.Transforms, s.Bytes())
}

// Clear removes all objects and all instances; parts are kept. IDs begin with 0 again. The scene
// keeps its memory. It invalidates all views of the scene, and of the scenes that hold it.
func (s *Scene) Clear() {
	s.made()
	s.tree.Clear()
	s.instances.Clear()
	for i := len(s.entries) - 1; i >= firstPart; i-- {
		if s.entries[i].partNode != nil {
			s.drop(uint32(i))
		}
	}
	s.in, s.transforms, s.rows, s.wrote = s.in[:0], s.transforms[:0], s.rows[:0], s.wrote[:0]
	s.entries, s.free = s.entries[:firstPart], s.free[:0]
	s.change()
}

// Trim frees memory that the scene does not need, as [Tree.Trim] does for its own trees; parts are
// not trimmed. It invalidates all views of the scene, and of the scenes that hold it.
func (s *Scene) Trim() {
	s.made()
	s.tree.Trim()
	s.instances.Trim()
	n := min(len(s.rows), s.instances.octree.IDs.Cap())
	s.in, s.transforms = slices.Clone(s.in[:n]), slices.Clone(s.transforms[:n])
	s.rows, s.wrote = slices.Clone(s.rows[:n]), slices.Clone(s.wrote[:n])
	s.compact()
	s.scratch = sceneScratch{}
	if s.shared != nil {
		s.shared.free = nil
	}
}
