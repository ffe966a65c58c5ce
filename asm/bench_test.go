package asm_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/testkit"
)

// The working sets, by the boxes of the packets that fit: 24 bytes each.
var sets = []struct {
	name  string
	boxes int
}{
	{"L1", 1 << 10},
	{"L2", 1 << 14},
	{"L3", 1 << 18},
	{"mem", 1 << 22},
}

// eachSet runs a benchmark for each working set, on every tier and as a copy of
// as many bytes. prepare makes the input of a set and returns the function to
// measure and the bytes that it reads and writes.
func eachSet(b *testing.B, prepare func(boxes int) (run func(), bytes int)) {
	for _, set := range sets {
		if testing.Short() && set.name == "mem" {
			continue
		}
		run, bytes := prepare(set.boxes)
		name := fmt.Sprintf("/set=%s/boxes=%d", set.name, set.boxes)
		for _, tier := range cpu.Available() {
			b.Run("impl="+tier.String()+name, func(b *testing.B) {
				former, err := cpu.Force(tier)
				if err != nil {
					b.Fatal(err)
				}
				defer cpu.Force(former)
				measure(b, set.boxes, bytes, run)
			})
		}
		from, to := make([]byte, bytes/2), make([]byte, bytes/2)
		for i := range from {
			from[i] = byte(i) // untouched pages would all be one page of zeros
		}
		b.Run("impl=copy"+name, func(b *testing.B) {
			measure(b, set.boxes, bytes, func() { copy(to, from) })
		})
	}
}

func measure(b *testing.B, boxes, bytes int, run func()) {
	b.ReportAllocs()
	b.SetBytes(int64(bytes))
	run() // lists grow
	for b.Loop() {
		run()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(boxes), "ns/box")
}

// benchPackets returns full packets of boxes in a cube of side 104, and planes
// that about a tenth of them pass.
func benchPackets(boxes int) ([]asm.Packet, *asm.Planes) {
	rng := testkit.Rand(1)
	packets := make([]asm.Packet, boxes/asm.Lanes)
	made := testkit.RandomBoxes(rng, boxes, testkit.BoxesSmall)
	for i := range packets {
		for l := range asm.Lanes {
			setPacketBox(&packets[i], l, columnsOf(made[asm.Lanes*i+l]))
		}
	}
	p := prepared([6][4]float32{
		{0.6, 0.1, 0, -40}, {-0.6, 0.1, 0, 30}, {0.1, 0.6, 0, -20},
		{0.1, -0.6, 0, 40}, {0, 0.1, 0.7, -10}, {0, 0.1, -0.7, 60},
	}, [3]float32{104, 104, 104})
	return packets, &p
}

func BenchmarkFrustumSweep(b *testing.B) {
	eachSet(b, func(boxes int) (func(), int) {
		packets, p := benchPackets(boxes)
		out := asm.FrustumSweep(nil, packets, 0, len(packets), p)
		return func() {
			out = asm.FrustumSweep(out[:0], packets, 0, len(packets), p)
		}, 384*len(packets) + 8*len(out)
	})
}

// Slots in random order: what a walk of a tree comes to at worst.
func BenchmarkFrustumPackets(b *testing.B) {
	eachSet(b, func(boxes int) (func(), int) {
		packets, p := benchPackets(boxes)
		slots := shuffled(testkit.Rand(1), len(packets))
		out := asm.FrustumPackets(nil, packets, slots, p)
		return func() {
			out = asm.FrustumPackets(out[:0], packets, slots, p)
		}, (384+4)*len(packets) + 8*len(out)
	})
}

// All nodes are in the queue and half of their children on the border; a box
// here is a child.
func BenchmarkFrustumNodes(b *testing.B) {
	eachSet(b, func(boxes int) (func(), int) {
		rng := testkit.Rand(1)
		nodes := make([]asm.Node, boxes/asm.Fan)
		made := testkit.RandomBoxes(rng, boxes, testkit.BoxesSmall)
		for i, box := range made {
			node, l := &nodes[i/asm.Fan], i%asm.Fan
			setNodeBox(node, l, columnsOf(box))
			node.Child[l] = asm.RefPacket | asm.RefStatic | uint32(i)
		}
		p := prepared([6][4]float32{{1, 1, 0, -90}, always, always, always, always, always}, [3]float32{104, 104, 104})
		queue := shuffled(rng, len(nodes))
		var w asm.Walk
		return func() {
			w.Queue = append(w.Queue[:0], queue...)
			w.Packets, w.Inside, w.Head = w.Packets[:0], w.Inside[:0], 0
			for !w.Done() {
				asm.FrustumNodes(&w, nodes, &p, &asm.SiftAll)
			}
		}, (256 + 4) * len(nodes)
	})
}

// emitBench emits IDs of 14 lanes a slot, from the ranges of one slot each in
// random order.
func emitBench(b *testing.B, n func(i int) uint32) {
	eachSet(b, func(boxes int) (func(), int) {
		ids, counts := randomIDs(testkit.Rand(1), boxes/asm.Lanes)
		from := make([]asm.Range, len(ids))
		for i, slot := range shuffled(testkit.Rand(1), len(ids)) {
			counts[i] = 14
			from[i] = asm.Range{First: slot, N: n(i)}
		}
		ranges, dst := make([]asm.Range, len(from)), make([]uint32, 0, boxes+asm.Lanes)
		return func() {
			copy(ranges, from) // EmitIDs may shorten them
			dst = asm.EmitIDs(dst[:0], ids, counts, ranges)
		}, (64+8+1)*len(ids) + 4*asm.CountRanges(counts, from)
	})
}

func BenchmarkEmitSlots(b *testing.B) { emitBench(b, func(int) uint32 { return 1 }) }

func BenchmarkEmitHits(b *testing.B) {
	rng := testkit.Rand(1)
	masks := make([]uint32, 1024)
	for i := range masks {
		masks[i] = asm.RangeHit | (1 + rng.Uint32N(0xffff))
	}
	emitBench(b, func(i int) uint32 { return masks[i%len(masks)] })
}

// fillBench runs fill on full packets whose objects come in random order.
func fillBench(b *testing.B, prepare func(boxes int) func(out *asm.Columns, starts []uint32, items []uint64)) {
	eachSet(b, func(boxes int) (func(), int) {
		fill := prepare(boxes)
		out := makeColumns(b, heap, boxes/asm.Lanes)
		items := make([]uint64, boxes)
		for i, index := range shuffled(testkit.Rand(2), boxes) {
			items[i] = uint64(index)
		}
		starts := make([]uint32, len(out.Packets)+1)
		for i := range starts {
			starts[i] = uint32(asm.Lanes * i)
		}
		// Read: record and item. Write: box, ID, mask.
		return func() { fill(out, starts, items) }, (32 + 8 + 24 + 8) * boxes
	})
}

func BenchmarkFillRecords(b *testing.B) {
	fillBench(b, func(boxes int) func(out *asm.Columns, starts []uint32, items []uint64) {
		records := randomRecords(testkit.Rand(1), boxes, testkit.BoxesSmall)
		return func(out *asm.Columns, starts []uint32, items []uint64) {
			asm.FillRecords(out, 0, starts, items, records)
		}
	})
}

func BenchmarkFillPackets(b *testing.B) {
	fillBench(b, func(boxes int) func(out *asm.Columns, starts []uint32, items []uint64) {
		from := randomSource(b, testkit.Rand(1), heap, boxes/asm.Lanes, boxes, testkit.BoxesSmall)
		copy(from.Places, upTo(boxes))
		return func(out *asm.Columns, starts []uint32, items []uint64) {
			asm.FillPackets(out, 0, starts, items, from)
		}
	})
}

// A full tree of nodes; a box here is a child.
func BenchmarkReduceNodes(b *testing.B) {
	eachSet(b, func(boxes int) (func(), int) {
		nodes := randomNodes(testkit.Rand(1), boxes/asm.Fan, testkit.BoxesSmall)
		up, list := make([]uint32, len(nodes)), make([]uint32, len(nodes)-1)
		for i := 1; i < len(nodes); i++ {
			up[i] = uint32(i - 1)
			list[len(list)-i] = uint32(i)
		}
		return func() { asm.ReduceNodes(nodes, up, list) }, (256 + 8 + 32) * len(list)
	})
}
