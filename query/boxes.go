package query

import (
	"iter"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// Volume is the type set of the volume queries, as for [Boxes].
type Volume interface {
	Frustum | Box | OrientedBox | Sphere | Point | Convex | Func
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
	return func(yield func(uint32, soa.AABB) bool) { boxes(begin(&volume, v), v, flt, yield) }
}

// begin takes a walk from the pool and prepares a volume for the view.
func begin[V Volume](volume *V, v linear.View) *walk.Walk {
	s := v.Store()
	switch q := any(volume).(type) {
	case *Frustum:
		return (*walk.Frustum)(q).Begin(s)
	case *Box:
		return (*walk.Box)(q).Begin(s)
	case *OrientedBox:
		return (*walk.Oriented)(q).Begin(s)
	case *Sphere:
		return (*walk.Sphere)(q).Begin(s)
	case *Point:
		return (*walk.Point)(q).Begin(s)
	case *Convex:
		return (*walk.Convex)(q).Begin(s)
	case *Func:
		return q.begin(v)
	}
	panic("unreachable: a volume of another type")
}

// Sweep is the type set of rays and swept shapes.
type Sweep interface {
	Ray | SweptBox | SweptSphere
}
