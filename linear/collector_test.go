package linear_test

import (
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/zoctree/zoctree/linear"
)

// gauges are what the runtime tells of its collector.
type gauges [4]metrics.Sample

const (
	gaugeScan   = iota // bytes that a mark phase may have to look at
	gaugeMark          // CPU seconds of marking, by workers that do nothing else
	gaugeAssist        // by goroutines that allocate
	gaugePauses        // stop-the-world, from the request to the end
)

func readGauges() *gauges {
	var g gauges
	for i, name := range [...]string{
		"/gc/scan/heap:bytes", "/cpu/classes/gc/mark/dedicated:cpu-seconds",
		"/cpu/classes/gc/mark/assist:cpu-seconds", "/sched/pauses/total/gc:seconds",
	} {
		g[i].Name = name
	}
	metrics.Read(g[:])
	return &g
}

func (g *gauges) mark() float64 { return g[gaugeMark].Value.Float64() + g[gaugeAssist].Value.Float64() }

// pause returns an upper bound of the pause that the share q of those since
// another reading do not exceed.
func (g *gauges) pause(since *gauges, q float64) float64 {
	now, then := g[gaugePauses].Value.Float64Histogram(), since[gaugePauses].Value.Float64Histogram()
	total, seen := uint64(0), uint64(0)
	for i := range now.Counts {
		total += now.Counts[i] - then.Counts[i]
	}
	for i := range now.Counts {
		if seen += now.Counts[i] - then.Counts[i]; seen > 0 && float64(seen) >= q*float64(total) {
			return now.Buckets[i+1]
		}
	}
	return math.NaN()
}

// A tree has columns without pointers: the collector has nothing to look at but
// some fixed buffers. One pointer for each packet would be half a byte for each
// object more, for each object eight.
func TestNothingToScan(t *testing.T) {
	runtime.GC()
	before := readGauges()[gaugeScan].Value.Uint64()
	const n, fixed = 400_000, 128 << 10
	objects := sceneOf(t, "uniform", n)
	tree := newTree(t, linear.Config{})
	insert(t, tree, objects)
	rebuild(t, tree, false)
	tick(t, tree)
	runtime.GC()
	after := readGauges()[gaugeScan].Value.Uint64()
	if extra := int64(after) - int64(before); extra > fixed {
		t.Errorf("a tree of %d objects adds %d bytes to scan", tree.Len(), extra)
	}
	runtime.KeepAlive(tree)
}

// A forced collection beside a tree in motion, and beside none. The
// pauses are upper bounds of the stop-the-world of a collection; mark-us and scan-B are the mark
// work of a collection and the bytes that it may have to look at.
func BenchmarkCollector(b *testing.B) {
	for _, n := range []int{0, 1_000_000} {
		b.Run(fmt.Sprintf("objects=%d", n), func(b *testing.B) {
			tree := newTree(b, linear.Config{})
			if n > 0 {
				insert(b, tree, sceneOf(b, "uniform", n))
				rebuild(b, tree, false)
				tick(b, tree)
			}
			runtime.GC()
			before := readGauges()
			took := time.Duration(0)
			for b.Loop() {
				start := time.Now()
				runtime.GC()
				took += time.Since(start)
			}
			after := readGauges()
			b.ReportMetric(1e6*after.pause(before, 0.5), "median-pause-us")
			b.ReportMetric(1e6*after.pause(before, 1), "max-pause-us")
			b.ReportMetric(1e6*(after.mark()-before.mark())/float64(b.N), "mark-us")
			b.ReportMetric(float64(after[gaugeScan].Value.Uint64()), "scan-B")
			b.ReportMetric(float64(took.Microseconds())/float64(b.N), "gc-us")
			runtime.KeepAlive(tree)
		})
	}
}
