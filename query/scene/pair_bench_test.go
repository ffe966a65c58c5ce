package scene_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
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

func BenchmarkNearest(b *testing.B) {
	for _, turned := range []bool{false, true} {
		for _, k := range []int{1, 16, 100} {
			b.Run(fmt.Sprintf("places=1000/turned=%v/k=%d", turned, k), func(b *testing.B) {
				v, rng := parked(b, 1000, turned).View(), testkit.Rand(2)
				points := make([][3]float32, 256)
				for i := range points {
					points[i] = [3]float32{float32(rng.Float64() * 320), float32(rng.Float64() * 320), 5}
				}
				var near []scene.Neighbor
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					near, _ = scene.AppendNearest(near[:0], v, points[i&255], k, infinity, query.Filter{})
					i++
				}
				b.ReportMetric(float64(len(near)), "found/op")
			})
		}
	}
}
