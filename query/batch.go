package query

import (
	"context"
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/query/internal/strip"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// batch runs many queries Q, each with a list of T as its answer, along the curve if that pays off.
type batch[Q, T any] struct {
	store   *soa.Store // nil between two runs, as queries
	queries []Q
	filter  walk.Filter

	points [][3]float32 // approximate position of each query; empty: queries run in the given order
	sort   radix.Scratch
	keys   []uint64
	runner strip.Runner[T]
}

// begin reads the arguments of a run, and makes its answer empty.
func (b *batch[Q, T]) begin(v linear.View, queries []Q, flt *Filter, offsets *[]int, items *[]T) error {
	err := strip.Begin(len(queries), offsets, items)
	s := v.Store() // panics if the view is stale
	if err == nil {
		err = flt.Check()
	}
	if err != nil {
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

// run runs the queries and writes their answers to the list, with their offsets.
func (b *batch[Q, T]) run(ctx context.Context, job strip.Job[T], o strip.Options, offsets []int, list *[]T) error {
	order, err := b.order(ctx)
	if err != nil {
		return err
	}
	return b.runner.Run(ctx, len(b.queries), order, job, o, offsets, list)
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
