package query

import (
	"context"
	"fmt"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// MaxViewers is the largest number of frusta of a [FrustumBatch].
const MaxViewers = cull.MaxViewers

// FrustumBatch culls a tree against several frusta in one walk, such as a camera and its shadow
// cascades, or all viewers of a server. It reports each object once, with the set of its viewers.
// The zero value is ready to use; it keeps its buffers from one [FrustumBatch.Find] to the next.
// One goroutine at a time may use it.
//
// # Cost
//
// Shared nodes, packets and IDs are read once. A node that only one frustum intersects is left to
// a separate walk of that frustum, as in a single query. So frusta that share little are walked
// one by one below the uppermost nodes.
//
// A batch is faster than single queries when many frusta overlap in a tree that exceeds the cache,
// and about as fast when they do not. [FrustumBatch.Viewers] costs extra, because it writes a word
// for each object.
type FrustumBatch struct {
	// IDs are the objects of the answer of the last Find. [FrustumBatch.Viewers] and [FrustumBatch.Of]
	// return their viewers.
	IDs []uint32

	frusta int // number of frusta of the last Find
	walk   walk.Frusta
}

// Find finds the objects in any of the frusta. The objects of frustum k are exactly those that
// frusta[k].Append reports.
//
// It returns the error of the context, which it checks every 64 nodes and between the steps of the
// walk, and an error for more than [MaxViewers] frusta, for a frustum with a [Frustum.MinSize], or
// for a filter that is out of range. The answer is then empty. A nil context never ends. Find
// allocates only while its buffers grow. It uses no workers.
//
// Nodes and packets are tested only against the frusta that have them on their border, and are
// read once for all of them. Objects on the border then pass through the second tests of each
// frustum, at the cost of a single query: [Frustum.Precise], and the tests of bounds with
// Filter.Exact.
//
// # Order
//
// The answer has two parts, the first from the common walk, the second from the walks of single
// frusta:
//
//   - The common walk, breadth first: the objects that are on no frustum's border, then the
//     packets on the border of some frustum, with the pending ones last.
//   - The walks of single frusta, from frustum 0 on, breadth first from the nodes left to them:
//     the objects wholly inside, then the packets on the border.
//
// So the order is a function of the changes made to the tree, of the frusta and of the filter,
// equal on every CPU.
func (b *FrustumBatch) Find(ctx context.Context, v linear.View, frusta []Frustum, flt Filter) error {
	q := &b.walk
	q.Reset()
	b.frusta = len(frusta)
	b.IDs, q.IDs = b.IDs[:0], b.IDs[:0]
	for k := range frusta[:min(len(frusta), MaxViewers)] {
		q.Add(frusta[k].q())
	}
	v.Store() // panics if the view is stale
	if err := flt.Check(); err != nil {
		return err
	}
	if len(frusta) > MaxViewers {
		return fmt.Errorf("query: %d frusta, at most %d are possible", len(frusta), MaxViewers)
	}
	for k := range frusta {
		if least := frusta[k].q().MinSize(); least > 0 {
			return fmt.Errorf("query: frustum %d of a batch has a minimum size of %v: query it alone", k, least)
		}
	}
	if len(frusta) == 0 {
		return nil
	}
	s, keep := v.Store(), flt.of(v)
	err := q.Find(ctx, s, &keep)
	b.IDs = q.IDs
	return err
}

// Viewers returns the viewers of each of the IDs: bit k of word i is set if the object IDs[i] is
// in frustum k. No word is zero. The words are valid until the next Find. The first call after a
// Find takes time proportional to its answer, and allocates while a buffer grows.
func (b *FrustumBatch) Viewers() []uint64 { return b.walk.Viewers() }

// Of returns the objects in frustum k, in the order of IDs. The list is valid until the next Find.
// The first call after a Find takes time proportional to its answer, and allocates while a buffer
// grows. It panics unless k is the index of a frustum of the last Find.
func (b *FrustumBatch) Of(k int) []uint32 {
	if k < 0 || k >= b.frusta {
		panic(fmt.Sprintf("query: frustum %d of a batch of %d", k, b.frusta))
	}
	return b.walk.Of(k)
}
