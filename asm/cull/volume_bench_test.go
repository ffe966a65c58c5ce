package cull_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// benchVolume is a volume that intersects about a tenth of the boxes.
type benchVolume struct {
	name string
	*kernels
}

func benchVolumes() []benchVolume {
	raw := [6][4]float32{
		{0.6, 0.1, 0, -40}, {-0.6, 0.1, 0, 30}, {0.1, 0.6, 0, -20},
		{0.1, -0.6, 0, 40}, {0, 0.1, 0.7, -10}, {0, 0.1, -0.7, 60},
	}
	near, extent := [3]float32{104, 104, 104}, [3]float32{1e9, 104, 104}
	p := prepared(raw, near)
	box := cull.MakeBox([3]float32{30, 30, 30}, [3]float32{76, 76, 76})
	sphere := cull.MakeSphere([3]float32{52, 52, 52}, 28)
	six := scaled(raw)
	convex := convexOf(near, append(six[:], six[:2]...)...)
	two, convexTwo := cull.MakePlanes(&six, near, extent), new(cull.Convex)
	convexTwo.Set(append(six[:], six[:2]...), near, extent)
	return []benchVolume{
		{"frustum", frustumKernels(&p)}, {"frustum/bound=two", frustumKernels(&two)},
		{"box", boxKernels(&box)}, {"sphere", sphereKernels(&sphere)},
		{"convex8", convexKernels(convex)}, {"convex8/bound=two", convexKernels(convexTwo)},
	}
}

// eachVolume measures a kernel of each volume.
func eachVolume(b *testing.B, bytesPerBox int, prepare func(v benchVolume, boxes int) micro.Kernel) {
	for _, v := range benchVolumes() {
		b.Run("volume="+v.name, func(b *testing.B) {
			micro.Each(b, bytesPerBox, func(_ *testing.B, boxes int) micro.Kernel { return prepare(v, boxes) })
		})
	}
}

// The linear scan: packets in the order of memory.
func BenchmarkScan(b *testing.B) {
	eachVolume(b, 24, func(v benchVolume, boxes int) micro.Kernel {
		packets := kernel.FullPackets(boxes)
		out := v.Scan(nil, packets, 0, len(packets))
		return micro.Kernel{Items: soa.Lanes * len(packets), Item: "box", Bytes: 384*len(packets) + 8*len(out), Run: func() {
			out = v.Scan(out[:0], packets, 0, len(packets))
		}}
	})
}

// Slots in random order: the worst case of a walk of a tree.
func BenchmarkPackets(b *testing.B) {
	eachVolume(b, 24, func(v benchVolume, boxes int) micro.Kernel {
		packets := kernel.FullPackets(boxes)
		slots := kernel.Shuffled(testkit.Rand(1), len(packets))
		out := v.Packets(nil, packets, slots)
		return micro.Kernel{Items: soa.Lanes * len(packets), Item: "box", Bytes: (384+4)*len(packets) + 8*len(out), Run: func() {
			out = v.Packets(out[:0], packets, slots)
		}}
	})
}

// The same with the IDs of the hits.
func BenchmarkAppendIDs(b *testing.B) {
	eachVolume(b, 28, func(v benchVolume, boxes int) micro.Kernel {
		packets := kernel.FullPackets(boxes)
		slots, ids := kernel.Shuffled(testkit.Rand(1), len(packets)), make([]kernel.IDRow, len(packets))
		for i := range ids {
			for l := range ids[i] {
				ids[i][l] = uint32(i*soa.Lanes + l)
			}
		}
		dst, ranges := v.AppendIDs(nil, nil, packets, ids, slots)
		dst = slices.Grow(dst, soa.Lanes)
		return micro.Kernel{Items: soa.Lanes * len(packets), Item: "box", Bytes: (384+4+64)*len(packets) + 4*len(dst), Run: func() {
			dst, ranges = v.AppendIDs(dst[:0], ranges, packets, ids, slots)
			kernel.Sink += uint64(len(dst))
		}}
	})
}

// All nodes are in the queue, in random order; a box here is a child.
func BenchmarkNodes(b *testing.B) {
	eachVolume(b, 512/soa.Fan, func(v benchVolume, boxes int) micro.Kernel {
		nodes := kernel.FullNodes(boxes)
		queue := kernel.Shuffled(testkit.Rand(1), len(nodes))
		var w asm.VolumeWalk
		return micro.Kernel{Items: soa.Fan * len(nodes), Item: "box", Bytes: (512 + 4) * len(nodes), Run: func() {
			w.Queue = append(w.Queue[:0], queue...)
			w.Packets, w.Inside, w.Head = w.Packets[:0], w.Inside[:0], 0
			for !w.Done() {
				v.Nodes(&w, nodes, &asm.AllNodes)
			}
		}}
	})
}
