package demo

import (
	"math"
	"time"
)

// clockTime is the minimum duration of a measurement: the clocks of browsers are coarse.
const clockTime = 2 * time.Millisecond

// The page is drawn and compiled during measurements. The minimum over some turns excludes this work.
const (
	turns  = 5
	enough = 60 * time.Millisecond // no turn but the second starts later
)

// micros returns the time of a run of f, in microseconds.
func micros(f func()) Float {
	runs, start := 0, time.Now()
	for {
		f()
		runs++
		if took := time.Since(start); took >= clockTime {
			return Float(took.Nanoseconds()) / 1e3 / Float(runs)
		}
	}
}

// inTurns returns the minimum times of a run of each, in microseconds. Both have run before, so the memory is warm.
func inTurns(ours, loop func()) (us, loops Float) {
	us, loops = math.Inf(1), math.Inf(1)
	for turn, start := 0, time.Now(); turn < turns && (turn < 2 || time.Since(start) < enough); turn++ {
		us, loops = min(us, micros(ours)), min(loops, micros(loop))
	}
	return us, loops
}

// recent holds the times of the last frames of an animation. A frame cannot be repeated, but all frames do similar
// work.
type recent struct {
	list [30]time.Duration
	n    int // number of times added
}

func (r *recent) add(d time.Duration) {
	r.list[r.n%len(r.list)] = d
	r.n++
}

// fewest is the number of frames without a time.
const fewest = 5

// least returns the minimum in microseconds; ok is false after the first frames.
func (r *recent) least() (us Float, ok bool) {
	if r.n < fewest {
		return 0, false
	}
	least := r.list[0]
	for _, d := range r.list[:min(r.n, len(r.list))] {
		least = min(least, d)
	}
	return Float(least.Nanoseconds()) / 1e3, true
}
