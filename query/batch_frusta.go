package query

import (
	"context"
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/strip"
)

// MaxViewers is the largest number of frusta for [FrustumBatch.Viewers].
const MaxViewers = 64

// FrustumBatch culls a tree against several frusta, such as a camera and its shadow cascades, or
// the viewers of a server, as [BoxBatch] does for boxes; the zero value is ready to use, with
// GOMAXPROCS workers. It keeps its buffers from one [FrustumBatch.Find] to the next. One goroutine
// at a time may use it, and it must not be copied after its first use.
//
// Each frustum is one query. In trees of fewer than 4,096 packets one worker runs all of them,
// because starting a goroutine costs about as much as a query there.
type FrustumBatch struct {
	// Workers and Progress are as in [BoxBatch].
	Workers  int
	Progress func(done float64)

	// Offsets and IDs are the answer of the last Find: the objects in frustum k are
	// IDs[Offsets[k]:Offsets[k+1]].
	Offsets []int
	IDs     []uint32

	batch   batch[Frustum, uint32]
	objects []uint32 // the result of Viewers
	viewers []uint64
	index   []uint32 // by ID: 1 + its index in objects, while Viewers runs, else 0
}

// frustaShare is the number of packets from which frusta are shared among workers. It is an
// estimate: the benchmark FrustumBatch compares one worker with two.
const frustaShare = 4096

// Find runs [Frustum.Append] for each of the frusta, with the same result in the same order.
//
// It returns the error of the context, which it checks before each frustum, and an error for a
// filter that is out of range or for more than about 2^31 frusta. The answer is then empty:
// [FrustumBatch.Of] returns no objects for each frustum. A nil context never ends. Once its buffers
// have grown, Find allocates only to start more than one worker.
func (b *FrustumBatch) Find(ctx context.Context, v linear.View, frusta []Frustum, flt Filter) error {
	defer phase.Enter(phase.Ranges).Leave() // workers start in this phase; walks set their own
	if err := b.batch.begin(v, frusta, &flt, &b.Offsets, &b.IDs); err != nil {
		return err
	}
	defer b.batch.end()
	o := strip.Options{Workers: b.Workers, Step: 1, Progress: b.Progress}
	if len(b.batch.store.Packets.Counts) < frustaShare {
		o.Workers = 1
	}
	return b.batch.run(ctx, (*frustumJob)(b), o, b.Offsets, &b.IDs)
}

// Of returns the objects in frustum k. The list is valid until the next Find. It panics unless k is
// the index of a frustum of the last Find.
func (b *FrustumBatch) Of(k int) []uint32 { return strip.Of("query: frustum", b.IDs, b.Offsets, k) }

// Viewers returns each object of the answer once, with the set of frusta that it is in: bit k of
// viewers[i] is set if ids[i] is in frustum k. The order is that of IDs, without repetitions.
//
// The slices are valid until the next call. Viewers takes time proportional to the answer. It
// allocates while its buffers grow, one of them to 4 bytes for each ID of the tree. It panics after
// a Find of more than [MaxViewers] frusta.
func (b *FrustumBatch) Viewers() (ids []uint32, viewers []uint64) {
	frusta := max(len(b.Offsets)-1, 0)
	if frusta > MaxViewers {
		panic(fmt.Sprintf("query: viewers of a batch of %d frusta, at most %d are possible", frusta, MaxViewers))
	}
	ids, viewers = b.objects[:0], b.viewers[:0]
	if len(b.IDs) > 0 {
		if need := int(slices.Max(b.IDs)) + 1; need > len(b.index) {
			b.index = append(b.index, make([]uint32, need-len(b.index))...)
		}
	}
	for k := range frusta {
		for _, id := range b.Of(k) {
			if i := b.index[id]; i > 0 {
				viewers[i-1] |= 1 << k
				continue
			}
			ids, viewers = append(ids, id), append(viewers, 1<<k)
			b.index[id] = uint32(len(ids))
		}
	}
	for _, id := range ids {
		b.index[id] = 0
	}
	b.objects, b.viewers = ids, viewers
	return ids, viewers
}

// frustumJob runs the queries of a batch.
type frustumJob FrustumBatch

func (j *frustumJob) RunStrip(queries []uint32, p *strip.Part[uint32]) {
	(*FrustumBatch)(j).ask(queries, p)
}

func (b *FrustumBatch) ask(queries []uint32, p *strip.Part[uint32]) {
	j := &b.batch
	for _, k := range queries {
		first := len(p.List)
		p.List = j.queries[k].q().Begin(j.store).Append(p.List, &j.filter)
		p.End(k, first)
	}
}
