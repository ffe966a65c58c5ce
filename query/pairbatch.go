package query

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// PairBatch finds pairs with several goroutines. The zero value is ready to use;
// it keeps its buffers from one call to the next. One goroutine at a time may
// use it.
type PairBatch struct {
	// Workers is the number of goroutines, the caller's among them. 0 means
	// GOMAXPROCS. The answer does not depend on it.
	Workers int

	parts []pairPart
	runs  []pairRun // by task
	next  atomic.Int64
}

// pairPart is what one worker found, task by task.
type pairPart struct {
	work  pairWork
	pairs []Pair
}

// pairRun says where the pairs of a task are: in which part, and which.
type pairRun struct{ part, first, end int }

// Append is [AppendPairs], with the same result to the order. Above 16,384
// objects the walk is shared among workers; each collects pairs by itself, and
// they are copied together at the end, so the memory needed is twice that of the
// pairs. Once the buffers have grown it allocates only what starting more than
// one worker takes.
func (b *PairBatch) Append(dst []Pair, v linear.View, flt PairFilter) []Pair {
	return b.append(dst, takePairs(v, v, flt, true))
}

// AppendBetween is [AppendPairsBetween], shared among workers as
// [PairBatch.Append] does.
func (b *PairBatch) AppendBetween(dst []Pair, x, y linear.View, flt PairFilter) []Pair {
	return b.append(dst, takePairs(x, y, flt, false))
}

// append does the tasks of the first part, the two trees, side by side, and the
// rest as a single worker would.
func (b *PairBatch) append(dst []Pair, w *pairWork) []Pair {
	defer phase.Enter(phase.Pairs).Leave() // workers start in it
	workers := b.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if w.begin() && w.part == 1 {
		if workers = min(workers, len(w.plan)); workers > 1 {
			dst = b.share(dst, w, workers)
		}
	}
	dst = w.append(dst)
	w.release()
	return dst
}

// share does the tasks of the plan of w, after the rows that come before them.
func (b *PairBatch) share(dst []Pair, w *pairWork, workers int) []Pair {
	w.walk.Tasks = w.walk.Tasks[:0]
	for w.within() {
		dst = w.emit(dst)
	}
	for len(b.parts) < workers {
		b.parts = append(b.parts, pairPart{})
	}
	b.runs = soa.Fresh(b.runs, len(w.plan))
	b.next.Store(0)
	var wait sync.WaitGroup
	for i := range workers - 1 {
		wait.Go(func() { b.run(w, i) })
	}
	b.run(w, workers-1)
	wait.Wait()
	for _, r := range b.runs {
		dst = append(dst, b.parts[r.part].pairs[r.first:r.end]...)
	}
	return dst
}

// run lets part i do tasks of the plan until there are no more.
func (b *PairBatch) run(lead *pairWork, i int) {
	p := &b.parts[i]
	w := &p.work
	w.follow(lead)
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
		b.runs[k] = pairRun{i, first, len(p.pairs)}
	}
	w.leave()
}
