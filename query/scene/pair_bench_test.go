package scene_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// parked makes a scene of instances of one part of a hundred objects, in rows, each of which overlaps its
// neighbours a bit, rotated or not.
func parked(b *testing.B, places int, turned bool) *linear.Scene {
	rng := testkit.Rand(1)
	objects := make([]soa.Object, 100)
	for i := range objects {
		o := &objects[i]
		for a := range 3 {
			o.Box.Min[a] = float32(rng.Float64() * 10)
			o.Box.Max[a] = o.Box.Min[a] + float32(rng.Float64())
		}
		o.Mask = 1
	}
	part, s := trees.Plant(b, objects, false), newScene(b)
	for i := range places {
		q := [4]float64{0, 0, 0, 1}
		if turned {
			q[0], q[1] = rng.Float64()/8, rng.Float64()/8
		}
		transform, err := linear.Similarity([3]float64{float64(i%32) * 10, float64(i/32) * 10, 0}, q, 1)
		testkit.Must(b, err)
		place(b, s, part, transform, linear.InstanceOptions{})
	}
	testkit.Must(b, s.Tick())
	return s
}

func BenchmarkPairs(b *testing.B) {
	for _, turned := range []bool{false, true} {
		b.Run(fmt.Sprintf("places=1000/turned=%v", turned), func(b *testing.B) {
			v := parked(b, 1000, turned).View()
			var pairs []scene.Pair
			b.ReportAllocs()
			for b.Loop() {
				pairs = scene.AppendPairs(pairs[:0], v, scene.PairFilter{})
			}
			b.ReportMetric(float64(len(pairs)), "pairs/op")
		})
	}
}

// The nearest objects of a point in scenes, and in the flat tree of all boxes.
func BenchmarkNearest(b *testing.B) {
	for _, size := range scales {
		s, flat := instances(b, size[0], size[1])
		v, w, rng := s.View(), flat.View(), testkit.Rand(2)
		points := make([][3]float32, 1024)
		for i := range points {
			points[i] = [3]float32{rng.Float32() * 1000, rng.Float32() * 1000, rng.Float32() * 1000}
		}
		for _, k := range []int{1, 8, 100} {
			name := fmt.Sprintf("places=%d/objects=%d/k=%d", size[0], size[1], k)
			var near []scene.Neighbor
			b.Run(name+"/in=scene", func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					near, _ = scene.AppendNearest(near[:0], v, points[i&1023], k, infinity, query.Filter{})
				}
				b.ReportMetric(float64(len(near)), "found/op")
			})
			var found []query.Neighbor
			b.Run(name+"/in=flat", func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					found, _ = query.AppendNearest(found[:0], w, points[i&1023], k, infinity, query.Filter{})
				}
				b.ReportMetric(float64(len(found)), "found/op")
			})
		}
	}
}

// The pairs of a scene of rotated instances, and those of the flat tree of all boxes.
func BenchmarkPairsFlat(b *testing.B) {
	for _, size := range scales {
		b.Run(fmt.Sprintf("places=%d/objects=%d", size[0], size[1]), func(b *testing.B) {
			s, flat := instances(b, size[0], size[1])
			v, w := s.View(), flat.View()
			b.Run("in=scene", func(b *testing.B) {
				pairs := scene.AppendPairs(nil, v, scene.PairFilter{})
				b.ReportAllocs()
				for b.Loop() {
					pairs = scene.AppendPairs(pairs[:0], v, scene.PairFilter{})
				}
				b.ReportMetric(float64(len(pairs)), "pairs/op")
			})
			b.Run("in=flat", func(b *testing.B) {
				pairs := collide.Append(nil, collide.Within(w), collide.Filter{})
				for b.Loop() {
					pairs = collide.Append(pairs[:0], collide.Within(w), collide.Filter{})
				}
				b.ReportMetric(float64(len(pairs)), "pairs/op")
			})
		})
	}
}
