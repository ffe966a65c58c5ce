package measure

import (
	"math"
	"runtime"
	"runtime/metrics"
)

// Collections is the cost of forced garbage collections.
type Collections struct {
	Median, Worst float64 // stop-the-world, upper bounds in ns
	Mark          float64 // CPU time of marking, in ns per collection
	Scan          float64 // bytes that marking may have to scan
}

// Collect forces n garbage collections, n >= 1. The runtime counts stop-the-world times in a histogram; the
// results are upper bounds of its buckets.
func Collect(n int) (c Collections) {
	runtime.GC()
	before := readGauges()
	for range n {
		runtime.GC()
	}
	after := readGauges()
	c.Median, c.Worst = after.pause(before, 0.5), after.pause(before, 1)
	c.Mark = 1e9 * (after.mark() - before.mark()) / float64(n)
	c.Scan = float64(after[gaugeScan].Value.Uint64())
	return c
}

// gauges are the collector metrics of the runtime.
type gauges [4]metrics.Sample

const (
	gaugeScan   = iota // bytes that a mark phase may have to scan
	gaugeMark          // CPU seconds of marking by dedicated workers
	gaugeAssist        // CPU seconds of marking by allocating goroutines
	gaugePauses        // stop-the-world times, from the request to the end
)

func readGauges() *gauges {
	g := &gauges{
		gaugeScan:   {Name: "/gc/scan/heap:bytes"},
		gaugeMark:   {Name: "/cpu/classes/gc/mark/dedicated:cpu-seconds"},
		gaugeAssist: {Name: "/cpu/classes/gc/mark/assist:cpu-seconds"},
		gaugePauses: {Name: "/sched/pauses/total/gc:seconds"},
	}
	metrics.Read(g[:])
	return g
}

func (g *gauges) mark() float64 { return g[gaugeMark].Value.Float64() + g[gaugeAssist].Value.Float64() }

// pause returns an upper bound, in ns, of the q-quantile of the pauses since another reading.
func (g *gauges) pause(since *gauges, q float64) float64 {
	now, then := g[gaugePauses].Value.Float64Histogram(), since[gaugePauses].Value.Float64Histogram()
	total, counted := uint64(0), uint64(0)
	for i := range now.Counts {
		total += now.Counts[i] - then.Counts[i]
	}
	for i := range now.Counts {
		if counted += now.Counts[i] - then.Counts[i]; counted > 0 && float64(counted) >= q*float64(total) {
			return 1e9 * now.Buckets[i+1]
		}
	}
	return math.NaN()
}
