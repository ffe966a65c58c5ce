// Package strip runs many queries with several goroutines, as the batches of packages query and query/scene do.
package strip

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/internal/team"
)

// Runner runs queries, each with a list of T as its result. The zero value is ready to use. It keeps its buffers from
// one run to the next; one goroutine at a time may use it.
//
//	queries   0 1 2 3 …  or in another order: 7 2 9 0 …
//	strips    |  64  |  64  |  64  | …   taken by workers, one after the other
//	parts     results of one worker: lists back to back, with their queries
//	items     items[offsets[i]:offsets[i+1]] is the result of query i
//
// The order of the queries and the number of workers affect the time alone.
type Runner[T any] struct {
	parts []Part[T]
	next  atomic.Int64 // first position in the order that no worker has taken yet
	left  atomic.Bool  // a worker has left a strip because of the context
	team  team.Team
}

// Job runs queries.
type Job[T any] interface {
	// RunStrip appends the results of a strip of queries to p. Workers call it concurrently, each with its
	// own part.
	RunStrip(strip []uint32, p *Part[T])
}

// Most is the largest number of queries that a worker takes at a time.
const Most = 64

// Part is the results of one worker.
type Part[T any] struct {
	List  []T
	Runs  []Run
	strip [Most]uint32
	Alone int // for the job: set to 0 at the start of a run
}

// Run is the result of a query: the next N elements.
type Run struct{ Query, N uint32 }

// End ends the result of a query, which begins at element first of the list.
func (p *Part[T]) End(query uint32, first int) {
	p.Runs = append(p.Runs, Run{query, uint32(len(p.List) - first)})
}

// Options are the options of a run.
type Options struct {
	Workers  int
	Step     int // number of queries that a worker takes at a time, up to Most
	Progress func(done float64)
}

// Begin makes the results of n queries empty. It returns an error for too many queries.
func Begin[T any](n int, offsets *[]int, items *[]T) error {
	*items = (*items)[:0]
	if n > radix.MaxLen {
		*offsets = (*offsets)[:0]
		return fmt.Errorf("query: a batch of %d queries exceeds %d", n, radix.MaxLen)
	}
	*offsets = slices.Grow((*offsets)[:0], n+1)[:n+1]
	clear(*offsets)
	return nil
}

// Run runs n queries and writes their results to the list, with their offsets, which [Begin] has made. order has the
// numbers of the queries as radix.Index reads them; nil is the given order. The error is that of ctx; the results
// are then empty. Without an error, once its buffers have grown, it allocates only to start more than one worker.
func (r *Runner[T]) Run(ctx context.Context, n int, order []uint64, job Job[T], o Options, offsets []int, list *[]T) error {
	var err error
	items := *list
	workers := max(min(team.Size(o.Workers), (n+o.Step-1)/o.Step), 1)
	for len(r.parts) < workers {
		r.parts = append(r.parts, Part[T]{})
	}
	parts := r.parts[:workers]
	done := false
	defer func() {
		if !done { // a panic: the caller keeps the items, with an empty answer
			parts[0].List = nil
			clear(offsets)
		}
	}()
	if workers == 1 && order == nil {
		parts[0].List, items = items, parts[0].List[:0] // take swaps them back
	}
	r.next.Store(0)
	if o.Progress != nil {
		o.Progress(0)
	}
	if workers == 1 {
		err = r.work(ctx, n, job, order, o, &parts[0])
	} else {
		err = r.share(ctx, n, job, order, o, parts)
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
	if o.Progress != nil {
		o.Progress(1)
	}
	done, *list = true, items
	return nil
}

// share runs a worker for each of the parts; the caller is the first.
func (r *Runner[T]) share(ctx context.Context, n int, job Job[T], order []uint64, o Options, parts []Part[T]) error {
	var err error
	r.left.Store(false)
	r.team.Run(len(parts), func(member int) {
		if member == 0 {
			err = r.work(ctx, n, job, order, o, &parts[0])
		} else if r.work(ctx, n, job, order, Options{Step: o.Step}, &parts[member]) != nil {
			r.left.Store(true)
		}
	}, func() { r.next.Store(int64(n)) })
	if err == nil && r.left.Load() {
		err = ctx.Err()
	}
	return err
}

// work takes strips until none are left.
func (r *Runner[T]) work(ctx context.Context, n int, job Job[T], order []uint64, o Options, p *Part[T]) error {
	p.List, p.Runs, p.Alone = p.List[:0], p.Runs[:0], 0
	for {
		lo := int(r.next.Add(int64(o.Step))) - o.Step
		if lo >= n {
			return nil
		}
		if ctx != nil {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if o.Progress != nil && lo > 0 {
			o.Progress(float64(lo) / float64(n))
		}
		strip := p.strip[:min(o.Step, n-lo)]
		for k := range strip {
			strip[k] = uint32(lo + k)
			if order != nil {
				strip[k] = radix.Index(order[lo+k])
			}
		}
		job.RunStrip(strip, p)
	}
}

// inOrder reports whether the results are in the order of the queries.
func (p *Part[T]) inOrder() bool {
	for i, a := range p.Runs {
		if int(a.Query) != i {
			return false
		}
	}
	return true
}

// take returns the list, which is in order, as the answer, and keeps the former items as its next
// buffer.
func (p *Part[T]) take(offsets []int, items []T) []T {
	for i, a := range p.Runs {
		offsets[i+1] = offsets[i] + int(a.N)
	}
	items, p.List = p.List, items
	return items
}

// gather copies the lists of the parts into the order of the queries.
func gather[T any](parts []Part[T], offsets []int, items []T) []T {
	for i := range parts {
		for _, a := range parts[i].Runs {
			offsets[a.Query+1] = int(a.N)
		}
	}
	for i := range offsets[1:] {
		offsets[i+1] += offsets[i]
	}
	total := offsets[len(offsets)-1]
	items = slices.Grow(items, total)[:total]
	for i := range parts {
		p, at := &parts[i], 0
		for _, a := range p.Runs {
			at += copy(items[offsets[a.Query]:], p.List[at:at+int(a.N)])
		}
	}
	return items
}

// Of returns the result of query i from the concatenated results of a batch. It panics with the kind of the query and
// the numbers if there is no such query.
func Of[T any](kind string, all []T, offsets []int, i int) []T {
	if i < 0 || i >= len(offsets)-1 {
		panic(fmt.Sprintf("%s %d of a batch of %d", kind, i, max(len(offsets)-1, 0)))
	}
	return all[offsets[i]:offsets[i+1]:offsets[i+1]]
}
