package show

import (
	"github.com/zoctree/zoctree/internal/nth"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// The densest region leaves out 1/crowdShare of the sides of objects at each border. It is shown
// if it is at most crowdNarrow times as wide as the box of all objects.
const (
	crowdShare  = 100
	crowdNarrow = 0.6
)

// DensestRegion returns the part of the world that the map of a view shows. It is the box of all
// objects, cut or not, so that slices of one scene have one scale. If a few distant or very large
// objects would make all others small, it is the box of nearly all the others in x and y. An
// empty view has an empty box. It takes time and memory proportional to the number of objects.
// Goroutines may share the view.
func DensestRegion(v linear.View) soa.AABB {
	return crowd(v, nil)
}

// crowd implements DensestRegion; stop cancels it, as in each.
func crowd(v linear.View, stop func() bool) soa.AABB {
	all := boundsOf(v)
	n := v.Len()
	if n < crowdShare {
		return all
	}
	b, widest, wide := all, 0.0, 0.0
	sides := make([]float32, 0, n)
	// rank returns the coordinate of a rank: the smallest on side 0, the largest on side 1.
	rank := func(k, axis, side int) float64 {
		sides = sides[:0]
		for o := range each(v, stop) {
			sides = append(sides, [2]float32{o.box.Min[axis], o.box.Max[axis]}[side])
		}
		if k >= len(sides) {
			return 0 // stopped
		}
		return float64(nth.Element(sides, k))
	}
	for a := range 2 {
		lo, hi := rank(n/crowdShare, a, 0), rank(n-1-n/crowdShare, a, 1)
		size := float64(all.Max[a]) - float64(all.Min[a])
		pad := max((hi-lo)/20, size/crowdShare)
		b.Min[a], b.Max[a] = max(float32(lo-pad), all.Min[a]), min(float32(hi+pad), all.Max[a])
		widest, wide = max(widest, size), max(wide, float64(b.Max[a])-float64(b.Min[a]))
	}
	if wide > crowdNarrow*widest {
		return all
	}
	return b
}

// crowd returns the densest region of the view, computed once.
func (s *Scene) crowd() soa.AABB {
	if s.window == nil {
		s.window = new(crowd(s.View, s.stop))
	}
	return *s.window
}

// beyond returns the number of objects that extend beyond the map in x or y.
func (s *Scene) beyond() (n int) {
	window := s.crowd()
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
