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

// NearestBatch finds the nearest objects of many points at once, such as a graph
// of k nearest neighbours. The zero value is ready to use; it keeps its buffers
// from one [NearestBatch.Find] to the next. One goroutine at a time may use it, and
// it must not be copied after its first use.
type NearestBatch struct {
	// Workers is the number of goroutines, the caller's among them. 0 means
	// GOMAXPROCS. The answer does not depend on it.
	Workers int

	// Offsets and Neighbors are the answer of the last Find: the neighbours
	// of point i are Neighbors[Offsets[i]:Offsets[i+1]].
	Offsets   []int
	Neighbors []Neighbor

	sort  radix.Scratch
	keys  []uint64
	parts []batchPart
	next  atomic.Int64 // place in the order that no worker has taken yet
}

// batchStep is how many points, next to each other on the curve, a worker takes
// at a time.
const batchStep = 64

// batchPart is what one worker found: lists back to back, each of a point of
// the sorted order.
type batchPart struct {
	list []Neighbor
	runs []batchRun
}

// batchRun is the list of a point: n neighbours.
type batchRun struct{ point, n uint32 }

// Of returns the neighbours of a point, in the order of [AppendNearest]. They
// are valid until the next Find.
func (b *NearestBatch) Of(point int) []Neighbor {
	lo, hi := b.Offsets[point], b.Offsets[point+1]
	return b.Neighbors[lo:hi:hi]
}

// Find is [AppendNearest] for each of the points, with the same result to the
// bit. Points are visited along the Morton curve, so that a point finds what its
// predecessor needed in the cache, and shared among workers.
//
// The errors are those of AppendNearest, with the index of the point, and that
// of the context, which is asked every 64 points; nil is a context that does not
// end. The answer is then empty: [NearestBatch.Of] gives nothing for each point. Without an error it allocates, once its buffers
// have grown, only what starting more than one worker takes.
func (b *NearestBatch) Find(ctx context.Context, v linear.View, points [][3]float32, k int, maxDist float32, flt Filter) error {
	defer phase.Enter(phase.Nearest).Leave() // workers start in it
	b.Offsets, b.Neighbors = noOffsets(b.Offsets, len(points)), b.Neighbors[:0]
	s := v.Store()
	bound, err := reachOf([3]float32{}, k, maxDist, flt)
	if err != nil {
		return err
	}
	order, err := b.order(ctx, points)
	if err != nil {
		return err
	}
	workers := b.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = max(min(workers, (len(points)+batchStep-1)/batchStep), 1)
	for len(b.parts) < workers {
		b.parts = append(b.parts, batchPart{})
	}
	job := batchJob{ctx, s, points, order, k, bound, flt}
	b.next.Store(0)
	if parts := b.parts[:workers]; workers == 1 {
		err = parts[0].find(&job, &b.next)
	} else {
		err = findAll(job, parts, &b.next)
	}
	if err != nil {
		return err
	}
	b.gather(len(points), b.parts[:workers])
	return nil
}

// order checks the points and returns items that name them along the curve.
func (b *NearestBatch) order(ctx context.Context, points [][3]float32) ([]uint64, error) {
	if len(points) > radix.MaxLen {
		return nil, fmt.Errorf("query: %d points exceed %d", len(points), radix.MaxLen)
	}
	if len(points) == 0 {
		return nil, nil
	}
	box := soa.Empty()
	for i, p := range points {
		if err := finite("point", p); err != nil {
			return nil, fmt.Errorf("query: index %d: %w", i, err)
		}
		box = box.Union(soa.AABB{Min: p, Max: p})
	}
	world, err := morton.Fit(box.Min, box.Max)
	if err != nil {
		return nil, err
	}
	grid := world.Grid()
	b.keys = slices.Grow(b.keys[:0], len(points))
	for _, p := range points {
		b.keys = append(b.keys, grid.Key(p[0], p[1], p[2]))
	}
	return b.sort.Order(b.keys, radix.Options{Context: ctx})
}

// batchJob is what workers share.
type batchJob struct {
	ctx    context.Context
	store  *soa.Store
	points [][3]float32
	order  []uint64
	k      int
	bound  float32
	filter Filter
}

// findAll lets a worker fill each of the parts.
func findAll(job batchJob, parts []batchPart, next *atomic.Int64) error {
	var wait sync.WaitGroup
	for i := range parts[1:] {
		wait.Go(func() { parts[1+i].find(&job, next) })
	}
	err := parts[0].find(&job, next)
	wait.Wait()
	if err == nil && job.ctx != nil {
		err = job.ctx.Err()
	}
	return err
}

// find takes points from next on until there are no more.
func (p *batchPart) find(job *batchJob, next *atomic.Int64) error {
	p.list, p.runs = p.list[:0], p.runs[:0]
	q := takeNearest()
	defer q.release()
	for {
		lo := int(next.Add(batchStep)) - batchStep
		if lo >= len(job.order) {
			return nil
		}
		if job.ctx != nil {
			if err := job.ctx.Err(); err != nil {
				return err
			}
		}
		for _, item := range job.order[lo:min(lo+batchStep, len(job.order))] {
			i := radix.Index(item)
			q.search(job.store, job.points[i], job.k, job.bound, job.filter)
			p.list = q.append(p.list)
			p.runs = append(p.runs, batchRun{i, uint32(len(q.keys))})
		}
	}
}

// gather copies the lists of the parts into the order of the points.
func (b *NearestBatch) gather(points int, parts []batchPart) {
	for _, p := range parts {
		for _, r := range p.runs {
			b.Offsets[r.point+1] = int(r.n)
		}
	}
	for i := range points {
		b.Offsets[i+1] += b.Offsets[i]
	}
	total := b.Offsets[points]
	b.Neighbors = slices.Grow(b.Neighbors, total)[:total]
	for _, p := range parts {
		at := 0
		for _, r := range p.runs {
			at += copy(b.Neighbors[b.Offsets[r.point]:], p.list[at:at+int(r.n)])
		}
	}
}
