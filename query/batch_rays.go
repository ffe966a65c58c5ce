package query

import (
	"context"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/strip"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// RayBatch casts many rays at once; the zero value is ready to use, with GOMAXPROCS workers. Rays run
// one by one, in the given order: rays that are near each other find more of the tree in the cache. It
// keeps its buffers from one batch to the next. One goroutine at a time may use it, and it must not
// be copied after its first use.
type RayBatch struct {
	// Workers and Progress are as in [BoxBatch].
	Workers  int
	Progress func(done float64)

	// Offsets and Hits are the answer of the last batch: the hits of ray i
	// are Hits[Offsets[i]:Offsets[i+1]].
	Offsets []int
	Hits    []Hit

	batch batch[Ray, Hit]
	all   bool // this run finds all hits
}

// Of returns the hits of a ray. They are valid until the next batch. It panics unless the last
// batch had a ray of that index.
func (b *RayBatch) Of(ray int) []Hit { return strip.Of("query: ray", b.Hits, b.Offsets, ray) }

// Find runs [Ray.First] for each of the rays, with the same result to the bit; a ray has one hit
// or none. Rays are shared among workers, and cast one by one in the given order. It has the errors
// and allocations of [BoxBatch.Find]: after an error [RayBatch.Of] returns no hits for each ray.
//
// All rays have one filter. Rays with filters of their own, such as an Exclude of the object that
// casts the ray, are single calls of Ray.First.
func (b *RayBatch) Find(ctx context.Context, v linear.View, rays []Ray, flt Filter) error {
	return b.cast(ctx, v, rays, &flt, false)
}

// FindAll runs [Ray.Append] for each of the rays, otherwise like [RayBatch.Find].
func (b *RayBatch) FindAll(ctx context.Context, v linear.View, rays []Ray, flt Filter) error {
	return b.cast(ctx, v, rays, &flt, true)
}

func (b *RayBatch) cast(ctx context.Context, v linear.View, rays []Ray, flt *Filter, all bool) error {
	defer phase.Enter(phase.Ray).Leave() // workers start in this phase
	if err := b.batch.begin(v, rays, flt, &b.Offsets, &b.Hits); err != nil {
		return err
	}
	defer b.batch.end()
	b.all = all
	return b.batch.run(ctx, (*rayJob)(b), strip.Options{Workers: b.Workers, Step: strip.Most, Progress: b.Progress}, b.Offsets, &b.Hits)
}

// rayJob runs the queries of a batch.
type rayJob RayBatch

func (j *rayJob) RunStrip(queries []uint32, p *strip.Part[Hit]) { (*RayBatch)(j).ask(queries, p) }

func (b *RayBatch) ask(queries []uint32, p *strip.Part[Hit]) {
	j := &b.batch
	c := walk.SpareCast()
	for _, i := range queries {
		first := len(p.List)
		s := (*walk.Sweep)(&j.queries[i])
		if b.all {
			p.List = completeHits(p.List, c.All(s, j.store, &j.filter), s, j.store, &j.filter)
		} else if m, ok := c.Next(s, j.store, &j.filter); ok {
			p.List = append(p.List, Hit{})
			s.Hit((*walk.Hit)(&p.List[first]), m, &j.store.Packets, j.filter.Exact)
		}
		p.End(i, first)
	}
	c.Release()
}
