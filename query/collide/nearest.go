package collide

import (
	"context"
	"errors"
	"sync"

	"github.com/zoctree/zoctree/internal/team"
	"github.com/zoctree/zoctree/linear"
)

// Neighbor is a result of [Nearest]: object B is one of the nearest neighbours of object A. Dist2 is the squared
// distance of their boxes, 0 if they overlap, in the formula and with the rounding bound of query.Neighbor:
//
//	d     = max(max(B.min - A.max, A.min - B.max), 0)    on each axis
//	Dist2 = (dx*dx + dy*dy) + dz*dz
//
// For a point A it is the Dist2 of a query.Neighbor of that point, to the bit.
type Neighbor struct {
	A, B  uint32
	Dist2 float32
}

// Nearest performs a k-nearest-neighbour join (all k nearest neighbours, k-NN graph): for each object A of view a, in
// ascending ID, it appends the k objects B of view b whose boxes are nearest to the box of A to dst, nearest first,
// and returns it. If b is the zero View, these are the other objects of a.
//
// Objects at the same Dist2 are ordered by ID. Pairs pass the filter as those of [Between], or of [Within] if b is the
// zero View: an object without k partners that pass has fewer. Filter.Distance, unless 0, is the largest distance of
// a partner, in exact arithmetic.
//
// A negative k, a filter that is out of range, or Filter.Exact, for distances are those of boxes, is an error that
// names it; dst is then returned unchanged. It panics if a view has ended, or if a is the zero View.
//
// Each object of a is searched by itself, in the order of the tree, so that each search finds the nodes of the one
// before it in the cache. The cost of a point is that of query.NearestBatch in that order; without a mask, layers or
// lists in the filter it is the same search. Of a box, the packets are visited that the sphere through its corners,
// larger by the distance of its k-th neighbour, intersects. Ties beyond the k-th neighbour are visited, too. It
// allocates only when dst lacks room, and until its buffers, 12 bytes for each result and 16 for each ID of a, have
// grown. Any number of goroutines may query one view. [Batch.Nearest] uses several goroutines.
func Nearest(dst []Neighbor, a, b linear.View, k int, flt Filter) ([]Neighbor, error) {
	j := nearJoins.Get().(*nearJoin)
	dst, err := j.append(nil, dst, a, b, k, &flt, 1, nil)
	nearJoins.Put(j)
	return dst, err
}

var nearJoins = sync.Pool{New: func() any { return new(nearJoin) }}

// Nearest performs the k-nearest-neighbour join of the function [Nearest] with several goroutines, and appends the same
// neighbours in the same order: x is its view a, y its view b. If ctx is cancelled, it returns the error of ctx and dst
// unchanged, and the batch is ready for the next call. The other errors are those of the function. A nil ctx is never
// cancelled. Cancelling after all objects have been searched has no effect.
//
// Workers share the objects of x, 64 or fewer at a time, and check the context before each. The neighbours are copied
// into their order by the caller. Once the buffers have grown, the only allocations are those of starting more
// than one worker.
func (b *Batch) Nearest(ctx context.Context, dst []Neighbor, x, y linear.View, k int, flt Filter) ([]Neighbor, error) {
	return b.near.append(ctx, dst, x, y, k, &flt, team.Size(b.Workers), b.Progress)
}

var errExact = errors.New("collide: Nearest with Filter.Exact, but its distances are those of boxes")
