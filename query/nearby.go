package query

import (
	"iter"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// Nearby is an incremental nearest-neighbour search: it visits objects outward from a point until
// the caller stops. Make one with [NewNearby]. The zero value starts at the origin.
type Nearby struct{ point [3]float32 }

// NewNearby returns the incremental nearest-neighbour search from a point. A point that is not finite is an error that
// names it.
func NewNearby(point [3]float32) (n Nearby, err error) {
	if !allFinite(&point) {
		return Nearby{}, infinite("point", point)
	}
	n.point[0], n.point[1], n.point[2] = point[0], point[1], point[2]
	return n, nil
}

// Point returns the point from which the search begins.
func (n Nearby) Point() [3]float32 { return n.point }

// All returns an iterator over all objects that pass the filter, nearest first, objects at the
// same Dist2 by ID: the order of [AppendNearest], without a k or a distance given beforehand.
// Changing the tree during the iteration makes it panic.
//
// A [Neighbor] is a lower bound for any metric that is nowhere smaller than the distance to the
// box, such as the distance to the shape in the box. To find the nearest object by such a metric,
// stop when [Neighbor.Low] exceeds the best so far: no later object can be nearer.
//
// Cost: the search is best first. It opens only nodes and packets that are no further away than
// the objects it has yielded; O(log n) for each of their children and objects. When that is much
// of the tree, it computes the distances of all objects at once and sorts as many as the caller
// consumes. It allocates nothing once its heaps have grown. Any number of goroutines may iterate
// at a time.
func (n Nearby) All(v linear.View, flt Filter) iter.Seq[Neighbor] {
	return func(yield func(Neighbor) bool) { n.each(v, flt, yield) }
}

// each yields the objects until yield returns false.
func (n Nearby) each(v linear.View, flt Filter, yield func(Neighbor) bool) {
	var keep walk.Filter
	s := v.Store()
	flt.prepare(&keep)
	flt.resolve(v, &keep)
	q := walk.TakeFrontier(s, &n.point, &keep)
	for x, ok := q.Next(s, &keep); ok && yield(Neighbor(x)); x, ok = q.Next(s, &keep) {
		v.Store() // panics if the tree has changed
	}
	q.Release()
}
