package ratios

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/must"
)

// session is one run of experiments. It keeps the last tree, or the last instances.
type session struct {
	rounds    int
	seed      uint64
	last      *sceneTree
	instanced *lab.Instances // last instances
}

// sceneTree is a scene and its tree.
type sceneTree struct {
	*lab.SceneTree
	ranges []asm.Range
}

// tree returns the tree of n objects of a scene, as NewSceneTree does.
func (s *session) tree(name string, n int) *sceneTree {
	if s.last != nil && s.last.Scene == name && len(s.last.Objects) == n {
		return s.last
	}
	s.last, s.instanced = nil, nil // free before the next is built
	b := must.Get(lab.NewSceneTree(name, n, s.seed))
	s.last = &sceneTree{SceneTree: b}
	return s.last
}
