package query_test

import (
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// BenchmarkBox takes the mean over 1,000 boxes of each size.
func BenchmarkBox(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(100_000, 1_000_000) {
			objects := testkit.SceneByName(b, name).Make(n, 1)
			v := plant(b, objects, true).View()
			for _, results := range []int{8, 450, 25_000} {
				var boxes []query.Box
				for _, q := range scene.BoxQueries(objects, results, 1000, 7) {
					box := box(b, q)
					boxes = append(boxes, box)
				}
				b.Run(fmt.Sprintf("scene=%s/n=%d/results=%d", name, n, results), func(b *testing.B) {
					benchmarkAppend(b, v, boxes, nil)
				})
			}
		}
	}
}

// BenchmarkSphere takes the mean over 1,000 spheres of each size.
func BenchmarkSphere(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(100_000, 1_000_000) {
			objects := testkit.SceneByName(b, name).Make(n, 1)
			v := plant(b, objects, true).View()
			for _, results := range []int{8, 550, 25_000} {
				var spheres []query.Sphere
				for _, q := range scene.SphereQueries(objects, results, 1000, 7) {
					sphere := sphere(b, scene.Sphere{Center: q.Center, Radius: q.Radius})
					spheres = append(spheres, sphere)
				}
				b.Run(fmt.Sprintf("scene=%s/n=%d/results=%d", name, n, results), func(b *testing.B) {
					benchmarkAppend(b, v, nil, spheres)
				})
			}
		}
	}
}

// benchmarkAppend runs the queries of one of the slices in turn.
func benchmarkAppend(b *testing.B, v linear.View, boxes []query.Box, spheres []query.Sphere) {
	var dst []uint32
	total, i, k := 0, 0, 0
	b.ReportAllocs()
	for b.Loop() {
		if boxes != nil {
			dst = boxes[k].Append(dst[:0], v, query.Filter{})
		} else {
			dst = spheres[k].Append(dst[:0], v, query.Filter{})
		}
		total += len(dst)
		if i++; k+1 < max(len(boxes), len(spheres)) {
			k++
		} else {
			k = 0
		}
	}
	b.ReportMetric(float64(total)/float64(i), "results")
}

// Rays one by one, in random order. ns-min/ray takes the fastest pass of each run of 50 rays, which leaves out other
// work of the machine.
func BenchmarkRay(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(100_000, 1_000_000) {
			sc, _ := scene.ByName(name)
			objects := sc.Make(n, 1)
			v := plant(b, objects, true).View()
			rays := benchRays(b, objects, 10_000)
			run := func(op string, f func(r *query.Ray) int) {
				b.Run(fmt.Sprintf("scene=%s/n=%d/op=%s", name, n, op), func(b *testing.B) {
					b.ReportAllocs()
					const chunk = 50
					hits := 0
					best := make([]time.Duration, len(rays)/chunk)
					for b.Loop() {
						hits = 0
						for i := range best {
							start := time.Now()
							for k := range rays[i*chunk:][:chunk] {
								hits += f(&rays[i*chunk+k])
							}
							d := time.Since(start)
							if best[i] == 0 || d < best[i] {
								best[i] = d
							}
						}
					}
					sum := time.Duration(0)
					for _, d := range best {
						sum += d
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(rays)), "ns/ray")
					b.ReportMetric(float64(sum.Nanoseconds())/float64(len(rays)), "ns-min/ray")
					b.ReportMetric(float64(hits)/float64(len(rays)), "hits/ray")
				})
			}
			run("nearest", func(r *query.Ray) int {
				if _, ok := r.First(v, query.Filter{}); ok {
					return 1
				}
				return 0
			})
			run("any", func(r *query.Ray) int {
				if r.Any(v, query.Filter{}) {
					return 1
				}
				return 0
			})
			var dst []query.Hit
			run("all", func(r *query.Ray) int {
				dst = r.Append(dst[:0], v, query.Filter{})
				return len(dst)
			})
		}
	}
}

// shrunk returns the centres of the objects, as boxes of zero size.
func shrunk(objects []soa.Object) []soa.Object {
	for i := range objects {
		b := &objects[i].Box
		b.Min = b.Center()
		b.Max = b.Min
	}
	return objects
}

// Points one by one, in random order. ns-min/point is the fastest pass over all.
func BenchmarkNearest(b *testing.B) {
	for _, kind := range []string{"boxes", "points"} {
		for _, name := range []string{"uniform", "city"} {
			for _, n := range micro.Sizes(100_000, 1_000_000) {
				objects := testkit.SceneByName(b, name).Make(n, 1)
				points := scene.PointQueries(objects, 10_000, 1)
				if kind == "points" {
					objects = shrunk(objects)
				}
				v := plant(b, objects, true).View()
				for _, k := range []int{1, 8, 64} {
					b.Run(fmt.Sprintf("kind=%s/scene=%s/n=%d/k=%d", kind, name, n, k), func(b *testing.B) {
						b.ReportAllocs()
						var near []query.Neighbor
						least := time.Duration(math.MaxInt64)
						for b.Loop() {
							start := time.Now()
							for _, p := range points {
								near, _ = query.AppendNearest(near[:0], v, p, k, infinity, query.Filter{})
							}
							least = min(least, time.Since(start))
						}
						perPoint := 1 / float64(len(points))
						b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)*perPoint, "ns/point")
						b.ReportMetric(float64(least.Nanoseconds())*perPoint, "ns-min/point")
					})
				}
			}
		}
	}
}

func BenchmarkNearby(b *testing.B) {
	n := micro.Sizes(100_000)[0]
	objects := testkit.SceneByName(b, "uniform").Make(n, 1)
	points := scene.PointQueries(objects, 10_000, 1)
	v := plant(b, objects, true).View()
	for _, k := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("scene=uniform/n=%d/k=%d", n, k), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				near, _ := query.NewNearby(points[i%len(points)])
				left := k
				for range near.All(v, query.Filter{}) {
					if left--; left == 0 {
						break
					}
				}
			}
		})
	}
}

// BenchmarkMinSize runs cameras with a minimum size of 1/500, without one, and without one followed by a test of
// the boxes of the result.
func BenchmarkMinSize(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(1_000_000) {
			objects := testkit.SceneByName(b, name).Make(n, 1)
			v := plant(b, objects, true).View()
			for _, share := range []float64{0.01, 0.2} {
				var plain, sized []query.Frustum
				for _, c := range scene.Cameras(objects, share, 20, 3) {
					f, err := cameraOf(c).Frustum()
					testkit.Must(b, err)
					g, err := f.MinSize(1. / 500)
					testkit.Must(b, err)
					plain, sized = append(plain, f), append(sized, g)
				}
				var dst []uint32
				run := func(way string, ask func(i int)) {
					b.Run(fmt.Sprintf("scene=%s/n=%d/share=%v/way=%s", name, n, share, way), func(b *testing.B) {
						results, asked := 0, 0
						for b.Loop() {
							ask(asked % len(plain))
							results += len(dst)
							asked++
						}
						b.ReportMetric(float64(results)/float64(asked), "results")
					})
				}
				run("none", func(i int) { dst = plain[i].Append(dst[:0], v, query.Filter{}) })
				run("walk", func(i int) { dst = sized[i].Append(dst[:0], v, query.Filter{}) })
				run("afterwards", func(i int) {
					var z cull.Size
					(*walk.Frustum)(&sized[i]).PrepareSize(&z)
					dst = dst[:0]
					for id, box := range query.Boxes(plain[i], v, query.Filter{}) {
						if !tooSmall(&z, box) {
							dst = append(dst, id)
						}
					}
				})
			}
		}
	}
}

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
