package rivaltest

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// benchObjects is the number of objects of the benchmarks.
const benchObjects = 100_000

// Bench runs benchmarks of an index on two scenes: the build, in ns for each object, three queries, the pairs
// and single moves. It compares the settings of one index; the command compares rivals.
func Bench(b *testing.B, empty func() index.Index) {
	for _, name := range []string{"uniform", "city"} {
		b.Run(fmt.Sprintf("scene=%s/n=%d", name, benchObjects), func(b *testing.B) {
			objects := testkit.SceneByName(b, name).Make(benchObjects, 1)
			ix := empty()
			build := func() {
				ix.Build(objects)
				if ix, ok := ix.(index.Settler); ok {
					ix.Settle()
				}
			}
			build()
			each(b, "build", len(objects), build)
			benchVolumes(b, ix, objects)
			benchRays(b, ix, objects)
			if ix, ok := ix.(index.Pairs); ok {
				count := 0
				each(b, "pairs", len(objects), func() { ix.Pairs(func(uint32, uint32) { count++ }) })
			}
			if ix, ok := ix.(index.Mover); ok {
				step := 0
				each(b, "move", 1000, func() {
					for range 1000 {
						// Each object moves to the location of another one.
						ix.Move(uint32(step*7919%len(objects)), objects[step*104729%len(objects)].Box)
						step++
					}
				})
			}
		})
	}
}

// each is a benchmark of f, which runs an operation the given number of times.
func each(b *testing.B, name string, times int, f func()) {
	b.Run(name, func(b *testing.B) {
		for b.Loop() {
			f()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(times), "ns/each")
	})
}

func benchVolumes(b *testing.B, ix index.Index, objects []soa.Object) {
	volumes, ok := ix.(index.Volumes)
	if !ok {
		return
	}
	extent := index.Extent(objects)
	var frusta, boxes []index.Volume
	for _, c := range scene.Cameras(objects, 0.01, 50, 1) {
		frusta = append(frusta, index.Frustum(c.Planes(), extent))
	}
	for _, q := range scene.BoxQueries(objects, 450, 200, 1) {
		boxes = append(boxes, index.Box(q))
	}
	var ids []uint32
	ask := func(list []index.Volume) func() {
		return func() {
			for i := range list {
				ids = volumes.Append(ids[:0], &list[i])
			}
		}
	}
	each(b, "frustum/share=1%", len(frusta), ask(frusta))
	each(b, "box/results=450", len(boxes), ask(boxes))
}

func benchRays(b *testing.B, ix index.Index, objects []soa.Object) {
	rays, ok := ix.(index.Rays)
	if !ok {
		return
	}
	var list []index.Ray
	for _, q := range scene.RayQueries(objects, 200, 1) {
		list = append(list, index.NewRay(q.Origin, q.Dir, q.MaxT))
	}
	each(b, "ray/first", len(list), func() {
		for i := range list {
			rays.First(&list[i])
		}
	})
}
