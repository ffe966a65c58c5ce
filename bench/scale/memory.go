package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// memory is what a process has had during a step, at most.
type memory struct {
	anonymous float64 // bytes of its own
	file      float64 // bytes of files that are mapped, which the system may take away
	faults    int64   // pages that were read from a disk
}

// watcher looks at the memory of the process now and then.
type watcher struct {
	stop, done chan struct{}
	peak       memory
	faults     int64
}

// watch begins.
func watch() *watcher {
	runtime.GC()
	w := &watcher{stop: make(chan struct{}), done: make(chan struct{}), faults: majorFaults()}
	w.look()
	go func() {
		defer close(w.done)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-w.stop:
				return
			case <-tick.C:
				w.look()
			}
		}
	}()
	return w
}

// end returns what has been seen.
func (w *watcher) end() memory {
	close(w.stop)
	<-w.done
	w.look()
	w.peak.faults = majorFaults() - w.faults
	return w.peak
}

// look takes the numbers of the system, where it has any.
func (w *watcher) look() {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		name, text, _ := strings.Cut(s.Text(), ":")
		var kilobytes float64
		if _, err := fmt.Sscan(text, &kilobytes); err != nil {
			continue
		}
		switch name {
		case "RssAnon":
			w.peak.anonymous = max(w.peak.anonymous, 1024*kilobytes)
		case "RssFile":
			w.peak.file = max(w.peak.file, 1024*kilobytes)
		}
	}
}

func majorFaults() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return int64(u.Majflt)
}
