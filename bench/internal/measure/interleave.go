package measure

import (
	"runtime"
	"time"
)

// Task is work to time.
type Task struct {
	// Units is the divisor of the time of one call: a number of queries, objects or keys. 0 means 1.
	Units int

	// Before, unless nil, is called before each call of Do, untimed.
	Before func()

	// Do is the work. Its result must depend on all of the work, so that the compiler cannot eliminate any.
	Do func() uint64
}

// sampleMin is the shortest sample: the cost of the clock, and of an occasional interrupt, is far below one
// per cent of it.
const sampleMin = 2 * time.Millisecond

// Quick makes samples of one call, and collects no garbage before rounds. It is for tests of commands, which judge no
// times.
var Quick bool

// sink consumes the results of all tasks.
var sink uint64

// Interleave runs the tasks in turn, A B C A B C and so on, and returns for each the nanoseconds per unit of
// every round. A task without Before is called as often as necessary to fill a sample. It is called once more
// before the sample, untimed, so that it does not pay for caches filled by the task before it. Each task runs
// at least once before the first round, and garbage is collected before each round. Each round starts with
// the fixed work that [Heard] reports. Interleave is not safe for concurrent use.
func Interleave(rounds int, tasks ...Task) []Series {
	calls := make([]int, len(tasks))
	for i := range tasks {
		calls[i] = tasks[i].calibrate()
	}
	times := make([]Series, len(tasks))
	for range rounds {
		if !Quick {
			runtime.GC()
		}
		Listen()
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
	for took := t.sample(calls); t.Before == nil && !Quick && took < sampleMin; took = t.sample(calls) {
		calls *= 2
	}
	return calls
}

// sample returns the time of a number of consecutive calls.
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
