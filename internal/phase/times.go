package phase

import (
	"time"
	"unsafe"
)

// clock is the time of one goroutine by phase.
var clock struct {
	now   Phase // Count: no phase
	since time.Time
	spent [Count + 1]time.Duration
}

// stands are the targets of marks while the clock runs: stands[p] means that the phase before was
// p.
var stands [Count + 1]byte

// Times calls f and returns the time spent in each phase, and at index Count the time outside all
// phases. Time in an inner phase does not count for the outer one. Each change of phase reads the
// clock, so phases should be long in comparison. While f runs, no other goroutine may use the
// library, and f must not use it in goroutines of its own. Labels are off during the call.
func Times(f func()) (spent [Count + 1]time.Duration) {
	was := mode.Swap(timed)
	defer mode.Store(was)
	clock.now, clock.spent = Count, spent
	clock.since = time.Now()
	f()
	turn(Count)
	return clock.spent
}

// turn begins a phase and returns the mark of the one before.
func turn(p Phase) unsafe.Pointer {
	t := time.Now()
	before := clock.now
	clock.spent[before] += t.Sub(clock.since)
	clock.now, clock.since = p, t
	return unsafe.Pointer(&stands[before])
}

// timed returns the phase to which a mark of the clock returns.
func (m Mark) timed() (p Phase, ok bool) {
	i := uintptr(m.before) - uintptr(unsafe.Pointer(&stands[0]))
	return Phase(i), i < uintptr(len(stands))
}
