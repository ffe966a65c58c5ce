package linear

import (
	"fmt"

	"github.com/zoctree/zoctree/linear/internal/instance"
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
	return sceneStats(s.made(), s.shared, s.tree.Stats(), s.instances.Stats())
}

// sceneStats counts a scene, given the statistics of its own trees.
func sceneStats(s *instance.Scene, shared *ScenePublisher, objects, boxes Stats) SceneStats {
	c := s.Count()
	st := SceneStats{
		Instances: boxes.Objects, Parts: len(s.EntryOf), Turning: c.Turning, Depth: s.Depth, Total: s.Part.Sync().Total,
		Objects: objects, Boxes: boxes,
		Transforms: c.Transforms, Lists: c.Lists, Scratch: c.Scratch,
	}
	if shared != nil {
		shared.count(&st)
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
