package query

import (
	"iter"
	"math/bits"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Volume is the type set of the volume queries, as for [Boxes].
type Volume interface {
	Frustum | Box | OrientedBox | Sphere | Point | Convex
}

// Boxes returns an iterator over the objects in a volume, as IDs with their boxes:
//
//	for id, box := range query.Boxes(camera, view, query.Filter{}) { … }
//
// Order and cost are as for the volume's Append: boxes are read from the packets in
// sequence, not found by ID. For results of other queries, [linear.View.Object] returns a box
// by ID. The walk runs when the iteration starts. It allocates nothing in steady state, on a tree
// or on a published version. Changing the tree during the iteration makes it panic.
func Boxes[V Volume](volume V, v linear.View, flt Filter) iter.Seq2[uint32, linear.AABB] {
	return func(yield func(uint32, soa.AABB) bool) { begin(&volume, v.Store()).boxes(v, flt, yield) }
}

// begin takes a walk from the pool and prepares a volume for the store.
func begin[V Volume](volume *V, s *soa.Store) *walk {
	switch q := any(volume).(type) {
	case *Frustum:
		return q.begin(s)
	case *Box:
		return q.begin(s)
	case *OrientedBox:
		return q.begin(s)
	case *Sphere:
		return q.begin(s)
	case *Point:
		return q.box.begin(s)
	case *Convex:
		return q.begin(s)
	}
	panic("unreachable: a volume of another type")
}

// boxes yields the IDs and boxes of the answer until yield returns false.
func (w *walk) boxes(v linear.View, f Filter, yield func(uint32, soa.AABB) bool) {
	w.collect(f.of(v))
	for _, r := range w.ranges {
		if !w.boxesOf(v, unpack(r), yield) {
			break
		}
	}
	w.release()
}

// boxesOf yields the IDs and boxes of one range.
func (w *walk) boxesOf(v linear.View, r Range, yield func(uint32, soa.AABB) bool) bool {
	p := &w.store.Packets
	for slot := r.First; slot < r.First+r.Count; slot++ {
		m := uint32(1)<<p.Counts[slot] - 1
		if r.Mask != 0 {
			m = uint32(r.Mask)
		}
		ids, b := &p.IDs[slot], &p.Bounds[slot]
		for ; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) % soa.Lanes
			if !yield(ids[l], soa.AABB{
				Min: [3]float32{b[soa.MinX][l], b[soa.MinY][l], b[soa.MinZ][l]},
				Max: [3]float32{b[soa.MaxX][l], b[soa.MaxY][l], b[soa.MaxZ][l]},
			}) {
				return false
			}
			v.Store() // panics if the tree has changed
		}
	}
	return true
}
