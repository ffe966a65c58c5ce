package linear_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// slidingWindow is a live map of 500,000 points, a scaled one of a LiDAR: each scan inserts 12,000 points, a third of
// them anywhere and the others ahead, and as many leave the cube around the sensor.
type slidingWindow struct {
	tree   *linear.Tree
	r      *rand.Rand
	x      float32 // of the sensor
	ids    []uint32
	points [][3]float32
	byID   [][3]float32
}

const (
	windowHalf   = 60
	windowPoints = 500_000
	windowScan   = 12_000
	windowStep   = 2.4 // of the sensor a scan
)

func newSlidingWindow(t testing.TB) *slidingWindow {
	w := &slidingWindow{tree: newTree(t, linear.Config{Workers: 1}), r: testkit.Rand(1)}
	w.insert(t, windowPoints, -windowHalf, windowHalf)
	for range 60 {
		w.scan(t)
		_, _, err := w.tree.RemoveOutside(nil, linear.BoxRegion(w.box()), linear.Filter{})
		must(t, err)
		must(t, w.tree.Tick())
	}
	return w
}

// insert inserts points of the ground and of walls between two coordinates.
func (w *slidingWindow) insert(t testing.TB, n int, from, to float32) {
	w.points = w.points[:0]
	for range n {
		p := [3]float32{from + w.r.Float32()*(to-from), windowHalf * (2*w.r.Float32() - 1), w.r.Float32() / 8}
		if w.r.IntN(3) == 0 { // a wall along the street
			p[1] = float32(math.Round(float64(p[1])/15))*15 + w.r.Float32()/8
			p[2] = 8 * w.r.Float32()
		}
		w.points = append(w.points, p)
	}
	var err error
	w.ids, err = w.tree.InsertPoints(w.ids[:0], w.points, linear.Labels{})
	must(t, err)
	for i, id := range w.ids {
		for int(id) >= len(w.byID) {
			w.byID = append(w.byID, [3]float32{})
		}
		w.byID[id] = w.points[i]
	}
}

// scan moves the sensor and inserts its points.
func (w *slidingWindow) scan(t testing.TB) {
	w.x += windowStep
	w.insert(t, windowScan/3, w.x-windowHalf, w.x+windowHalf)
	w.insert(t, windowScan-windowScan/3, w.x+windowHalf-windowStep, w.x+windowHalf)
}

func (w *slidingWindow) box() linear.AABB {
	return linear.BoxAround([3]float32{w.x, 0, 0}, [3]float32{windowHalf, windowHalf, windowHalf})
}

// appendOutside appends the objects outside a box, found by queries of six boxes.
func appendOutside(t testing.TB, dst []uint32, v linear.View, in linear.AABB) []uint32 {
	const far = query.Unlimited
	rest := linear.AABB{Min: [3]float32{-far, -far, -far}, Max: [3]float32{far, far, far}}
	for axis := range 3 {
		below, above := rest, rest
		rest.Min[axis], rest.Max[axis] = in.Min[axis], in.Max[axis]
		below.Max[axis] = math.Nextafter32(in.Min[axis], -far)
		above.Min[axis] = math.Nextafter32(in.Max[axis], far)
		for _, b := range [...]linear.AABB{below, above} {
			q, err := query.NewBox(b.Min, b.Max)
			must(t, err)
			dst = q.Append(dst, v, query.Filter{})
		}
	}
	return dst
}

// BenchmarkWindow updates a sliding window, and reports the medians of the times of the removal and of the tick after
// it. Boxes finds the points by six box queries, and Batch has the IDs without a search.
func BenchmarkWindow(b *testing.B) {
	for _, way := range []string{"Boxes", "Batch", "RemoveOutside"} {
		b.Run(way, func(b *testing.B) {
			w := newSlidingWindow(b)
			var ids []uint32
			var removals, ticks []time.Duration
			for b.Loop() {
				w.scan(b)
				if way == "Batch" {
					b.StopTimer()
					ids = ids[:0]
					for id, p := range w.byID {
						if in := w.box(); w.tree.Has(uint32(id)) && !in.Contains(linear.AABB{Min: p, Max: p}) {
							ids = append(ids, uint32(id))
						}
					}
					b.StartTimer()
				}
				from := time.Now()
				switch way {
				case "Boxes":
					ids = appendOutside(b, ids[:0], w.tree.View(), w.box())
					must(b, w.tree.RemoveBatch(ids))
				case "Batch":
					must(b, w.tree.RemoveBatch(ids))
				default:
					_, _, err := w.tree.RemoveOutside(nil, linear.BoxRegion(w.box()), linear.Filter{})
					must(b, err)
				}
				to := time.Now()
				must(b, w.tree.Tick())
				removals, ticks = append(removals, to.Sub(from)), append(ticks, time.Since(to))
			}
			for unit, times := range map[string][]time.Duration{"removal-µs": removals, "tick-µs": ticks} {
				slices.Sort(times)
				b.ReportMetric(float64(times[len(times)/2].Microseconds()), unit)
			}
			b.ReportMetric(float64(w.tree.Len()), "points")
		})
	}
}
