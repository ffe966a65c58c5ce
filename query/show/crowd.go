package show

import (
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// The crowd leaves out one side in so many of each border, and is shown if it is that much
// narrower than everything.
const (
	crowdShare  = 100
	crowdNarrow = 0.6
)

// Crowd returns what the map of a view shows of the world: the box of all objects, cut or not, so
// that slices of one scene have one scale; but where a few objects stand far off, or are very
// large, and would make all others small, the box of nearly all the others in x and y. An empty view
// has an empty box. It takes time and memory in proportion to the objects. Goroutines may share
// the view.
func Crowd(v linear.View) soa.AABB {
	all := boundsOf(v)
	var sides [4][]float32 // of min x, min y, max x and max y
	for slot := range uint32(v.Slots()) {
		for lane := range v.IDs(slot) {
			b := v.Box(slot, lane)
			for a := range 2 {
				sides[a], sides[2+a] = append(sides[a], b.Min[a]), append(sides[2+a], b.Max[a])
			}
		}
	}
	n := len(sides[0])
	if n < crowdShare {
		return all
	}
	b, widest, wide := all, 0.0, 0.0
	for a := range 2 {
		slices.Sort(sides[a])
		slices.Sort(sides[2+a])
		lo, hi := float64(sides[a][n/crowdShare]), float64(sides[2+a][n-1-n/crowdShare])
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

// beyond returns how many objects the map shows a part of, or nothing, in x or y.
func (s *Scene) beyond() (n int) {
	window := Crowd(s.View)
	for _, o := range byID(s.View) {
		for a := range 2 {
			if o.box.Min[a] < window.Min[a] || o.box.Max[a] > window.Max[a] {
				n++
				break
			}
		}
	}
	return n
}
