package collide

import (
	"context"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/team"
)

// Batch finds overlapping pairs and nearest neighbours with several goroutines; the zero value is ready to use, with
// GOMAXPROCS of them. It keeps its buffers from one call to the next. One goroutine at a time may
// use it.
type Batch struct {
	// Workers is the number of goroutines, the caller's included. 0 means GOMAXPROCS, and values
	// above 1,024 mean 1,024. The result does not depend on it.
	Workers int

	// Progress, unless nil, is called on the caller's goroutine with the fraction of the walk
	// that is done. It is called with 0 at the start and with 1 at the end of a call that was not
	// cancelled. From 16,384 objects in each view on it is also called some times in between,
	// with values that never decrease. It must not use the batch. If it panics, the other workers
	// have ended when the panic reaches the caller, and the batch is ready for the next call.
	Progress func(done float64)

	parts []batchPart
	runs  []taskRun // by task
	next  atomic.Int64
	done  atomic.Int64

	near   nearJoin
	team   team.Team
	halted atomic.Bool // a worker has panicked: the others must end
}

// batchPart holds the pairs that one worker found, task by task.
type batchPart struct {
	work  search
	pairs []Pair
}

// taskRun is the location of the pairs of a task: the part, and the range within it.
type taskRun struct{ part, first, end int }

// Append works like the function [Append] and returns the same pairs in the same order. If ctx is
// cancelled, it returns the error of ctx and dst with its original pairs only, and the batch is
// ready for the next call. The only other error is that of [Filter.Check]. A nil ctx is never cancelled. Cancelling
// after all pairs are found has no effect.
//
// If each view has 16,384 objects or more, workers share the walk. Each collects its own pairs,
// and they are copied together at the end, so memory is needed for twice the pairs. A few moving
// objects among many static ones are searched by the caller alone. All workers check the context
// after at most 128 pairs of packets, some microseconds, and have ended when Append returns. Once
// the buffers have grown, the only allocations are those of starting more than one worker.
func (b *Batch) Append(ctx context.Context, dst []Pair, views Views, flt Filter) ([]Pair, error) {
	if err := flt.Check(); err != nil {
		return dst, err
	}
	defer phase.Enter(phase.Pairs).Leave() // workers start in it
	workers := team.Size(b.Workers)
	w := takeSearch(views, flt)
	w.ctx = ctx
	b.report(0)
	first := len(dst)
	// The tasks of the first part, tree against tree, run in parallel, and the rest on a single
	// worker.
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

// alone runs the tasks of the plan of w on the caller's goroutine.
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

// runAll runs the tasks of the plan of w with several workers.
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

// run lets part i run tasks of the plan until none is left, and reports the progress if caller is
// set.
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
