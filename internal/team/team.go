// Package team runs one piece of work on several goroutines, of which the caller's is one.
//
// No goroutine outlives [Team.Run], and a panic of any of them reaches the caller of Run: what
// the caller of the library recovers from never ends the process.
package team

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Most is the largest team that an option can ask for.
const Most = 1 << 10

// Size returns the number of goroutines that an option asks for: GOMAXPROCS for 0 or less, and
// Most for more than that.
func Size(workers int) int {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return min(workers, Most)
}

// Team is a number of goroutines that work together. The zero value is ready. One goroutine at a
// time may use a team, and it must not be copied after its first use.
type Team struct {
	runs   []func() // of the members 1, 2, …; kept, so that starting one allocates nothing
	work   func(member int)
	stop   func()
	wait   sync.WaitGroup
	failed atomic.Pointer[failure]
}

// failure is how a member ended whose work did not return.
type failure struct {
	value any  // of its panic
	exit  bool // by runtime.Goexit
}

// Run calls work for the members 0 to members-1, member 0 on the goroutine of the caller and each
// other one on a goroutine of its own, and returns when all have returned. It allocates nothing
// for teams that are not larger than any before.
//
// When work panics, Run calls stop, unless it is nil, waits for the other members, and panics
// with the same value on the goroutine of the caller. When several members panic, the value is
// that of member 0, else of the first one. runtime.Goexit is treated alike. stop tells the other
// members to return early. It may be called more than once, by any member, while others work.
func (t *Team) Run(members int, work func(member int), stop func()) {
	if members <= 1 {
		work(0)
		return
	}
	for len(t.runs) < members-1 {
		member := len(t.runs) + 1
		t.runs = append(t.runs, func() { t.run(member) })
	}
	t.work, t.stop = work, stop
	returned := false
	defer func() { t.end(returned) }()
	t.wait.Add(members - 1)
	for _, run := range t.runs[:members-1] {
		go run()
	}
	work(0)
	returned = true
}

// run is the work of a member on a goroutine of its own.
func (t *Team) run(member int) {
	returned := false
	defer func() {
		if !returned {
			value := recover()
			t.failed.CompareAndSwap(nil, &failure{value, value == nil})
			t.halt()
		}
		t.wait.Done()
	}()
	t.work(member)
	returned = true
}

func (t *Team) halt() {
	if t.stop != nil {
		t.stop()
	}
}

// end waits for all members, and ends the caller as the first one that failed.
func (t *Team) end(returned bool) {
	if !returned {
		t.halt()
	}
	t.wait.Wait()
	t.work, t.stop = nil, nil
	f := t.failed.Swap(nil)
	switch {
	case f == nil || !returned: // a panic of the caller's goes on
	case f.exit:
		runtime.Goexit()
	default:
		panic(f.value)
	}
}

// Run is [Team.Run] of a new team.
func Run(members int, work func(member int), stop func()) {
	new(Team).Run(members, work, stop)
}
