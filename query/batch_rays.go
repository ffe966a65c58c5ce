package query

import (
	"context"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// RayBatch casts many rays at once. The zero value is ready to use; it keeps
// its buffers from one batch to the next. One goroutine at a time may use it,
// and it must not be copied after the first use.
type RayBatch struct {
	// Workers and Progress are as in [BoxBatch].
	Workers  int
	Progress func(done float64)

	// Offsets and Hits are the answer of the last batch: the hits of ray i
	// are Hits[Offsets[i]:Offsets[i+1]].
	Offsets []int
	Hits    []Hit

	batch batch[Hit]
	job   rayJob
}

// Of returns the hits of a ray. They are valid until the next batch.
func (b *RayBatch) Of(ray int) []Hit {
	lo, hi := b.Offsets[ray], b.Offsets[ray+1]
	return b.Hits[lo:hi:hi]
}

// Find is [Ray.Nearest] for each of the rays, with the same result to the
// bit; a ray has one hit or none. Eight rays are walked by turns, so that none waits
// for memory; they are shared among workers and cast in an order as [BoxBatch.Find]
// chooses it, whose errors and allocations it has: [RayBatch.Of] then gives no hits
// for each ray.
func (b *RayBatch) Find(ctx context.Context, v linear.View, rays []Ray, flt Filter) error {
	return b.cast(ctx, v, rays, flt, true)
}

// FindAll is [Ray.Append] for each of the rays, one after the other, otherwise
// like [RayBatch.Find].
func (b *RayBatch) FindAll(ctx context.Context, v linear.View, rays []Ray, flt Filter) error {
	return b.cast(ctx, v, rays, flt, false)
}

func (b *RayBatch) cast(ctx context.Context, v linear.View, rays []Ray, flt Filter, nearest bool) error {
	defer phase.Enter(phase.Ray).Leave() // workers start in it
	b.Offsets, b.Hits = noOffsets(b.Offsets, len(rays)), b.Hits[:0]
	s := v.Store()
	if err := flt.Check(); err != nil {
		return err
	}
	b.batch.points = b.batch.points[:0]
	for i := range rays {
		b.batch.points = append(b.batch.points, rays[i].sweep.lo)
	}
	b.job = rayJob{v, s, rays, flt, nearest}
	defer func() { b.job = rayJob{} }()
	var err error
	b.Hits, err = b.batch.run(ctx, s, &b.job, len(rays), batchOptions{b.Workers, b.Progress}, b.Offsets, b.Hits)
	return err
}

type rayJob struct {
	view    linear.View
	store   *soa.Store
	rays    []Ray
	filter  Filter
	nearest bool
}

func (j *rayJob) ask(strip []uint32, p *batchPart[Hit]) {
	if j.nearest {
		j.byTurns(strip, p)
		return
	}
	for _, i := range strip {
		first := len(p.list)
		p.list = j.rays[i].sweep.append(p.list, j.view, j.filter)
		p.end(i, first)
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
func (j *rayJob) byTurns(strip []uint32, p *batchPart[Hit]) {
	store := j.store
	var casts [rayTurns]*cast
	var rays [rayTurns]uint32
	live := min(rayTurns, len(strip))
	for k, i := range strip[:live] {
		rays[k] = i
		casts[k] = takeCast(&j.rays[rays[k]].sweep, store, &j.filter)
	}
	strip = strip[live:]
	for live > 0 {
		for k := 0; k < live; k++ {
			c, s := casts[k], &j.rays[rays[k]].sweep
			c.step(s, store, &j.filter, rayVisits)
			if len(c.walk.Refs) > 0 {
				continue
			}
			first := len(p.list)
			if m, ok := c.best(s, store, &j.filter); ok {
				p.list = append(p.list, s.hit(m, &store.Packets, j.filter.Exact))
			}
			p.end(rays[k], first)
			if len(strip) > 0 {
				rays[k] = strip[0]
				strip = strip[1:]
				c.begin(&j.rays[rays[k]].sweep, store, &j.filter)
				continue
			}
			c.release()
			live--
			casts[k], rays[k] = casts[live], rays[live]
			k--
		}
	}
}
