package query

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/internal/team"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// batch runs many queries Q, each with a list of T as its answer:
//
//	queries   0 1 2 3 …  or, if that pays off, along the curve: 7 2 9 0 …
//	strips    |  64  |  64  |  64  | …   taken by workers, one after the other
//	parts     results of one worker: lists back to back, with their queries
//	answer    items[offsets[i]:offsets[i+1]] is that of query i
//
// The order of the queries and the number of workers affect the time alone.
type batch[Q, T any] struct {
	store   *soa.Store // nil between two runs, as queries
	queries []Q
	filter  walk.Filter

	points [][3]float32 // approximate position of each query; empty: queries run in the given order
	sort   radix.Scratch
	keys   []uint64
	parts  []batchPart[T]
	next   atomic.Int64 // first position in the order that no worker has taken yet
	team   team.Team
}

// batchJob runs the queries of a batch.
type batchJob[T any] interface {
	// ask appends the answers of a strip of queries to p. Workers call it concurrently, each with its
	// own part.
	ask(strip []uint32, p *batchPart[T])
}

// batchStep is the largest number of queries that a worker takes at a time.
const batchStep = 64

// batchPart is the results of one worker.
type batchPart[T any] struct {
	list  []T
	runs  []batchRun
	strip [batchStep]uint32
	alone int // number of boxes to run one by one before walks are shared again
}

// batchRun is the answer to a query: the next n elements.
type batchRun struct{ query, n uint32 }

// end ends the answer to a query, which begins at element first of the list.
func (p *batchPart[T]) end(query uint32, first int) {
	p.runs = append(p.runs, batchRun{query, uint32(len(p.list) - first)})
}

// begin reads the arguments of a run, and makes its answer empty.
func (b *batch[Q, T]) begin(v linear.View, queries []Q, flt *Filter, offsets *[]int, items *[]T) error {
	*offsets = slices.Grow((*offsets)[:0], len(queries)+1)[:len(queries)+1]
	clear(*offsets)
	*items = (*items)[:0]
	s := v.Store() // panics if the view is stale
	if err := flt.Check(); err != nil {
		return err
	}
	b.store, b.queries, b.points, b.filter = s, queries, b.points[:0], walk.Filter{}
	flt.prepare(&b.filter)
	flt.resolve(v, &b.filter)
	return nil
}

// end ends a run: the batch keeps neither the tree nor the queries alive.
func (b *batch[Q, T]) end() { b.store, b.queries, b.filter = nil, nil, walk.Filter{} }

// locate sets the positions of the queries, if their order matters.
func (b *batch[Q, T]) locate(center func(q *Q) [3]float32) {
	if !large(b.store, len(b.queries)) {
		return
	}
	for i := range b.queries {
		b.points = append(b.points, center(&b.queries[i]))
	}
}

// large reports whether the order of n queries matters: the tree must exceed the cache, and the
// queries must be dense in it.
func large(s *soa.Store, n int) bool {
	slots := len(s.Packets.Counts)
	return slots > batchCached && n >= slots/batchDense
}

// batchOptions are the options of a run.
type batchOptions struct {
	workers  int
	step     int // number of queries that a worker takes at a time, up to batchStep
	progress func(done float64)
}

// run runs the queries and writes their answers to the list, with their offsets. Without an error,
// once its buffers have grown, it allocates only to start more than one worker.
func (b *batch[Q, T]) run(ctx context.Context, job batchJob[T], o batchOptions, offsets []int, list *[]T) error {
	order, err := b.order(ctx)
	if err != nil {
		return err
	}
	n, items := len(b.queries), *list
	workers := max(min(team.Size(o.workers), (n+o.step-1)/o.step), 1)
	for len(b.parts) < workers {
		b.parts = append(b.parts, batchPart[T]{})
	}
	parts := b.parts[:workers]
	done := false
	defer func() {
		if !done { // a panic: the caller keeps the items, with an empty answer
			parts[0].list = nil
			clear(offsets)
		}
	}()
	if workers == 1 && order == nil {
		parts[0].list, items = items, parts[0].list[:0] // take swaps them back
	}
	b.next.Store(0)
	if o.progress != nil {
		o.progress(0)
	}
	if workers == 1 {
		err = b.work(ctx, job, order, o, &parts[0])
	} else {
		err = b.share(ctx, job, order, o, parts)
	}
	if err != nil {
		done, *list = true, items
		return err
	}
	if p := &parts[0]; workers == 1 && p.inOrder() {
		items = p.take(offsets, items)
	} else {
		items = gather(parts, offsets, items)
	}
	if o.progress != nil {
		o.progress(1)
	}
	done, *list = true, items
	return nil
}

// share runs a worker for each of the parts; the caller is the first.
func (b *batch[Q, T]) share(ctx context.Context, job batchJob[T], order []uint64, o batchOptions, parts []batchPart[T]) error {
	var err error
	b.team.Run(len(parts), func(member int) {
		if member == 0 {
			err = b.work(ctx, job, order, o, &parts[0])
		} else {
			b.work(ctx, job, order, batchOptions{step: o.step}, &parts[member])
		}
	}, func() { b.next.Store(int64(len(b.queries))) })
	if err == nil && ctx != nil {
		err = ctx.Err() // another worker may have stopped because of it
	}
	return err
}

// work takes strips until none are left.
func (b *batch[Q, T]) work(ctx context.Context, job batchJob[T], order []uint64, o batchOptions, p *batchPart[T]) error {
	p.list, p.runs, p.alone = p.list[:0], p.runs[:0], 0
	n := len(b.queries)
	for {
		lo := int(b.next.Add(int64(o.step))) - o.step
		if lo >= n {
			return nil
		}
		if ctx != nil {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if o.progress != nil && lo > 0 {
			o.progress(float64(lo) / float64(n))
		}
		strip := p.strip[:min(o.step, n-lo)]
		for k := range strip {
			strip[k] = uint32(lo + k)
			if order != nil {
				strip[k] = radix.Index(order[lo+k])
			}
		}
		job.ask(strip, p)
	}
}

// inOrder reports whether the answers are those of the queries 0, 1, 2, ….
func (p *batchPart[T]) inOrder() bool {
	for i, r := range p.runs {
		if int(r.query) != i {
			return false
		}
	}
	return true
}

// take returns the list, which is in order, as the answer, and keeps the former items as its next
// buffer.
func (p *batchPart[T]) take(offsets []int, items []T) []T {
	for i, r := range p.runs {
		offsets[i+1] = offsets[i] + int(r.n)
	}
	items, p.list = p.list, items
	return items
}

// gather copies the lists of the parts into the order of the queries.
func gather[T any](parts []batchPart[T], offsets []int, items []T) []T {
	for i := range parts {
		for _, r := range parts[i].runs {
			offsets[r.query+1] = int(r.n)
		}
	}
	for i := range offsets[1:] {
		offsets[i+1] += offsets[i]
	}
	total := offsets[len(offsets)-1]
	items = slices.Grow(items, total)[:total]
	for i := range parts {
		p, at := &parts[i], 0
		for _, r := range p.runs {
			at += copy(items[offsets[r.query]:], p.list[at:at+int(r.n)])
		}
	}
	return items
}

// answerOf returns the answer of query i from the concatenated answers of a batch.
func answerOf[T any](what string, all []T, offsets []int, i int) []T {
	if i < 0 || i >= len(offsets)-1 {
		panic(fmt.Sprintf("query: %s %d of a batch of %d", what, i, max(len(offsets)-1, 0)))
	}
	return all[offsets[i]:offsets[i+1]:offsets[i+1]]
}

const (
	// batchCached is the number of packets, some 7 megabytes, up to which sorting the queries and
	// copying the answers cost more than the cache saves.
	batchCached = 1 << 14

	// batchDense is the number of slots for each query beyond which neighbours on the curve have too
	// little in common.
	batchDense = 16

	// Queries are in order if three in four are near the one before them: in a cell that as many
	// queries as 2^batchNear would share if they were spread evenly.
	batchNear = 9
)

// order returns the indices of the queries along the Morton curve, so that each query finds the
// data of its predecessor in the cache. It returns nil for the given order: if the queries are in
// order already, or if the tree is small. It reads counts and keys alone.
func (b *batch[Q, T]) order(ctx context.Context) ([]uint64, error) {
	n := len(b.queries)
	if n > radix.MaxLen {
		return nil, fmt.Errorf("query: a batch of %d queries exceeds %d", n, radix.MaxLen)
	}
	if len(b.points) == 0 || !large(b.store, n) {
		return nil, nil
	}
	box := soa.Empty()
	for _, p := range b.points {
		box = box.Union(soa.AABB{Min: p, Max: p})
	}
	world, err := morton.Fit(box.Min, box.Max)
	if err != nil {
		return nil, err
	}
	grid := world.Grid()
	b.keys = slices.Grow(b.keys[:0], n)
	for _, p := range b.points {
		b.keys = append(b.keys, grid.Key(p[0], p[1], p[2]))
	}
	if inOrder(b.keys) {
		return nil, nil
	}
	return b.sort.Order(b.keys, radix.Options{Context: ctx})
}

// inOrder reports whether most keys are near the one before them.
func inOrder(keys []uint64) bool {
	apart := 0
	near := uint64(morton.MaxKey) >> max(bits.Len(uint(len(keys)))-batchNear, 0)
	for i := 1; i < len(keys); i++ {
		if keys[i]^keys[i-1] > near {
			apart++
		}
	}
	return apart <= len(keys)/4
}
