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

// memory is the peak memory use of the process during a step.
type memory struct {
	anonymous float64 // bytes of private memory
	file      float64 // bytes of mapped files, which the system may reclaim
	faults    int64   // pages read from disk
}

// watcher samples the memory use of the process.
type watcher struct {
	stop, done chan struct{}
	peak       memory
	faults     int64
}

// watch starts a watcher.
func watch() *watcher {
	runtime.GC()
	w := &watcher{stop: make(chan struct{}), done: make(chan struct{}), faults: majorFaults()}
	w.sample()
	go func() {
		defer close(w.done)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-w.stop:
				return
			case <-tick.C:
				w.sample()
			}
		}
	}()
	return w
}

// end stops the watcher and returns the peak.
func (w *watcher) end() memory {
	close(w.stop)
	<-w.done
	w.sample()
	w.peak.faults = majorFaults() - w.faults
	return w.peak
}

// sample samples the numbers of the system, where it has them.
func (w *watcher) sample() {
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
