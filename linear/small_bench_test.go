package linear_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// smallTour is the number of different frames of a small tree.
const smallTour = 64

// A frame of a small tree: some objects move, and a Tick. They move around their first positions: in place by at
// most a tenth of their size, or by twice their size, so that most of them leave their packets.
func BenchmarkSmallFrame(b *testing.B) {
	for _, n := range micro.Sizes(100, 1_000, 10_000) {
		objects := sceneOf(b, "uniform", n)
		for _, movers := range []int{0, 1, 10, 100, n} {
			if movers > n || movers == n && n == 100 {
				continue
			}
			for _, move := range []string{"place", "leave"} {
				for _, how := range []string{"single", "batch"} {
					if movers == 0 && (move != "place" || how != "single") {
						continue
					}
					b.Run(fmt.Sprintf("n=%d/movers=%d/move=%s/how=%s", n, movers, move, how), func(b *testing.B) {
						step := float32(0.1)
						if move == "leave" {
							step = 2
						}
						benchmarkSmallFrame(b, objects, movers, step, how == "batch")
					})
				}
			}
		}
	}
}

func benchmarkSmallFrame(b *testing.B, objects []soa.Object, movers int, step float32, batch bool) {
	tree := newTree(b, linear.Config{Workers: 1, Cut: linear.CutSpace})
	insert(b, tree, objects)
	must(b, tree.Tick())
	r := testkit.Rand(1)
	var ids [smallTour][]uint32
	var to [smallTour][]soa.AABB
	for f := range ids {
		for _, id := range r.Perm(len(objects))[:movers] {
			ids[f] = append(ids[f], uint32(id))
			to[f] = append(to[f], drift(r, objects[id].Box, step, soa.AABB{}, 0))
		}
	}
	frame := func(f int) {
		if batch {
			if err := tree.MoveBatch(ids[f], to[f]); err != nil {
				b.Fatal(err)
			}
		} else {
			for i, id := range ids[f] {
				if err := tree.Move(id, to[f][i]); err != nil {
					b.Fatal(err)
				}
			}
		}
		if err := tree.Tick(); err != nil {
			b.Fatal(err)
		}
	}
	for f := range 2 * smallTour { // until lists have reached their size
		frame(f % smallTour)
	}
	b.ReportAllocs()
	f := 0
	for b.Loop() {
		frame(f % smallTour)
		f++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/frame")
	must(b, tree.Validate())
}

// A frame of a small tree in which some objects are replaced by others nearby, one by one, and a Tick.
func BenchmarkSmallReplace(b *testing.B) {
	for _, n := range micro.Sizes(100, 1_000, 10_000) {
		objects := sceneOf(b, "uniform", n)
		for _, count := range []int{1, 10, 100, 1000} {
			if count > n/10 {
				break
			}
			b.Run(fmt.Sprintf("n=%d/replaced=%d", n, count), func(b *testing.B) {
				tree := newTree(b, linear.Config{Workers: 1, Cut: linear.CutSpace})
				ids := insert(b, tree, objects)
				r := testkit.Rand(1)
				var which [smallTour][]int
				var come [smallTour][]soa.Object
				for f := range which {
					for _, i := range r.Perm(n)[:count] {
						o := objects[i]
						o.Box = drift(r, o.Box, 1, soa.AABB{}, 0)
						which[f], come[f] = append(which[f], i), append(come[f], o)
					}
				}
				f, rebuilt := 0, 0
				frame := func() {
					for k, i := range which[f%smallTour] {
						if err := tree.Remove(ids[i]); err != nil {
							b.Fatal(err)
						}
						id, err := tree.Insert(come[f%smallTour][k])
						if err != nil {
							b.Fatal(err)
						}
						ids[i] = id
					}
					if err := tree.Tick(); err != nil {
						b.Fatal(err)
					}
					rebuilt += tree.Work().Rebuilt
					f++
				}
				for range 2 * smallTour { // until lists have reached their size
					frame()
				}
				f, rebuilt = 0, 0
				b.ReportAllocs()
				for b.Loop() {
					frame()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(f)/float64(count), "ns/replaced")
				b.ReportMetric(float64(rebuilt)/float64(f)/float64(n), "rebuilds")
				must(b, tree.Validate())
			})
		}
	}
}
