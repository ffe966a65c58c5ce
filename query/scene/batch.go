package scene

import (
	"context"
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/strip"
)

// VolumeBatch runs many volume queries of a scene at once; the zero value is ready to use, with
// GOMAXPROCS workers. It keeps its buffers from one [VolumeBatch.Find] to the next. One goroutine
// at a time may use it, and it must not be copied after its first use.
//
// Each volume is one query, which workers take one by one. All volumes have the same type.
type VolumeBatch[V query.Volume] struct {
	// Workers is the number of goroutines, including the caller's. 0 means GOMAXPROCS, and values
	// above 1,024 mean 1,024. The results do not depend on it.
	Workers int

	// Progress, unless nil, is called on the caller's goroutine with the share of the queries that
	// have been started: 0 at the start, then never less than before, and 1 at the end of a Find
	// without an error. It must not use the batch. If it panics, the other workers have ended when the
	// panic reaches the caller, and all results are empty.
	Progress func(done float64)

	// Answers are the results of the last Find, one for each volume.
	Answers []Answer

	batch   batch[V, struct{}]
	offsets []int
	items   []struct{}
}

// Find runs [Append] for each of the volumes, with the same result in the same order.
//
// It returns the error of the context, which it checks before each volume, and an error for a filter
// that is out of range or for more than about 2^31 volumes. All results are then empty. A nil context
// never ends. Once its buffers have grown, Find allocates only to start more than one worker. The
// results keep the memory of the largest results so far.
func (b *VolumeBatch[V]) Find(ctx context.Context, v linear.SceneView, volumes []V, flt query.Filter) error {
	b.reset(len(volumes))
	if err := b.batch.begin(v, volumes, &flt, &b.offsets, &b.items); err != nil {
		return err
	}
	defer b.batch.end()
	whole := false
	defer func() {
		if !whole {
			b.reset(len(volumes))
		}
	}()
	o := strip.Options{Workers: b.Workers, Step: 1, Progress: b.Progress}
	err := b.batch.runner.Run(ctx, len(volumes), nil, (*volumeJob[V])(b), o, b.offsets, &b.items)
	whole = err == nil
	return err
}

// reset makes the results of n volumes empty.
func (b *VolumeBatch[V]) reset(n int) {
	b.Answers = slices.Grow(b.Answers[:0], n)[:n]
	for i := range b.Answers {
		b.Answers[i].Reset()
	}
}

// Of returns the result of a volume. It is valid until the next Find. It panics unless the last Find
// received a volume of that index.
func (b *VolumeBatch[V]) Of(volume int) *Answer {
	if volume < 0 || volume >= len(b.Answers) {
		panic(fmt.Sprintf("scene: volume %d of a batch of %d", volume, len(b.Answers)))
	}
	return &b.Answers[volume]
}

// volumeJob runs the queries of a batch.
type volumeJob[V query.Volume] VolumeBatch[V]

func (b *volumeJob[V]) RunStrip(queries []uint32, p *strip.Part[struct{}]) {
	for _, i := range queries {
		Append(&b.Answers[i], b.batch.queries[i], b.batch.view, b.batch.filter)
		p.End(i, 0)
	}
}

// SweepBatch casts many rays, or many moving boxes or spheres, in a scene at once; the zero value is
// ready to use, with GOMAXPROCS workers. It keeps its buffers from one batch to the next. One
// goroutine at a time may use it, and it must not be copied after its first use.
type SweepBatch[S query.Sweep] struct {
	// Workers and Progress are as in [VolumeBatch].
	Workers  int
	Progress func(done float64)

	// Offsets and Hits are the results of the last batch: the hits of ray or shape i are
	// Hits[Offsets[i]:Offsets[i+1]].
	Offsets []int
	Hits    []Hit

	batch batch[S, Hit]
	all   bool // this run finds all hits
}

// sweepStep is the number of rays or points that a worker takes at a time.
const sweepStep = 16

// Of returns the hits of a ray or shape. They are valid until the next batch. It panics unless the last
// batch had one of that index.
func (b *SweepBatch[S]) Of(sweep int) []Hit {
	return strip.Of("scene: ray or shape", b.Hits, b.Offsets, sweep)
}

// Find runs [First] for each of the rays or shapes, with the same result to the bit; each has one hit
// or none. It has the errors and allocations of [VolumeBatch.Find], and checks the context every 16.
func (b *SweepBatch[S]) Find(ctx context.Context, v linear.SceneView, sweeps []S, flt query.Filter) error {
	return b.cast(ctx, v, sweeps, &flt, false)
}

// FindAll runs [AppendHits] for each of the rays or shapes, otherwise like [SweepBatch.Find].
func (b *SweepBatch[S]) FindAll(ctx context.Context, v linear.SceneView, sweeps []S, flt query.Filter) error {
	return b.cast(ctx, v, sweeps, &flt, true)
}

func (b *SweepBatch[S]) cast(ctx context.Context, v linear.SceneView, sweeps []S, flt *query.Filter, all bool) error {
	if err := b.batch.begin(v, sweeps, flt, &b.Offsets, &b.Hits); err != nil {
		return err
	}
	defer b.batch.end()
	b.all = all
	o := strip.Options{Workers: b.Workers, Step: sweepStep, Progress: b.Progress}
	return b.batch.runner.Run(ctx, len(sweeps), nil, (*sweepJob[S])(b), o, b.Offsets, &b.Hits)
}

// sweepJob runs the queries of a batch.
type sweepJob[S query.Sweep] SweepBatch[S]

func (b *sweepJob[S]) RunStrip(queries []uint32, p *strip.Part[Hit]) {
	for _, i := range queries {
		first := len(p.List)
		if b.all {
			p.List = AppendHits(p.List, b.batch.queries[i], b.batch.view, b.batch.filter)
		} else if h, ok := First(b.batch.queries[i], b.batch.view, b.batch.filter); ok {
			p.List = append(p.List, h)
		}
		p.End(i, first)
	}
}

// NearestBatch runs many k-nearest-neighbour searches of a scene at once; the zero value is ready to
// use, with GOMAXPROCS workers. It keeps its buffers from one [NearestBatch.Find] to the next. One
// goroutine at a time may use it, and it must not be copied after its first use.
type NearestBatch struct {
	// Workers and Progress are as in [VolumeBatch].
	Workers  int
	Progress func(done float64)

	// Offsets and Neighbors are the results of the last Find: the neighbours of point i are
	// Neighbors[Offsets[i]:Offsets[i+1]].
	Offsets   []int
	Neighbors []Neighbor

	batch   batch[[3]float32, Neighbor]
	k       int
	maxDist float32
}

// Of returns the neighbours of a point, in the order of [AppendNearest]. They are valid until the
// next Find. It panics unless Find received a point of that index.
func (b *NearestBatch) Of(point int) []Neighbor {
	return strip.Of("scene: point", b.Neighbors, b.Offsets, point)
}

// Find runs [AppendNearest] for each of the points, with the same result to the bit. The errors are
// the errors of AppendNearest, with the index of the point, and of [VolumeBatch.Find]. It has the
// allocations of that method, and checks the context every 16 points.
func (b *NearestBatch) Find(ctx context.Context, v linear.SceneView, points [][3]float32, k int, maxDist float32, flt query.Filter) error {
	if err := b.batch.begin(v, points, &flt, &b.Offsets, &b.Neighbors); err != nil {
		return err
	}
	defer b.batch.end()
	if _, err := AppendNearest(nil, v, [3]float32{}, min(k, 0), maxDist, flt); err != nil {
		return err
	}
	for i, p := range points {
		if _, err := query.NewNearby(p); err != nil {
			return fault.Errorf("scene: index %d: %w", i, err)
		}
	}
	b.k, b.maxDist = k, maxDist
	o := strip.Options{Workers: b.Workers, Step: sweepStep, Progress: b.Progress}
	return b.batch.runner.Run(ctx, len(points), nil, (*nearestJob)(b), o, b.Offsets, &b.Neighbors)
}

// nearestJob runs the searches of a batch.
type nearestJob NearestBatch

func (b *nearestJob) RunStrip(queries []uint32, p *strip.Part[Neighbor]) {
	for _, i := range queries {
		first := len(p.List)
		var err error
		if p.List, err = AppendNearest(p.List, b.batch.view, b.batch.queries[i], b.k, b.maxDist, b.batch.filter); err != nil {
			panic("scene: unreachable: " + err.Error())
		}
		p.End(i, first)
	}
}

// batch holds the arguments of a run, and the runner.
type batch[Q, T any] struct {
	view    linear.SceneView
	queries []Q
	filter  query.Filter
	runner  strip.Runner[T]
}

// begin reads the arguments of a run, and makes the results empty.
func (b *batch[Q, T]) begin(v linear.SceneView, queries []Q, flt *query.Filter, offsets *[]int, items *[]T) error {
	err := strip.Begin(len(queries), offsets, items)
	v.Objects() // panics if the view is stale
	if err == nil {
		err = flt.Check()
	}
	if err == nil {
		b.view, b.queries, b.filter = v, queries, *flt
	}
	return err
}

// end ends a run: the batch keeps neither the scene nor the queries alive.
func (b *batch[Q, T]) end() { b.view, b.queries, b.filter = linear.SceneView{}, nil, query.Filter{} }
