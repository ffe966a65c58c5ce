package measure

import (
	"runtime"
	"time"
)

// Task is work to time.
type Task struct {
	// Units is what the time of one call is divided by: queries, objects,
	// keys. 0 means 1.
	Units int

	// Before, unless nil, is called before each call of Do, untimed.
	Before func()

	// Do is the work. What it returns must depend on all of it, so that
	// nothing of it can be left out.
	Do func() uint64
}

// sampleMin is the shortest sample: the cost of the clock, and of an interrupt
// now and then, is far below one per cent of it.
const sampleMin = 2 * time.Millisecond

// sink keeps the results of all tasks alive.
var sink uint64

// Interleave runs the tasks in turn, A B C A B C and so on, and returns for
// each the nanoseconds per unit of every round. A task without Before is
// called as often as it takes to fill a sample, and then once more before it,
// untimed, so that it does not pay for the caches that the task before it
// filled. Each task runs once or more before the first round, and memory is
// collected before each round. The first thing in a round is the fixed work that
// [Heard] tells of. One call at a time.
func Interleave(rounds int, tasks ...Task) []Series {
	calls := make([]int, len(tasks))
	for i := range tasks {
		calls[i] = tasks[i].calibrate()
	}
	times := make([]Series, len(tasks))
	for range rounds {
		runtime.GC()
		listen()
		for i := range tasks {
			per := float64(calls[i] * max(tasks[i].Units, 1))
			times[i] = append(times[i], float64(tasks[i].sample(calls[i]).Nanoseconds())/per)
		}
	}
	return times
}

// calibrate returns the number of calls that fill a sample.
func (t *Task) calibrate() int {
	calls := 1
	for took := t.sample(calls); t.Before == nil && took < sampleMin; took = t.sample(calls) {
		calls *= 2
	}
	return calls
}

// sample times a number of calls in a row.
func (t *Task) sample(calls int) time.Duration {
	sum := uint64(0)
	if t.Before != nil {
		t.Before()
	} else if calls > 1 {
		sum += t.Do()
	}
	start := time.Now()
	for range calls {
		sum += t.Do()
	}
	took := time.Since(start)
	sink += sum
	return took
}
