package linear_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

func sceneOf(b testing.TB, name string, n int) []soa.Object {
	b.Helper()
	sc, ok := scene.ByName(name)
	if !ok {
		b.Fatalf("no scene %q", name)
	}
	return sc.Make(n, 1)
}

// Builds of a tree, the first with allocation of its memory, beside a sort of the keys alone.
func BenchmarkBuild(b *testing.B) {
	for _, name := range []string{"uniform", "city", "points"} {
		for _, n := range micro.Sizes(10_000, 100_000, 1_000_000) {
			objects := sceneOf(b, name, n)
			perObject := func(b *testing.B) {
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/object")
			}
			for _, cut := range []linear.Cut{linear.CutSpace, linear.CutCurve} {
				for _, workers := range []int{1, 2} {
					for _, frozen := range []bool{false, true} {
						name := fmt.Sprintf("scene=%s/n=%d/cut=%v/workers=%d/frozen=%v", name, n, cut, workers, frozen)
						cfg := linear.Config{Workers: workers, Frozen: frozen, Cut: cut}
						b.Run(name+"/op=first", func(b *testing.B) {
							b.ReportAllocs()
							ids := make([]uint32, 0, n)
							for b.Loop() {
								t, err := linear.New(cfg)
								must(b, err)
								if ids, err = t.InsertBatch(ids[:0], objects); err != nil || len(ids) != n {
									b.Fatal(err)
								}
							}
							perObject(b)
						})
						b.Run(name+"/op=rebuild", func(b *testing.B) {
							b.ReportAllocs()
							t := newTree(b, cfg)
							insert(b, t, objects)
							for range 2 {
								rebuild(b, t, frozen)
							}
							for b.Loop() {
								must(b, t.Rebuild(nil, linear.RebuildOptions{Frozen: frozen}))
							}
							perObject(b)
						})
					}
				}
			}
			keys := make([]uint64, n)
			b.Run(fmt.Sprintf("scene=%s/n=%d/op=slices.Sort", name, n), func(b *testing.B) {
				t, _ := linear.New(linear.Config{World: scene.Bounds(objects)})
				g := t.World().Grid()
				for b.Loop() {
					b.StopTimer()
					for i := range objects {
						c := objects[i].Box.Center()
						keys[i] = g.Key(c[0], c[1], c[2])
					}
					b.StartTimer()
					slices.Sort(keys)
				}
				perObject(b)
			})
		}
	}
}

// A frame in which one in ten objects drifts by about its size, for several sizes of the smallest cells: the
// savings in relocations, and the visits of queries after 40 frames.
func BenchmarkMinCell(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(100_000) {
			objects := sceneOf(b, name, n)
			world := soa.Empty()
			for i := range objects {
				world = world.Union(objects[i].Box)
			}
			for _, side := range []float32{0, 2, 4, 8, 16, 32, 64} {
				b.Run(fmt.Sprintf("scene=%s/n=%d/side=%v", name, n, side), func(b *testing.B) {
					tree := newTree(b, linear.Config{Workers: 1, MinCell: side})
					insert(b, tree, objects)
					r := testkit.Rand(1)
					boxes := make([]soa.AABB, n)
					for i := range objects {
						boxes[i] = objects[i].Box
					}
					ids, to := make([]uint32, n/10), make([]soa.AABB, n/10)
					homed := 0
					prepare := func() {
						for i := range ids {
							ids[i] = uint32(r.IntN(n))
							boxes[ids[i]] = drift(r, boxes[ids[i]], 1, world, 0)
							to[i] = boxes[ids[i]]
						}
					}
					frame := func() {
						must(b, tree.MoveBatch(ids, to))
						must(b, tree.Tick())
					}
					for range 40 {
						prepare()
						frame()
						homed += tree.Work().Placed
					}
					var seen query.Counters
					for i := range 1000 {
						ball, err := query.NewSphere(boxes[i*7919%n].Center(), 5)
						must(b, err)
						seen = seen.Add(ball.Explain(tree.View(), query.Filter{}, nil))
					}
					b.ReportAllocs()
					for b.Loop() {
						b.StopTimer()
						prepare()
						b.StartTimer()
						frame()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(ids)), "ns/mover")
					b.ReportMetric(float64(homed)/40/float64(len(ids)), "homed/mover")
					b.ReportMetric(float64(seen.Tested)/1000, "tested/query")
				})
			}
		}
	}
}

// The frames of BenchmarkMovers on two trees in turns, one with a log of changes:
// medians of MoveBatch and Tick together.
func BenchmarkChangeLog(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		n := micro.Sizes(1_000_000)[0]
		objects := sceneOf(b, name, n)
		for _, movers := range []int{n / 1000, n / 100} {
			b.Run(fmt.Sprintf("scene=%s/n=%d/movers=%d", name, n, movers), func(b *testing.B) {
				benchmarkChangeLog(b, objects, movers)
			})
		}
	}
}

func benchmarkChangeLog(b *testing.B, objects []soa.Object, movers int) {
	var trees [2]*linear.Tree
	for i := range trees {
		trees[i] = newTree(b, linear.Config{Workers: 1, Log: i == 1})
		insert(b, trees[i], objects)
	}
	r := testkit.Rand(1)
	boxes := make([]soa.AABB, len(objects))
	world := soa.Empty()
	for i := range objects {
		boxes[i] = objects[i].Box
		world = world.Union(boxes[i])
	}
	ids, to := make([]uint32, movers), make([]soa.AABB, movers)
	var times [2][]float64
	turn := 0
	frame := func() {
		for i := range ids {
			ids[i] = uint32(r.IntN(len(boxes)))
			boxes[ids[i]] = drift(r, boxes[ids[i]], 1, world, 20)
			to[i] = boxes[ids[i]]
		}
		for range trees { // a different tree is first in each frame
			i := (turn/2 ^ turn) % 2
			turn++
			start := time.Now()
			must(b, trees[i].MoveBatch(ids, to))
			must(b, trees[i].Tick())
			times[i] = append(times[i], float64(time.Since(start)))
		}
	}
	for range 20 { // until lists have reached their size
		frame()
	}
	times[0], times[1] = times[0][:0], times[1][:0]
	for b.Loop() {
		frame()
	}
	without, with := median(times[0]), median(times[1])
	b.ReportMetric(without/float64(movers), "ns/mover")
	b.ReportMetric(with/float64(movers), "logged-ns/mover")
	b.ReportMetric(with/without, "ratio")
}

// The cost of making a transform of each family, and of the image of a box under it.
func BenchmarkTransform(b *testing.B) {
	box := soa.AABB{Min: [3]float32{-1, -2, -3}, Max: [3]float32{3, 2, 1}}
	for _, family := range poseFamilies {
		rng := testkit.Rand(1)
		var rows [][12]float64
		var transforms []linear.Transform
		for len(transforms) < 64 {
			r := poseRows(rng, family)
			if p, err := linear.NewTransform(r); err == nil {
				rows, transforms = append(rows, r), append(transforms, p)
			}
		}
		ran, kept := false, 0
		b.Run("new/"+family, func(b *testing.B) {
			ran = true
			for i := 0; b.Loop(); i++ {
				if p, err := linear.NewTransform(rows[i&63]); err == nil && p.Kind() != linear.TransformIdentity {
					kept++
				}
			}
		})
		b.Run("box/"+family, func(b *testing.B) {
			ran = true
			for i := 0; b.Loop(); i++ {
				if image := transforms[i&63].Box(box); image.Min[0] <= image.Max[0] {
					kept++
				}
			}
		})
		if ran && kept == 0 {
			b.Error("no pose was made")
		}
	}
}

// Builds and rebuilds of objects near the origin and far from it, as in the coordinates of maps, and in a corner of a
// given world.
func BenchmarkBuildFar(b *testing.B) {
	const n = 100_000
	for _, far := range []float32{0, 500_000} {
		for _, world := range []float32{0, 1 << 20} {
			objects := sceneOf(b, "uniform", n)
			for i := range objects {
				for a := range 3 {
					objects[i].Box.Min[a], objects[i].Box.Max[a] = objects[i].Box.Min[a]+far, objects[i].Box.Max[a]+far
				}
			}
			cfg := linear.Config{Workers: 1, World: linear.AABB{Max: [3]float32{world, world, world}}}
			b.Run(fmt.Sprintf("at=%g/world=%g/op=first", far, world), func(b *testing.B) {
				for b.Loop() {
					insert(b, newTree(b, cfg), objects)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/object")
			})
			b.Run(fmt.Sprintf("at=%g/world=%g/op=again", far, world), func(b *testing.B) {
				tree := newTree(b, cfg)
				insert(b, tree, objects)
				for b.Loop() {
					must(b, tree.Rebuild(nil, linear.RebuildOptions{}))
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/object")
			})
		}
	}
}
