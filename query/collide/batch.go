package collide

import (
	"context"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/team"
)

// Batch finds pairs with several goroutines. The zero value is ready to use; it
// keeps its buffers from one call to the next. One goroutine at a time may use it.
type Batch struct {
	// Workers is the number of goroutines, the caller's among them. 0 means
	// GOMAXPROCS, and more than 1,024 mean as many. The answer does not depend on it.
	Workers int

	// Progress, unless nil, is called on the caller's goroutine with the part
	// of the walk that is done: with 0 at the start, from 16,384 objects in each
	// view on some times in between, never with less than before, and with 1 at
	// the end of a call that was not cancelled. It must not use the batch. When it
	// panics, the other workers have ended when the panic reaches the caller, and
	// the batch is ready for the next call.
	Progress func(done float64)

	parts []batchPart
	runs  []taskRun // by task
	next  atomic.Int64
	done  atomic.Int64

	team   team.Team
	halted atomic.Bool // a worker has panicked: the others are to end
}

// batchPart is what one worker found, task by task.
type batchPart struct {
	work  search
	pairs []Pair
}

// taskRun says where the pairs of a task are: in which part, and which.
type taskRun struct{ part, first, end int }

// Append is the function [Append], with the same result to the order. When ctx is
// cancelled the error is its error, dst is returned with the pairs that it held
// before and no more, and the batch is ready for the next call; nothing else is an
// error. A nil ctx is never cancelled; one that is cancelled once all pairs are found
// changes nothing.
//
// Where each view has 16,384 objects or more the walk is shared among workers; each
// collects pairs by itself, and they are copied together at the end, so the memory
// needed is twice that of the pairs. A few moving objects among many static ones are
// work for the caller alone. All workers look at the context after at most 128 pairs
// of packets, some microseconds, and have ended when it returns. Once the buffers
// have grown it allocates only what starting more than one worker takes.
func (b *Batch) Append(ctx context.Context, dst []Pair, of Views, flt Filter) ([]Pair, error) {
	defer phase.Enter(phase.Pairs).Leave() // workers start in it
	workers := team.Size(b.Workers)
	w := takeSearch(of, flt)
	w.ctx = ctx
	b.report(0)
	first := len(dst)
	// The tasks of the first part, the two trees, are done side by side, and the rest
	// as a single worker would.
	if w.begin() && w.part == 1 && len(w.plan) > 0 {
		w.walk.Tasks = w.walk.Tasks[:0] // they are in the plan
		for w.within() {
			dst = w.emit(dst)
		}
		if workers = min(workers, len(w.plan)); workers > 1 {
			dst = b.runAll(dst, w, workers)
		} else {
			dst = b.alone(dst, w)
		}
	}
	dst = w.append(dst)
	err := w.err
	w.release()
	if err != nil {
		return dst[:first], err
	}
	b.report(1)
	return dst, nil
}

func (b *Batch) report(done float64) {
	if b.Progress != nil {
		b.Progress(done)
	}
}

// alone does the tasks of the plan of w.
func (b *Batch) alone(dst []Pair, w *search) []Pair {
	for k := 0; k < len(w.plan) && w.err == nil; k++ {
		w.walk.Tasks = append(w.walk.Tasks[:0], w.plan[k])
		for w.within() {
			dst = w.emit(dst)
		}
		b.report(float64(k) / float64(len(w.plan)))
	}
	return dst
}

// runAll does the tasks of the plan of w with several workers.
func (b *Batch) runAll(dst []Pair, w *search, workers int) []Pair {
	for len(b.parts) < workers {
		b.parts = append(b.parts, batchPart{})
	}
	b.runs = mem.Fresh(b.runs, len(w.plan))
	b.next.Store(0)
	b.done.Store(0)
	b.halted.Store(false)
	b.team.Run(workers, func(member int) { b.run(w, workers-1-member, member == 0) }, func() { b.halted.Store(true) })
	if int(b.done.Load()) < len(w.plan) && w.cancelled() {
		return dst
	}
	for _, r := range b.runs {
		dst = append(dst, b.parts[r.part].pairs[r.first:r.end]...)
	}
	return dst
}

// run lets part i do tasks of the plan until there are no more, and reports the
// progress if it is the caller's.
func (b *Batch) run(lead *search, i int, caller bool) {
	p := &b.parts[i]
	w := &p.work
	w.follow(lead)
	defer w.leave()
	w.halted = &b.halted
	p.pairs = p.pairs[:0]
	for {
		k := int(b.next.Add(1)) - 1
		if k >= len(lead.plan) {
			break
		}
		first := len(p.pairs)
		w.walk.Tasks = append(w.walk.Tasks[:0], lead.plan[k])
		for w.within() {
			p.pairs = w.emit(p.pairs)
		}
		if w.err != nil {
			break
		}
		b.runs[k] = taskRun{i, first, len(p.pairs)}
		if done := b.done.Add(1); caller {
			b.report(float64(done-1) / float64(len(lead.plan)))
		}
	}
}
