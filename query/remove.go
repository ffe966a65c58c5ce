package query

import (
	"sync"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// removals are lists of IDs for Remove.
var removals = sync.Pool{New: func() any { return new([]uint32) }}

// Remove removes the objects of a volume query from a tree, and returns their number: the volume's Append, and
// [linear.Tree.RemoveBatch] of the IDs in its order. For the objects in a box or in a ball, or outside it, that a mask
// or a motion selects, [linear.Tree.RemoveIn] and [linear.Tree.RemoveOutside] are faster, and a batch can record them.
//
//	n, err := query.Remove(tree, cone, query.Filter{Mask: leaves})
//
// The only error is that of [Filter.Check]; the tree is then unchanged. Remove invalidates all views. It excludes
// queries and other changes, and allocates nothing in steady state.
func Remove[V Volume](t *linear.Tree, volume V, flt Filter) (n int, err error) {
	if err := flt.Check(); err != nil {
		return 0, err
	}
	v, ids := t.View(), removals.Get().(*[]uint32)
	var keep walk.Filter
	*ids = begin(&volume, v).Append((*ids)[:0], flt.in(v, &keep))
	n, err = len(*ids), t.RemoveBatch(*ids)
	removals.Put(ids)
	return n, err
}
