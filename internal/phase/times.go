package phase

import (
	"time"
	"unsafe"
)

// clock is the time of one goroutine by phase.
var clock struct {
	now   Phase // Count: none
	since time.Time
	spent [Count + 1]time.Duration
}

// stands are what marks point to while the clock runs: stands[p] is the phase p before.
var stands [Count + 1]byte

// Times calls f and returns how long it was in each phase, and last in none. An inner phase
// does not count for the outer one. A change of phase reads the clock,
// so phases should be long for that. While f runs nothing else may use the library, nor f
// in goroutines of its own. Labels that were on are off meanwhile.
func Times(f func()) (spent [Count + 1]time.Duration) {
	was := mode.Swap(timed)
	defer mode.Store(was)
	clock.now, clock.spent = Count, spent
	clock.since = time.Now()
	f()
	turn(Count)
	return clock.spent
}

// turn begins a phase and returns what stands for the one before.
func turn(p Phase) unsafe.Pointer {
	t := time.Now()
	before := clock.now
	clock.spent[before] += t.Sub(clock.since)
	clock.now, clock.since = p, t
	return unsafe.Pointer(&stands[before])
}

// timed returns the phase that a mark of the clock goes back to.
func (m Mark) timed() (p Phase, ok bool) {
	i := uintptr(m.before) - uintptr(unsafe.Pointer(&stands[0]))
	return Phase(i), i < uintptr(len(stands))
}
