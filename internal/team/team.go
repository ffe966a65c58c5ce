// Package team runs a function on several goroutines, including the caller's, and propagates
// panics.
//
// All goroutines have ended when [Team.Run] returns. A panic on any of them is raised again on the
// goroutine of the caller, so that a program can recover from it.
package team

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Most is the largest number of goroutines of a team.
const Most = 1 << 10

// Size returns the number of goroutines for an option: GOMAXPROCS for 0 or less, and at most Most.
func Size(workers int) int {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return min(workers, Most)
}

// Team is a reusable group of goroutines. The zero value is ready to use. One goroutine at a time
// may use a team, and it must not be copied after its first use.
type Team struct {
	runs   []func() // of the members 1, 2, …; kept, so that starting one allocates nothing
	work   func(member int)
	stop   func()
	wait   sync.WaitGroup
	failed atomic.Pointer[failure]
}

// failure describes how a member ended whose function did not return.
type failure struct {
	value any  // value of its panic
	exit  bool // ended by runtime.Goexit
}

// Run calls work for the members 0 to members-1, member 0 on the goroutine of the caller and each
// other one on a new goroutine, and returns when all have returned. It allocates nothing for teams
// that are not larger than any before.
//
// If work panics, Run calls stop, unless it is nil, waits for the other members, and panics with
// the same value on the goroutine of the caller. If several members panic, the value is the one of
// member 0, else of the first member that panicked. runtime.Goexit is treated alike. stop signals
// the other members to return early. It may be called more than once, by any member, while others
// work.
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

// run calls work for a member on a goroutine of its own. It signals the end of the member after the
// stack of a panic is unwound, so that no frame of work is left when Run returns.
func (t *Team) run(member int) {
	defer t.wait.Done()
	t.try(member)
}

// try calls work for a member and keeps the value of a panic.
func (t *Team) try(member int) {
	returned := false
	defer func() {
		if !returned {
			value := recover()
			t.failed.CompareAndSwap(nil, &failure{value, value == nil})
			t.halt()
		}
	}()
	t.work(member)
	returned = true
}

func (t *Team) halt() {
	if t.stop != nil {
		t.stop()
	}
}

// end waits for all members, and then panics or exits like the first one that failed.
func (t *Team) end(returned bool) {
	if !returned {
		t.halt()
	}
	t.wait.Wait()
	t.work, t.stop = nil, nil
	f := t.failed.Swap(nil)
	switch {
	case f == nil || !returned: // a panic of the caller's own continues
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
