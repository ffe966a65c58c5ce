package instance

import (
	"errors"
	"fmt"

	"github.com/zoctree/zoctree/internal/fault"
)

// The depth of a scene is 0 without instances, else one more than the depth of its deepest part. No
// scene is deeper than MaxDepth, so none contains itself. A scene counts its parts by depth, so
// that it need not visit all of them when it loses the deepest one.

// MaxDepth is the maximum nesting depth of instances. A tree in a scene has depth 1.
const MaxDepth = 8

// Errors of [Scene.Add].
var (
	// ErrCycle is returned when a scene would contain itself.
	ErrCycle = errors.New("linear: a scene would contain itself")

	// ErrDepth is returned when scenes would be nested deeper than [MaxDepth].
	ErrDepth = errors.New("linear: scenes would be nested too deep")
)

// deepened is a scene with its former depth.
type deepened struct {
	scene *Scene
	depth int
}

// deepen raises the depth of the scene, and of the scenes that hold it, for a new part. On an error none has changed.
func (s *Scene) deepen(part *Part) error {
	var log []deepened
	err := s.raise(part.Depth()+1, part.Scene, &log)
	if err != nil {
		for i := range log {
			r := log[len(log)-1-i]
			r.scene.setDepth(r.depth)
		}
		if part.Scene != nil && s.isIn(part.Scene, make(map[*Scene]bool)) {
			return ErrCycle
		}
		return fault.Errorf("linear: a part of depth %d: %w", part.Depth(), err)
	}
	return nil
}

// raise makes a scene, and the scenes that hold it, at least that deep. It detects a cycle when it
// reaches the new part, because a scene is deeper than its parts.
func (s *Scene) raise(depth int, part *Scene, log *[]deepened) error {
	switch {
	case s == part:
		return ErrCycle
	case depth <= s.Depth:
		return nil
	case depth > MaxDepth:
		return fmt.Errorf("%w: instances nested %d deep, at most %d", ErrDepth, depth, MaxDepth)
	}
	*log = append(*log, deepened{s, s.Depth})
	s.setDepth(depth)
	for _, by := range s.Part.By {
		if err := by.Scene.raise(depth+1, part, log); err != nil {
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
	for _, by := range s.Part.By {
		if by.Scene.isIn(outer, seen) {
			return true
		}
	}
	return false
}

// lower reduces the depth of the scene, and of the scenes that hold it, after it has lost a part of that depth.
func (s *Scene) lower(part int) {
	if s.Depth != part+1 {
		return
	}
	depth := s.Depth
	for depth > 0 && s.Parts[depth-1] == 0 {
		depth--
	}
	if depth == s.Depth {
		return
	}
	was := s.Depth
	s.setDepth(depth)
	for _, by := range s.Part.By {
		by.Scene.lower(was)
	}
}

// setDepth changes the depth of the scene, and the counts of the scenes that hold it.
func (s *Scene) setDepth(depth int) {
	for _, by := range s.Part.By {
		by.Scene.Parts[s.Depth]--
		by.Scene.Parts[depth]++
	}
	s.Depth = depth
}
