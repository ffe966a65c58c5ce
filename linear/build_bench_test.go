package linear_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
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
