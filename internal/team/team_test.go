package team

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

func TestRun(t *testing.T) {
	var team Team
	for _, members := range []int{0, 1, 2, 7, 3} {
		var calls [7]atomic.Int32
		team.Run(members, func(member int) { calls[member].Add(1) }, nil)
		for i := range calls {
			want := int32(0)
			if i < max(members, 1) {
				want = 1
			}
			if got := calls[i].Load(); got != want {
				t.Errorf("%d members: member %d worked %d times, want %d", members, i, got, want)
			}
		}
	}
}

// Any member fails in any way while the others work until they are stopped: none is left when the caller continues,
// and the team is ready for the next run.
func TestRunFailure(t *testing.T) {
	var team Team
	for _, exit := range []bool{false, true} {
		for _, members := range []int{1, 2, 5} {
			for fails := range members {
				var running atomic.Int32
				var stopped atomic.Bool
				work := func(member int) {
					running.Add(1)
					defer running.Add(-1)
					for int(running.Load()) < members && !stopped.Load() {
						runtime.Gosched()
					}
					if member == fails {
						if exit {
							runtime.Goexit()
						}
						panic(member)
					}
					for !stopped.Load() {
						runtime.Gosched()
					}
				}
				value, returned := outcome(func() { team.Run(members, work, func() { stopped.Store(true) }) })
				if returned || exit && value != nil || !exit && value != fails {
					t.Errorf("exit %v, member %d of %d: returned %v, panicked with %v", exit, fails, members, returned, value)
				}
				if n := running.Load(); n != 0 {
					t.Errorf("exit %v, member %d of %d: %d members still work", exit, fails, members, n)
				}
				var calls atomic.Int32
				team.Run(members, func(int) { calls.Add(1) }, nil)
				if int(calls.Load()) != members {
					t.Errorf("the next run had %d members, want %d", calls.Load(), members)
				}
			}
		}
	}
}

// The panic of the caller takes precedence over failures of the others.
func TestRunFailures(t *testing.T) {
	for range 50 {
		var started sync.WaitGroup
		started.Add(4)
		value, _ := outcome(func() {
			Run(4, func(member int) {
				started.Done()
				started.Wait()
				panic(member)
			}, nil)
		})
		if value != 0 {
			t.Fatalf("panicked with %v, want 0", value)
		}
	}
}

// outcome runs f on a goroutine and returns the value of its panic, and whether it returned.
func outcome(f func()) (value any, returned bool) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { value = recover() }()
		f()
		returned = true
	}()
	<-done
	return value, returned
}

func TestRunAllocations(t *testing.T) {
	var team Team
	var n atomic.Int64
	work, stop := func(int) { n.Add(1) }, func() {}
	team.Run(4, work, stop)
	if allocs := testing.AllocsPerRun(100, func() { team.Run(4, work, stop) }); allocs != 0 {
		t.Errorf("a run allocates %v times", allocs)
	}
}

func TestSize(t *testing.T) {
	procs := runtime.GOMAXPROCS(0)
	for asked, want := range map[int]int{
		0: procs, -1: procs, math.MinInt: procs, 1: 1, Most: Most, Most + 1: Most, 1 << 18: Most, math.MaxInt: Most,
	} {
		if got := Size(asked); got != want {
			t.Errorf("Size(%d) is %d, want %d", asked, got, want)
		}
	}
}
