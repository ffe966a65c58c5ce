package query_test

import (
	"math"
	"runtime"
	"runtime/metrics"
	"testing"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
)

// The time that the collector waits for queries on a million objects to stop. Assembly cannot be preempted, so this
// is the length of the longest kernel call and of the way to the next stop. One operation is one collection.
func BenchmarkStopTheWorld(b *testing.B) {
	objects := testkit.SceneByName(b, "uniform").Make(micro.Sizes(1_000_000)[0], 1)
	v := plant(b, objects, true).View()
	var cams []query.Frustum
	for _, share := range []float64{0.01, 0.1, 0.5} {
		for _, c := range scene.Cameras(objects, share, 20, 3) {
			q := frustum(b, c.Planes())
			cams = append(cams, q)
		}
	}
	stop := make(chan bool)
	sum := make(chan int)
	workers := runtime.GOMAXPROCS(0)
	for range workers {
		go func() {
			var dst []uint32
			n := 0
			for i := 0; ; i++ {
				select {
				case <-stop:
					sum <- n
					return
				default:
					dst = cams[i%len(cams)].Append(dst[:0], v, query.Filter{})
					n += len(dst)
				}
			}
		}()
	}
	const name = "/sched/pauses/stopping/gc:seconds"
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	if sample[0].Value.Kind() == metrics.KindBad {
		b.Skipf("this runtime has no %s", name)
	}
	before := append([]uint64(nil), sample[0].Value.Float64Histogram().Counts...)
	for b.Loop() {
		runtime.GC()
	}
	metrics.Read(sample)
	close(stop)
	n := 0
	for range workers {
		n += <-sum
	}
	if n == 0 {
		b.Fatal("no query ran")
	}
	h := sample[0].Value.Float64Histogram()
	total, median, worst := uint64(0), math.NaN(), 0.0
	for i := range h.Counts {
		total += h.Counts[i] - before[i]
	}
	seen := uint64(0)
	for i := range h.Counts {
		c := h.Counts[i] - before[i]
		if c == 0 {
			continue
		}
		if seen < (total+1)/2 && seen+c >= (total+1)/2 {
			median = h.Buckets[i+1]
		}
		seen += c
		worst = h.Buckets[i+1]
	}
	b.ReportMetric(1e6*median, "median-µs")
	b.ReportMetric(1e6*worst, "worst-µs")
}
