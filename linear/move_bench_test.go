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

// drift returns the box moved a little, or, for one in jumps, anywhere in the world.
func drift(r interface {
	Float32() float32
	IntN(int) int
}, b soa.AABB, step float32, world soa.AABB, jumps int) soa.AABB {
	jump := jumps > 0 && r.IntN(jumps) == 0
	for a := range 3 {
		d := (r.Float32() - 0.5) * 2 * step
		if jump {
			d = world.Min[a] + r.Float32()*(world.Max[a]-world.Min[a]) - b.Min[a]
		}
		b.Min[a], b.Max[a] = b.Min[a]+d, b.Max[a]+d
		b.Max[a] = max(b.Max[a], b.Min[a])
	}
	return b
}

// A frame: 1 % of all objects drift by about their size, 5 % of the moved objects jump anywhere; then a tick.
func BenchmarkMovers(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(100_000, 1_000_000) {
			objects := sceneOf(b, name, n)
			for _, share := range []int{1000, 100, 10} {
				movers := n / share
				b.Run(fmt.Sprintf("scene=%s/n=%d/movers=%d", name, n, movers), func(b *testing.B) {
					tree := newTree(b, linear.Config{Workers: 1, Cut: linear.CutSpace})
					insert(b, tree, objects)
					r := testkit.Rand(1)
					boxes := make([]soa.AABB, n)
					world := soa.Empty()
					for i := range objects {
						boxes[i] = objects[i].Box
						world = world.Union(boxes[i])
					}
					ids := make([]uint32, movers)
					to := make([]soa.AABB, movers)
					b.ReportAllocs()
					var work linear.Work
					frame := func() {
						for i := range ids {
							ids[i] = uint32(r.IntN(n))
							boxes[ids[i]] = drift(r, boxes[ids[i]], 1, world, 20)
							to[i] = boxes[ids[i]]
						}
					}
					move := func() {
						must(b, tree.MoveBatch(ids, to))
						must(b, tree.Tick())
						work = tree.Work()
					}
					for range 40 { // until lists have reached their size
						frame()
						move()
					}
					for b.Loop() {
						b.StopTimer()
						frame()
						b.StartTimer()
						move()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(movers), "ns/mover")
					b.ReportMetric(float64(work.Placed)/float64(movers), "homed/mover")
					must(b, tree.Validate())
				})
			}
		}
	}
}

// A frame in which all objects drift by a tenth of their size: boxes by ID, and in the order of the tree; then
// a tick.
func BenchmarkMoveAll(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(100_000, 1_000_000) {
			objects := sceneOf(b, name, n)
			for _, order := range []string{"ids", "memory"} {
				b.Run(fmt.Sprintf("scene=%s/n=%d/order=%s", name, n, order), func(b *testing.B) {
					tree := newTree(b, linear.Config{Workers: 1, Cut: linear.CutSpace})
					ids := insert(b, tree, objects)
					r := testkit.Rand(1)
					ordered, arrangement := tree.Order(nil)
					if order == "memory" {
						ids = ordered
					}
					boxes := make([]soa.AABB, n)
					load := func() {
						for i, id := range ids {
							o, _ := tree.Object(id)
							boxes[i] = o.Box
						}
					}
					load()
					b.ReportAllocs()
					for b.Loop() {
						b.StopTimer()
						if ids2, now := tree.Order(ordered[:0]); order == "memory" && now != arrangement {
							ids, arrangement = ids2, now
							load()
						}
						for i := range boxes {
							boxes[i] = drift(r, boxes[i], 0.05, soa.AABB{}, 0)
						}
						b.StartTimer()
						if order == "memory" {
							must(b, tree.MoveInOrder(arrangement, boxes))
						} else {
							must(b, tree.MoveBatch(ids, boxes))
						}
						must(b, tree.Tick())
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/object")
				})
			}
		}
	}
}

// A frame in which one object in ten, in five, or all, jump: each takes the box of another one, by one MoveBatch, then
// a tick.
func BenchmarkJump(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(10_000, 100_000, 1_000_000) {
			objects := sceneOf(b, name, n)
			for _, oneIn := range []int{10, 5, 1} {
				b.Run(fmt.Sprintf("scene=%s/n=%d/movers=%d", name, n, n/oneIn), func(b *testing.B) {
					tree := newTree(b, linear.Config{Workers: 1})
					insert(b, tree, objects)
					r := testkit.Rand(1)
					order := r.Perm(n)
					ids, boxes := make([]uint32, n/oneIn), make([]soa.AABB, n/oneIn)
					for b.Loop() {
						b.StopTimer()
						for i := range ids {
							k := i + r.IntN(n-i)
							order[i], order[k] = order[k], order[i]
							ids[i] = uint32(order[i])
							boxes[i] = objects[r.IntN(n)].Box
						}
						if oneIn == 1 {
							slices.Sort(ids)
						}
						b.StartTimer()
						must(b, tree.MoveBatch(ids, boxes))
						must(b, tree.Tick())
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/object")
				})
			}
		}
	}
}

// A step of a few movers, any objects of the tree: 1,000 boxes by MoveBatch and a Tick, timed apart. Boxes move
// around their first positions, by a part of their size, so that nearly all stay in their packets; or on from
// their present positions, by as much as their size. Besides the plain tree there are trees with further work
// for a move: with a log, published, and with spheres.
func BenchmarkMoveStep(b *testing.B) {
	for _, n := range micro.Sizes(10_000, 100_000, 1_000_000) {
		objects := sceneOf(b, "uniform", n)
		for _, away := range []bool{false, true} {
			for _, with := range []string{"nothing", "log", "shared", "spheres"} {
				b.Run(fmt.Sprintf("n=%d/away=%v/with=%s", n, away, with), func(b *testing.B) {
					benchmarkMoveStep(b, objects, away, with)
				})
			}
		}
	}
}

func benchmarkMoveStep(b *testing.B, objects []soa.Object, away bool, with string) {
	tree := newTree(b, linear.Config{Workers: 1, Log: with == "log", Cut: linear.CutSpace})
	ids := insert(b, tree, objects)
	if with == "shared" {
		linear.NewPublisher(tree)
	}
	if with == "spheres" {
		c := objects[0].Box.Center()
		must(b, tree.SetSphere(ids[0], [4]float32{c[0], c[1], c[2], 0}))
	}
	r := testkit.Rand(1)
	boxes := make([]soa.AABB, len(objects))
	for i := range objects {
		boxes[i] = objects[i].Box
	}
	movers, to := make([]uint32, 1000), make([]soa.AABB, 1000)
	var moves, ticks []float64
	homed := 0
	step := func() {
		for i := range movers {
			id := r.IntN(len(boxes))
			movers[i] = uint32(id)
			if away {
				boxes[id] = drift(r, boxes[id], 1, soa.AABB{}, 0)
				to[i] = boxes[id]
			} else {
				to[i] = drift(r, boxes[id], 0.1, soa.AABB{}, 0)
			}
		}
		t0 := time.Now()
		must(b, tree.MoveBatch(movers, to))
		t1 := time.Now()
		must(b, tree.Tick())
		moves = append(moves, float64(t1.Sub(t0)))
		ticks = append(ticks, float64(time.Since(t1)))
		homed += tree.Work().Placed
	}
	for range 40 { // until lists have reached their size
		step()
	}
	moves, ticks, homed = moves[:0], ticks[:0], 0
	for b.Loop() {
		step()
	}
	move, tick := median(moves)/1000, median(ticks)/1000
	b.ReportMetric(move, "ns/move")
	b.ReportMetric(tick, "ns/tick")
	b.ReportMetric(move+tick, "ns/mover")
	b.ReportMetric(float64(homed)/1000/float64(len(moves)), "homed/mover")
	must(b, tree.Validate())
}

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
	tree := newTree(b, linear.Config{Workers: 1, Cut: linear.CutSpace})
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
