package query

import (
	"context"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/strip"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// NearestBatch runs many k-nearest-neighbour searches at once, as for a k-NN graph; the zero value
// is ready to use, with GOMAXPROCS workers. It keeps its buffers from one [NearestBatch.Find] to
// the next. One goroutine at a time may use it, and it must not be copied after its first use.
type NearestBatch struct {
	// Workers and Progress are as in [BoxBatch].
	Workers  int
	Progress func(done float64)

	// Offsets and Neighbors are the answer of the last Find: the neighbours of point i are
	// Neighbors[Offsets[i]:Offsets[i+1]].
	Offsets   []int
	Neighbors []Neighbor

	batch batch[[3]float32, Neighbor]
	k     int     // of this run
	bound float32 // of Dist2
}

// Of returns the neighbours of a point, in the order of [AppendNearest]. They are valid until the
// next Find. It panics unless Find received a point of that index.
func (b *NearestBatch) Of(point int) []Neighbor {
	return strip.Of("query: point", b.Neighbors, b.Offsets, point)
}

// Find runs [AppendNearest] for each of the points, with the same result to the bit.
//
// The errors are the errors of AppendNearest, with the index of the point, and of
// [BoxBatch.Find]. The answer is then empty: [NearestBatch.Of] returns no neighbours for each
// point. Once its buffers have grown, Find allocates only to start more than one worker.
//
// Points are shared among workers and run in the given order. In a tree of some 200,000 objects or
// more with at least one point for every 16 slots, they run along the Morton curve, so that each
// finds the data of its predecessor in the cache, unless they are in order already.
func (b *NearestBatch) Find(ctx context.Context, v linear.View, points [][3]float32, k int, maxDist float32, flt Filter) error {
	defer phase.Enter(phase.Nearest).Leave() // workers start in this phase
	err := b.batch.begin(v, points, &flt, &b.Offsets, &b.Neighbors)
	if err != nil {
		return err
	}
	defer b.batch.end()
	b.k = k
	if b.bound, err = reachOf(&[3]float32{}, k, maxDist, &flt); err != nil {
		return err
	}
	for i, p := range points {
		if err := finite("point", &p); err != nil {
			return fault.Errorf("query: index %d: %w", i, err)
		}
	}
	b.batch.points = points
	defer func() { b.batch.points = nil }()
	return b.batch.run(ctx, (*nearestJob)(b), strip.Options{Workers: b.Workers, Step: strip.Most, Progress: b.Progress}, b.Offsets, &b.Neighbors)
}

// nearestJob runs the queries of a batch.
type nearestJob NearestBatch

func (j *nearestJob) RunStrip(queries []uint32, p *strip.Part[Neighbor]) {
	(*NearestBatch)(j).ask(queries, p)
}

func (b *NearestBatch) ask(queries []uint32, p *strip.Part[Neighbor]) {
	j := &b.batch
	q := walk.TakeNearest()
	defer q.Release()
	for _, i := range queries {
		first := len(p.List)
		p.List = appendNeighbors(p.List, q, j.store, &j.queries[i], b.k, b.bound, &j.filter)
		p.End(i, first)
	}
}
