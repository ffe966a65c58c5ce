package build_test

import (
	"testing"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// fillBench runs fill on full packets with objects in random order. Read: record and item. Written: box, ID, mask.
func fillBench(b *testing.B, prepare func(b *testing.B, boxes int) func(out *filled, starts []uint32, items []uint64)) {
	const touched = 32 + 8 + 24 + 8
	micro.Each(b, touched, func(b *testing.B, boxes int) micro.Kernel {
		boxes = max(boxes/soa.Lanes, 1) * soa.Lanes
		fill := prepare(b, boxes)
		out := makeColumns(b, kernel.Heap, boxes/soa.Lanes)
		items := make([]uint64, boxes)
		for i, index := range kernel.Shuffled(testkit.Rand(2), boxes) {
			items[i] = uint64(index)
		}
		starts := make([]uint32, len(out.Bounds)+1)
		for i := range starts {
			starts[i] = uint32(soa.Lanes * i)
		}
		return micro.Kernel{Items: boxes, Item: "box", Bytes: touched * boxes, Run: func() { fill(out, starts, items) }}
	})
}

func BenchmarkFillRecords(b *testing.B) {
	fillBench(b, func(_ *testing.B, boxes int) func(out *filled, starts []uint32, items []uint64) {
		records := randomRecords(testkit.Rand(1), boxes, testkit.BoxesSmall)
		return func(out *filled, starts []uint32, items []uint64) {
			out.fillRecords(0, starts, items, records)
		}
	})
}

func BenchmarkFillPackets(b *testing.B) {
	fillBench(b, func(b *testing.B, boxes int) func(out *filled, starts []uint32, items []uint64) {
		from := randomSource(b, testkit.Rand(1), kernel.Heap, boxes/soa.Lanes, boxes, testkit.BoxesSmall)
		for i := range from.Locations {
			from.Locations[i] = soa.Location(i)
		}
		return func(out *filled, starts []uint32, items []uint64) {
			out.fillPackets(0, starts, items, from)
		}
	})
}

// A full tree of nodes; a box here is a child.
func BenchmarkReduceNodes(b *testing.B) {
	micro.Each(b, (512+8+32)/soa.Fan, func(_ *testing.B, boxes int) micro.Kernel {
		nodes := kernel.FullNodes(max(boxes, 2*soa.Fan))
		up, list := make([]soa.Up, len(nodes)), make([]uint32, len(nodes)-1)
		for i := 1; i < len(nodes); i++ {
			up[i] = soa.Up(i - 1)
			list[len(list)-i] = uint32(i)
		}
		return micro.Kernel{Items: soa.Fan * len(list), Item: "box", Bytes: (512 + 8 + 32) * len(list), Run: func() {
			build.ReduceNodes(nodes, up, list)
		}}
	})
}

// A refit of all full packets in the order of slots; 16 packets share a node.
func BenchmarkReducePackets(b *testing.B) {
	const slot = 384 + 64 + 2 + 1 + 4 + 512/soa.Fan
	micro.Each(b, slot/soa.Lanes, func(b *testing.B, boxes int) micro.Kernel {
		n := max(boxes/soa.Lanes, 1)
		c := makeColumns(b, kernel.Heap, n)
		copy(c.Bounds, kernel.FullPackets(soa.Lanes*n))
		for i := range n {
			c.Counts[i], c.Parents[i] = soa.Lanes, soa.Up(i)
		}
		slots := kernel.UpTo(n)
		return micro.Kernel{Items: soa.Lanes * n, Item: "box", Bytes: (slot + 4) * n, Run: func() { c.reduce(slots) }}
	})
}
