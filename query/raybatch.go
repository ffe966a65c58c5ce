package query

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// RayBatch casts many rays at once. The zero value is ready to use; it keeps
// its buffers from one batch to the next. One goroutine at a time may use it,
// and it must not be copied after the first use.
type RayBatch struct {
	// Workers is the number of goroutines, the caller's among them. 0 means
	// GOMAXPROCS. The answer does not depend on it.
	Workers int

	// Offsets and Hits are the answer of the last batch: the hits of ray i
	// are Hits[Offsets[i]:Offsets[i+1]].
	Offsets []int
	Hits    []Hit

	sort  radix.Scratch
	keys  []uint64
	parts []rayPart
	next  atomic.Int64 // place in the order that no worker has taken yet
}

// rayStep is how many rays, neighbours in the order of the batch, a worker
// takes at a time.
const rayStep = 64

// rayPart is what one worker found, ray after ray, and how many hits of which
// ray.
type rayPart struct {
	hits []Hit
	runs []rayRun
}

type rayRun struct{ ray, n uint32 }

// Of returns the hits of a ray. They are valid until the next batch.
func (b *RayBatch) Of(ray int) []Hit {
	lo, hi := b.Offsets[ray], b.Offsets[ray+1]
	return b.Hits[lo:hi:hi]
}

// Nearest is [Ray.Nearest] for each of the rays, with the same result to the
// bit; a ray has one hit or none. Rays are cast in the order of their origins
// along the Morton curve, so that a ray finds what its predecessor needed in
// the cache; eight are walked by turns, so that none waits for memory; and they
// are shared among workers.
//
// An error is that of the context, which is asked every 64 rays, or tells a filter
// that is out of range, and leaves the answer empty: [RayBatch.Of] gives no hits for
// each ray. nil is a context that does not end. It allocates, once its
// buffers have grown, only what starting more than one worker takes.
func (b *RayBatch) Nearest(ctx context.Context, v linear.View, rays []Ray, flt Filter) error {
	return b.cast(rayJob{ctx: ctx, view: v, rays: rays, filter: flt, nearest: true})
}

// Append is [Ray.Append] for each of the rays, one after the other, otherwise
// like [RayBatch.Nearest].
func (b *RayBatch) Append(ctx context.Context, v linear.View, rays []Ray, flt Filter) error {
	return b.cast(rayJob{ctx: ctx, view: v, rays: rays, filter: flt})
}

// rayJob is what workers share.
type rayJob struct {
	ctx     context.Context
	view    linear.View
	rays    []Ray
	order   []uint64
	filter  Filter
	nearest bool
}

func (b *RayBatch) cast(job rayJob) (err error) {
	defer phase.Enter(phase.Ray).Leave() // workers start in it
	b.Offsets, b.Hits = noOffsets(b.Offsets, len(job.rays)), b.Hits[:0]
	job.view.Store() // panics if the view is stale
	if err = job.filter.check(); err != nil {
		return err
	}
	if job.order, err = b.order(job.ctx, job.rays); err != nil {
		return err
	}
	workers := b.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = max(min(workers, (len(job.rays)+rayStep-1)/rayStep), 1)
	for len(b.parts) < workers {
		b.parts = append(b.parts, rayPart{})
	}
	b.next.Store(0)
	if parts := b.parts[:workers]; workers == 1 {
		err = parts[0].run(&job, &b.next)
	} else {
		err = runRays(job, parts, &b.next)
	}
	if err == nil {
		b.gather(len(job.rays), b.parts[:workers])
	}
	return err
}

// order returns items that name the rays along the curve.
func (b *RayBatch) order(ctx context.Context, rays []Ray) ([]uint64, error) {
	if len(rays) > radix.MaxLen {
		return nil, fmt.Errorf("query: %d rays exceed %d", len(rays), radix.MaxLen)
	}
	if len(rays) == 0 {
		return nil, nil
	}
	box := soa.Empty()
	for i := range rays {
		o := rays[i].sweep.lo
		box = box.Union(soa.AABB{Min: o, Max: o})
	}
	world, err := morton.Fit(box.Min, box.Max)
	if err != nil {
		return nil, err
	}
	grid := world.Grid()
	b.keys = slices.Grow(b.keys[:0], len(rays))
	for i := range rays {
		o := &rays[i].sweep.lo
		b.keys = append(b.keys, grid.Key(o[0], o[1], o[2]))
	}
	return b.sort.Order(b.keys, radix.Options{Context: ctx})
}

// runRays lets a worker fill each of the parts.
func runRays(job rayJob, parts []rayPart, next *atomic.Int64) error {
	var wait sync.WaitGroup
	for i := range parts[1:] {
		wait.Go(func() { parts[1+i].run(&job, next) })
	}
	err := parts[0].run(&job, next)
	wait.Wait()
	if err == nil && job.ctx != nil {
		err = job.ctx.Err()
	}
	return err
}

// run takes rays from next on until there are no more.
func (p *rayPart) run(job *rayJob, next *atomic.Int64) error {
	p.hits, p.runs = p.hits[:0], p.runs[:0]
	for {
		lo := int(next.Add(rayStep)) - rayStep
		if lo >= len(job.order) {
			return nil
		}
		if job.ctx != nil {
			if err := job.ctx.Err(); err != nil {
				return err
			}
		}
		order := job.order[lo:min(lo+rayStep, len(job.order))]
		if job.nearest {
			p.byTurns(job, order)
			continue
		}
		for _, item := range order {
			i, before := radix.Index(item), len(p.hits)
			p.hits = job.rays[i].sweep.append(p.hits, job.view, job.filter)
			p.runs = append(p.runs, rayRun{i, uint32(len(p.hits) - before)})
		}
	}
}

const (
	// rayTurns is how many rays a worker walks by turns, rayVisits how many
	// nodes and packets a turn visits.
	rayTurns  = 8
	rayVisits = 2
)

// byTurns finds the nearest hits of the rays. While one waits for the node or
// packet that its turn ended with, the others take theirs.
func (p *rayPart) byTurns(job *rayJob, order []uint64) {
	store := job.view.Store()
	var casts [rayTurns]*cast
	var rays [rayTurns]uint32
	live := min(rayTurns, len(order))
	for k, item := range order[:live] {
		rays[k] = radix.Index(item)
		casts[k] = takeCast(&job.rays[rays[k]].sweep, store, job.filter)
	}
	order = order[live:]
	for live > 0 {
		for k := 0; k < live; k++ {
			c, s := casts[k], &job.rays[rays[k]].sweep
			c.step(s, store, job.filter, rayVisits)
			if len(c.walk.Refs) > 0 {
				continue
			}
			n := uint32(0)
			if m, ok := c.best(s, store, job.filter); ok {
				p.hits = append(p.hits, s.hit(m, &store.Packets, job.filter.Exact))
				n = 1
			}
			p.runs = append(p.runs, rayRun{rays[k], n})
			if len(order) > 0 {
				rays[k] = radix.Index(order[0])
				order = order[1:]
				c.begin(&job.rays[rays[k]].sweep.ray, store, job.filter)
				continue
			}
			c.release()
			live--
			casts[k], rays[k] = casts[live], rays[live]
			k--
		}
	}
}

// gather copies the hits of the parts into the order of the rays.
func (b *RayBatch) gather(rays int, parts []rayPart) {
	for _, p := range parts {
		for _, r := range p.runs {
			b.Offsets[r.ray+1] = int(r.n)
		}
	}
	for i := range rays {
		b.Offsets[i+1] += b.Offsets[i]
	}
	total := b.Offsets[rays]
	b.Hits = slices.Grow(b.Hits, total)[:total]
	for _, p := range parts {
		at := 0
		for _, r := range p.runs {
			at += copy(b.Hits[b.Offsets[r.ray]:], p.hits[at:at+int(r.n)])
		}
	}
}
