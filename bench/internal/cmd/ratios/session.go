package ratios

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/must"
)

// session is one run of experiments. It keeps the last bed, or the last bed of instances.
type session struct {
	rounds    int
	seed      uint64
	last      *bed
	instanced *lab.Instances // last bed of instances
}

// bed is a scene and its trees.
type bed struct {
	*lab.Bed
	ranges []asm.Range
}

// bed returns the bed of n objects of a scene, as NewBed does.
func (s *session) bed(name string, n int) *bed {
	if s.last != nil && s.last.Scene == name && len(s.last.Objects) == n {
		return s.last
	}
	s.last, s.instanced = nil, nil // free before the next is built
	b := must.Get(lab.NewBed(name, n, s.seed))
	s.last = &bed{Bed: b}
	return s.last
}
