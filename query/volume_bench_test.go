package query_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
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
