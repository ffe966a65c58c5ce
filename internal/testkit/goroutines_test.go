package testkit

import (
	"runtime"
	"testing"
)

// A goroutine of the library counts from its start to its end.
func TestWorkers(t *testing.T) {
	if left := Workers(); len(left) > 0 {
		t.Fatalf("before any is started: %q", left)
	}
	started, end, ended := make(chan bool), make(chan bool), make(chan bool)
	go func() {
		worker(started, end)
		ended <- true
	}()
	<-started
	if left := Workers(); len(left) != 1 {
		t.Errorf("one is at work: %q", left)
	}
	end <- true
	<-ended
	for len(Workers()) > 0 { // it may be about to return
		runtime.Gosched()
	}
}

func worker(started, end chan bool) {
	started <- true
	<-end
}
