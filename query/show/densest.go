package show

import (
	"github.com/zoctree/zoctree/internal/nth"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// The densest region leaves out 1/denseShare of the sides of objects at each border. It is shown
// if it is at most denseNarrow times as wide as the box of all objects.
const (
	denseShare  = 100
	denseNarrow = 0.6
)

// DensestRegion returns the part of the world that the map of a view shows. It is the box of all
// objects, cut or not, so that slices of one scene have one scale. If a few distant or very large
// objects would make all others small, it is the box of nearly all the others in x and y. An
// empty view has an empty box. It takes time and memory proportional to the number of objects.
// Goroutines may share the view.
func DensestRegion(v linear.View) linear.AABB {
	return densestRegion(v, boundsOf(v), nil)
}

// densestRegion implements DensestRegion, given the box of all objects; stop cancels it, as in each.
func densestRegion(v linear.View, all soa.AABB, stop func() bool) soa.AABB {
	n := v.Len()
	if n < denseShare {
		return all
	}
	b, widest, wide := all, 0.0, 0.0
	sides := make([]float32, 0, n)
	// rank returns the coordinate of a rank: the smallest on side 0, the largest on side 1.
	rank := func(k, axis, side int) float64 {
		sides = sides[:0]
		p := &v.Store().Packets
		for slot, n := range p.Counts {
			if slot%1024 == 0 && stop != nil && stop() {
				break
			}
			sides = append(sides, p.Bounds[slot][2*axis+side][:n]...)
		}
		if k >= len(sides) {
			return 0 // stopped
		}
		return float64(nth.Element(sides, k))
	}
	for a := range 2 {
		lo, hi := rank(n/denseShare, a, 0), rank(n-1-n/denseShare, a, 1)
		size := float64(all.Max[a]) - float64(all.Min[a])
		pad := max((hi-lo)/20, size/denseShare)
		b.Min[a], b.Max[a] = max(float32(lo-pad), all.Min[a]), min(float32(hi+pad), all.Max[a])
		widest, wide = max(widest, size), max(wide, float64(b.Max[a])-float64(b.Min[a]))
	}
	if wide > denseNarrow*widest {
		return all
	}
	return b
}

// densestRegion returns the densest region of the view, computed once.
func (s *Scene) densestRegion() soa.AABB {
	if s.window == nil {
		s.window = new(densestRegion(s.View, s.bounds(), s.stop))
	}
	return *s.window
}

// beyond returns the number of objects that extend beyond the map in x or y.
func (s *Scene) beyond() (n int) {
	window := s.densestRegion()
	for o := range each(s.View, s.stop) {
		for a := range 2 {
			if o.box.Min[a] < window.Min[a] || o.box.Max[a] > window.Max[a] {
				n++
				break
			}
		}
	}
	return n
}
