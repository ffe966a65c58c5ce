package build_test

import (
	"testing"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// Full packets whose boxes lie in random order, or in theirs, below full nodes.
func BenchmarkWriteBoxes(b *testing.B) {
	for _, order := range []string{"random", "memory"} {
		touched := 24 + 24 + 4
		if order == "memory" {
			touched -= 4
		}
		b.Run("order="+order, func(b *testing.B) {
			micro.Each(b, touched, func(_ *testing.B, boxes int) micro.Kernel {
				n := max(boxes/soa.Lanes, 1)
				p := soa.PacketColumns{Bounds: kernel.FullPackets(soa.Lanes * n), Counts: make([]uint8, n), Parents: make([]soa.Up, n), PlacementBoxes: make([]soa.AABB, n)}
				nodes, index, from := make([]soa.Node, n/soa.Fan+1), make([]kernel.IDRow, n), make([]float32, 6*soa.Lanes*n)
				for i, k := range kernel.Shuffled(testkit.Rand(1), soa.Lanes*n) {
					from[6*i] = float32(i)
					index[i/soa.Lanes][i%soa.Lanes] = uint32(k)
					p.Counts[i/soa.Lanes] = soa.Lanes
					p.Parents[i/soa.Lanes] = soa.Up(i / soa.Lanes)
				}
				return micro.Kernel{Items: soa.Lanes * n, Item: "box", Bytes: touched * soa.Lanes * n, Run: func() {
					for i := 0; i < n; i += build.WritePackets {
						rows, boxes := index[i:], from
						if order == "memory" {
							rows, boxes = nil, from[6*soa.Lanes*i:]
						}
						_, away := build.WriteBoxes(&p, nodes, i, min(build.WritePackets, n-i), rows, boxes)
						kernel.Sink += away
					}
				}}
			})
		})
	}
}

// Boxes of balls, one after the other.
func BenchmarkBallBoxes(b *testing.B) {
	micro.Each(b, 16+24, func(_ *testing.B, n int) micro.Kernel {
		r := testkit.Rand(1)
		spheres, boxes := make([][4]float32, n), make([]soa.AABB, n)
		for i := range spheres {
			spheres[i] = [4]float32{100 * r.Float32(), 100 * r.Float32(), 100 * r.Float32(), r.Float32()}
		}
		return micro.Kernel{Items: n, Item: "ball", Bytes: (16 + 24) * n, Run: func() { build.BallBoxes(boxes, spheres) }}
	})
}

// Full packets whose balls lie in random order.
func BenchmarkWriteBalls(b *testing.B) {
	const touched = 16 + 24 + 16 + 4
	micro.Each(b, touched, func(_ *testing.B, balls int) micro.Kernel {
		n := max(balls/soa.Lanes, 1)
		packets, lanes, counts, index := kernel.FullPackets(soa.Lanes*n), make([]soa.SphereLanes, n), make([]uint8, n), make([]kernel.IDRow, n)
		from := make([][4]float32, soa.Lanes*n)
		for i, k := range kernel.Shuffled(testkit.Rand(1), soa.Lanes*n) {
			from[i] = [4]float32{float32(i), 1, 2, 0.1}
			index[i/soa.Lanes][i%soa.Lanes] = uint32(k)
			counts[i/soa.Lanes] = soa.Lanes
		}
		return micro.Kernel{Items: soa.Lanes * n, Item: "ball", Bytes: touched * soa.Lanes * n, Run: func() {
			build.WriteBalls(packets, lanes, counts, index, from)
		}}
	})
}
