package linear_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// A step of replacements: 1,000 objects are removed, each for another one nearby or anywhere, one by one or by
// batches; then a Tick. The changes and the tick are timed apart. The query measure is the ratio of visits to
// the visits in a new tree, after as many steps as replace each object twice, 200 at most.
func BenchmarkReplace(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(10_000, 100_000, 1_000_000) {
			objects := sceneOf(b, name, n)
			for _, far := range []bool{false, true} {
				for _, how := range []string{"single", "batch"} {
					b.Run(fmt.Sprintf("scene=%s/n=%d/far=%v/how=%s", name, n, far, how), func(b *testing.B) {
						benchmarkReplace(b, objects, far, how == "batch")
					})
				}
			}
		}
	}
}

func benchmarkReplace(b *testing.B, objects []soa.Object, far, batch bool) {
	tree := newTree(b, linear.Config{Workers: 1})
	insert(b, tree, objects)
	objects = slices.Clone(objects)
	world := soa.Empty()
	for i := range objects {
		world = world.Union(objects[i].Box)
	}
	r := testkit.Rand(1)
	order := r.Perm(len(objects))
	count, jumps, next := min(1000, len(order)/2), 20, 0
	if far {
		jumps = 1
	}
	gone, come := make([]uint32, count), make([]soa.Object, count)
	var given []uint32
	var changes, ticks []float64
	step := func() {
		for i := range gone {
			id := order[next%len(order)]
			next++
			o := &objects[id]
			o.Box = drift(r, o.Box, 0.25, world, jumps)
			gone[i], come[i] = uint32(id), *o
		}
		t0 := time.Now()
		var err error
		if batch {
			slices.Reverse(come) // the ID that was freed last is reused first
			if err = tree.RemoveBatch(gone); err == nil {
				given, err = tree.InsertBatch(given[:0], come)
			}
		} else {
			for i := 0; i < len(gone) && err == nil; i++ {
				if err = tree.Remove(gone[i]); err == nil {
					_, err = tree.Insert(come[i])
				}
			}
		}
		t1 := time.Now()
		must(b, err)
		must(b, tree.Tick())
		changes, ticks = append(changes, float64(t1.Sub(t0))), append(ticks, float64(time.Since(t1)))
	}
	for range min(2*len(objects)/count, 200) {
		step()
	}
	frusta, boxes := aged(b, tree, objects)
	changes, ticks = changes[:0], ticks[:0]
	for b.Loop() {
		step()
	}
	per := float64(count)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(changes)/per, "ns/change")
	b.ReportMetric(median(ticks)/per, "ns/tick")
	b.ReportMetric(frusta, "frusta/new")
	b.ReportMetric(boxes, "boxes/new")
	must(b, tree.Validate())
}

// Objects are inserted one by one into an empty tree, with a read after each thousand.
func BenchmarkGrow(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(100_000) {
			objects := sceneOf(b, name, n)
			b.Run(fmt.Sprintf("scene=%s/n=%d", name, n), func(b *testing.B) {
				var tree *linear.Tree
				for b.Loop() {
					tree = newTree(b, linear.Config{Workers: 1})
					for i := range objects {
						if _, err := tree.Insert(objects[i]); err != nil {
							b.Fatal(err)
						}
						if i%1000 == 999 {
							opSum += tree.View().Len()
						}
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/object")
				frusta, boxes := aged(b, tree, objects)
				b.ReportMetric(frusta, "frusta/new")
				b.ReportMetric(boxes, "boxes/new")
				must(b, tree.Validate())
			})
		}
	}
}

// A batch of 10,000 into an existing tree, and a Flush, which places them.
func BenchmarkInsertInto(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(100_000, 1_000_000) {
			objects := sceneOf(b, name, n)
			b.Run(fmt.Sprintf("scene=%s/n=%d", name, n), func(b *testing.B) {
				tree := newTree(b, linear.Config{Workers: 1})
				insert(b, tree, objects)
				r := testkit.Rand(1)
				come := make([]soa.Object, min(10_000, n/10))
				var ids []uint32
				var times []float64
				for b.Loop() {
					for i := range come {
						come[i] = objects[r.IntN(n)]
					}
					start := time.Now()
					var err error
					if ids, err = tree.InsertBatch(ids[:0], come); err == nil {
						err = tree.Flush()
					}
					times = append(times, float64(time.Since(start)))
					must(b, err)
					must(b, tree.RemoveBatch(ids))
					must(b, tree.Tick())
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(median(times)/float64(len(come)), "ns/object")
				must(b, tree.Validate())
			})
		}
	}
}
