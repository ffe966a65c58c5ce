package linear

import (
	"fmt"

	"github.com/zoctree/zoctree/internal/fault"
)

// The depth of a scene is 0 without instances, else one more than the depth of its deepest part. No
// scene is deeper than MaxDepth, so none contains itself. A scene counts its parts by depth, so
// that it need not visit all of them when it loses the deepest one.

// deepened is a scene with its former depth.
type deepened struct {
	scene *Scene
	depth int
}

// deepen raises the depth of the scene, and of the scenes that hold it, for a new part. On an error
// none has changed.
func (s *Scene) deepen(part *partNode) error {
	var log []deepened
	err := s.raise(part.depth()+1, part.scene, &log)
	if err != nil {
		for i := range log {
			r := log[len(log)-1-i]
			r.scene.setDepth(r.depth)
		}
		if part.scene != nil && s.isIn(part.scene, make(map[*Scene]bool)) {
			return ErrCycle
		}
		return fault.Errorf("linear: a part of depth %d: %w", part.depth(), err)
	}
	return nil
}

// raise makes a scene, and the scenes that hold it, at least that deep. It detects a cycle when it
// reaches the new part, because a scene is deeper than its parts.
func (s *Scene) raise(depth int, part *Scene, log *[]deepened) error {
	switch {
	case s == part:
		return ErrCycle
	case depth <= s.depth:
		return nil
	case depth > MaxDepth:
		return fmt.Errorf("%w: instances nested %d deep, at most %d", ErrDepth, depth, MaxDepth)
	}
	*log = append(*log, deepened{s, s.depth})
	s.setDepth(depth)
	for _, by := range s.partNode.by {
		if err := by.scene.raise(depth+1, part, log); err != nil {
			return err
		}
	}
	return nil
}

// isIn reports whether the scene is outer or inside it, and skips scenes seen before.
func (s *Scene) isIn(outer *Scene, seen map[*Scene]bool) bool {
	if s == outer {
		return true
	}
	if seen[s] {
		return false
	}
	seen[s] = true
	for _, by := range s.partNode.by {
		if by.scene.isIn(outer, seen) {
			return true
		}
	}
	return false
}

// lower reduces the depth of the scene, and of the scenes that hold it, after it has lost a part of
// that depth.
func (s *Scene) lower(part int) {
	if s.depth != part+1 {
		return
	}
	depth := s.depth
	for depth > 0 && s.parts[depth-1] == 0 {
		depth--
	}
	if depth == s.depth {
		return
	}
	was := s.depth
	s.setDepth(depth)
	for _, by := range s.partNode.by {
		by.scene.lower(was)
	}
}

// setDepth changes the depth of the scene, and the counts of the scenes that hold it.
func (s *Scene) setDepth(depth int) {
	for _, by := range s.partNode.by {
		by.scene.parts[s.depth]--
		by.scene.parts[depth]++
	}
	s.depth = depth
}
