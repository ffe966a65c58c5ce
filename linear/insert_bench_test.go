package linear_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Objects are inserted one by one into an empty tree, with one View at the end, which builds it. In the scene
// "around" most coordinates are negative.
func BenchmarkInsertView(b *testing.B) {
	for _, name := range []string{"uniform", "city", "around"} {
		for _, n := range micro.Sizes(100, 1000, 10_000, 100_000, 1_000_000) {
			objects := insertScene(b, name, n)
			b.Run(fmt.Sprintf("scene=%s/n=%d", name, n), func(b *testing.B) {
				var inserts, views []float64
				for b.Loop() {
					tree := newTree(b, linear.Config{Workers: 1})
					t0 := time.Now()
					for i := range objects {
						if _, err := tree.Insert(objects[i]); err != nil {
							b.Fatal(err)
						}
					}
					t1 := time.Now()
					opSum += tree.View().Len()
					inserts, views = append(inserts, float64(t1.Sub(t0))), append(views, float64(time.Since(t1)))
				}
				insertMetrics(b, inserts, views, n)
			})
		}
	}
}

// Objects are inserted one by one into an existing tree, with one View or Tick at the end, and removed again.
func BenchmarkInsertViewInto(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(10_000, 100_000, 1_000_000) {
			objects := sceneOf(b, name, n)
			for _, share := range []int{1000, 100, 20, 4} {
				for _, end := range []string{"view", "tick"} {
					b.Run(fmt.Sprintf("scene=%s/n=%d/share=%d/end=%s", name, n, share, end), func(b *testing.B) {
						tree := newTree(b, linear.Config{Workers: 1})
						insert(b, tree, objects)
						r := testkit.Rand(1)
						come, ids := make([]soa.Object, n/share), make([]uint32, n/share)
						var inserts, views []float64
						for b.Loop() {
							for i := range come {
								come[i] = objects[r.IntN(n)]
							}
							t0 := time.Now()
							var err error
							for i := range come {
								if ids[i], err = tree.Insert(come[i]); err != nil {
									b.Fatal(err)
								}
							}
							t1 := time.Now()
							if end == "tick" {
								must(b, tree.Tick())
							}
							opSum += tree.View().Len()
							inserts, views = append(inserts, float64(t1.Sub(t0))), append(views, float64(time.Since(t1)))
							must(b, tree.RemoveBatch(ids))
							must(b, tree.Tick())
						}
						insertMetrics(b, inserts, views, len(come))
					})
				}
			}
		}
	}
}

// insertScene returns the objects of a scene. Those of "around" are in a cube around the origin.
func insertScene(b *testing.B, name string, n int) []soa.Object {
	if name != "around" {
		return sceneOf(b, name, n)
	}
	r := testkit.Rand(1)
	objects := make([]soa.Object, n)
	for i := range objects {
		o := &objects[i]
		for a := range 3 {
			o.Box.Min[a] = 64*r.Float32() - 33
			o.Box.Max[a] = o.Box.Min[a] + 2
		}
		o.Mask = 1
	}
	return objects
}

func insertMetrics(b *testing.B, inserts, views []float64, n int) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(inserts)/float64(n), "ns/insert")
	b.ReportMetric(median(views)/float64(n), "ns/viewed")
	sums := make([]float64, len(inserts))
	for i := range sums {
		sums[i] = inserts[i] + views[i]
	}
	b.ReportMetric(median(sums)/float64(n), "ns/object")
}
