package scene

import (
	"cmp"
	"math"
	"slices"

	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/query"
)

// nearList is the list of the k nearest objects so far. Up to sortedMost it is ascending. A longer one is in the order
// of the offers, which is ascending within a part, until it is full; then it is a heap unless it is ascending.
type nearList struct {
	k         int
	best      []near
	heap      bool // best is a heap with the largest on top
	ascending bool // best is ascending
	paths     []nearPath

	keys   []uint64
	former []near
	radix  radix.Scratch
}

// sortedMost is the largest k for which inserting into a sorted list is faster than a heap and a sort at the end.
const sortedMost = 64

// near is an object: ordered by dist, path, and rank in its part; then by ID, where ranks are distances.
type near struct {
	dist  float32
	dist2 float32 // squared distance in the part, or noDist2
	id    uint32
	rank  uint32
	path  uint32 // number of the path
}

// noDist2 is the squared distance of an object whose dist is the lower bound of its distance.
const noDist2 = -1

// nearPath is the path to a part.
type nearPath struct {
	path Path
	nearMeasure
}

// nearMeasure converts distances in a part to those of the scene.
type nearMeasure struct {
	gap   float64 // distance bound between the exact point and the rounded one
	scale float64 // lower bound of the factor from local lengths to those of the scene
	low   float32 // lower bound of distances
	exact bool    // the point is exact and unscaled: as in package query
}

// lower returns a lower bound of the distance in the scene of an object at a distance in the
// part, or farther.
func (m *nearMeasure) lower(local float32) float32 {
	if m.exact {
		return local
	}
	return rounded((float64(local) - m.gap) * m.scale)
}

// below implements lower for a squared distance, as package query computes it.
func (m *nearMeasure) below(d2 float32) float32 { return m.lower(query.Neighbor{Dist2: d2}.Low()) }

// lowOf returns the lower bound of the distance of an object of a squared distance in the part.
func (m *nearMeasure) lowOf(d2 float32) float32 { return max(m.below(d2), m.low) }

func (w *nearList) reset(k int) {
	w.k, w.best, w.paths = k, w.best[:0], w.paths[:0]
	w.heap, w.ascending = false, true
}

// full reports whether there are k objects.
func (w *nearList) full() bool { return len(w.best) == w.k }

// worst returns the k-th object of a full list.
func (w *nearList) worst() *near {
	if w.heap {
		return &w.best[0]
	}
	return &w.best[w.k-1]
}

func (w *nearList) compare(n, m *near) int {
	if c := cmp.Compare(n.dist, m.dist); c != 0 {
		return c
	}
	if n.path != m.path {
		if c := w.paths[n.path].path.Compare(w.paths[m.path].path); c != 0 {
			return c
		}
	}
	if c := cmp.Compare(n.rank, m.rank); c != 0 {
		return c
	}
	return cmp.Compare(n.id, m.id)
}

// before reports whether an object is nearer than another.
func (w *nearList) before(n, m *near) bool {
	return n.dist < m.dist || n.dist == m.dist && w.compare(n, m) < 0
}

// offer adds an object if it is among the k nearest.
func (w *nearList) offer(n near) {
	switch {
	case w.k > sortedMost:
		w.offerToHeap(&n)
		return
	case len(w.best) < w.k:
		w.best = append(w.best, n)
	case !w.before(&n, &w.best[w.k-1]):
		return
	}
	i := len(w.best) - 1
	for ; i > 0 && w.before(&n, &w.best[i-1]); i-- {
		w.best[i] = w.best[i-1]
	}
	w.best[i] = n
}

func (w *nearList) offerToHeap(n *near) {
	if len(w.best) == w.k {
		if !w.before(n, w.worst()) {
			return
		}
		if !w.heap { // ascending: the reverse is a heap
			slices.Reverse(w.best)
			w.heap, w.ascending = true, false
		}
		w.best[0] = *n
		w.sink(0)
		return
	}
	last := len(w.best) - 1
	w.ascending = w.ascending && (last < 0 || w.before(&w.best[last], n))
	if w.best = append(w.best, *n); len(w.best) == w.k && !w.ascending {
		for i := len(w.best)/2 - 1; i >= 0; i-- {
			w.sink(i)
		}
		w.heap = true
	}
}

// sink moves an object of the heap down until no larger one is below it.
func (w *nearList) sink(i int) {
	for heap := w.best; ; {
		c := 2*i + 1
		if c >= len(heap) {
			return
		}
		if c+1 < len(heap) && w.before(&heap[c], &heap[c+1]) {
			c++
		}
		if !w.before(&heap[i], &heap[c]) {
			return
		}
		heap[i], heap[c] = heap[c], heap[i]
		i = c
	}
}

// sorted returns the objects in their order.
func (w *nearList) sorted() []near {
	if !w.ascending {
		w.sort()
	}
	return w.best
}

// sort sorts the list by radix of the distances, and objects of the same distance by comparison.
func (w *nearList) sort() {
	w.keys = w.keys[:0]
	for i := range w.best {
		w.keys = append(w.keys, uint64(math.Float32bits(w.best[i].dist+0))<<31) // -0 + 0 is 0
	}
	items, _ := w.radix.Order(w.keys, radix.Options{}) // fails only if it is cancelled
	w.former = append(w.former[:0], w.best...)
	for i, item := range items {
		w.best[i] = w.former[radix.Index(item)]
	}
	for first, k := 0, 1; k <= len(w.best); k++ {
		if k == len(w.best) || w.best[k].dist != w.best[first].dist {
			if k-first > 1 {
				slices.SortFunc(w.best[first:k], func(a, b near) int { return w.compare(&a, &b) })
			}
			first = k
		}
	}
}

// neighbor returns the neighbour of an object in the list.
func (w *nearList) neighbor(n *near) Neighbor {
	p := &w.paths[n.path]
	low := n.dist
	if n.dist2 != noDist2 {
		low = p.lowOf(n.dist2)
	}
	return Neighbor{p.path, n.id, n.dist, low}
}
