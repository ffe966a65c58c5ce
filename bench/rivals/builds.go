package main

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/bench/rivals/index"
)

const (
	// buildTime is the time limit for further builds of an entrant after the first.
	buildTime = 2 * time.Second

	// firstUse is the number of box queries after a build: some octrees divide nodes only in queries.
	firstUse = 100

	// settleTime is the time limit of all box queries before the memory is measured.
	settleTime = time.Second
)

// collections is the number of forced collections, of which the least counts. collectionTime is the time
// limit after the first few.
const (
	collections    = 25
	collectionTime = time.Second
)

// buildRows are the rows measured together.
var buildRows = [...]string{"build", "build, use", "memory", "collection, stops", "collection, marks"}

// builds measures each entrant alone: the time of builds in turns, the memory, and the cost of a garbage
// collection while nothing else is in use.
func (c *comparison) builds(s *results, w *workload, all []entrant) {
	n := float64(len(w.objects))
	build := s.figure(buildRows[0], "ns/object")
	use := s.figure(buildRows[1], "ns/object")
	bytes := s.figure(buildRows[2], "B/object")
	pause := s.figure(buildRows[3], "us")
	mark := s.figure(buildRows[4], "us CPU")

	stops, marks := collect(nil)
	s.floor = fmt.Sprintf("a collection without any of them on the heap stops for %s us and marks for %s us CPU",
		table.Number(stops.Min()), table.Number(marks.Min()))

	spent := make([]time.Duration, len(all))
	for round := range c.options.Rounds {
		for i, e := range all {
			if round > 0 && spent[i] > buildTime {
				build.fewer[e.name], use.fewer[e.name] = true, true
				continue
			}
			before := heap()
			x := e.empty()
			start := time.Now()
			x.Build(w.objects)
			built := time.Since(start)
			w.boxes.pass(x, min(firstUse, w.boxes.size()))
			used := time.Since(start)
			spent[i] += used
			build.add(e.name, float64(built.Nanoseconds())/n)
			use.add(e.name, float64(used.Nanoseconds())/n)
			if round > 0 {
				continue
			}
			settle(x, w)
			if t, ok := x.(interface{ Trim() }); ok {
				t.Trim()
			}
			bytes.add(e.name, float64(heap()-before)/n)
			pause.values[e.name], mark.values[e.name] = collect(x)
		}
	}
}

// settle runs the work that an index has deferred: by a method, or by box queries until it is complete.
func settle(x index.Index, w *workload) {
	if x, ok := x.(index.Settler); ok {
		x.Settle()
		return
	}
	start := time.Now()
	for n := 1; n < w.boxes.size() && time.Since(start) < settleTime; n = min(4*n, w.boxes.size()) {
		w.boxes.pass(x, n)
	}
}

// heap returns the bytes of reachable objects.
func heap() int64 {
	runtime.GC()
	runtime.GC() // sweeps the garbage that the first one found
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// collect forces collections while x is reachable. For each it returns the stop-the-world time and the CPU
// time of marking, in microseconds.
func collect(x index.Index) (stops, marks measure.Series) {
	var m runtime.MemStats
	start := time.Now()
	for k := range collections {
		if k >= 5 && time.Since(start) > collectionTime {
			break
		}
		runtime.ReadMemStats(&m)
		stopped, marked := m.PauseTotalNs, markTime()
		runtime.GC()
		runtime.ReadMemStats(&m)
		stops = append(stops, float64(m.PauseTotalNs-stopped)/1e3)
		marks = append(marks, (markTime()-marked)*1e6)
	}
	runtime.KeepAlive(x)
	return stops, marks
}

// markTime returns the CPU seconds of marking so far.
func markTime() (seconds float64) {
	samples := []metrics.Sample{
		{Name: "/cpu/classes/gc/mark/assist:cpu-seconds"},
		{Name: "/cpu/classes/gc/mark/dedicated:cpu-seconds"},
		{Name: "/cpu/classes/gc/mark/idle:cpu-seconds"},
	}
	metrics.Read(samples)
	for _, s := range samples {
		seconds += s.Value.Float64()
	}
	return seconds
}
