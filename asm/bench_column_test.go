package asm_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// emitBench emits IDs of 14 lanes a slot, from the ranges of one slot each in
// random order.
func emitBench(b *testing.B, n func(i int) uint32) {
	micro.Each(b, 64/soa.Lanes, func(_ *testing.B, boxes int) micro.Kernel {
		ids, counts := randomIDs(testkit.Rand(1), max(boxes/soa.Lanes, 1))
		from := make([]asm.Range, len(ids))
		for i, slot := range shuffled(testkit.Rand(1), len(ids)) {
			counts[i] = 14
			from[i] = asm.Range{First: slot, N: n(i)}
		}
		ranges, dst := make([]asm.Range, len(from)), make([]uint32, 0, boxes+soa.Lanes)
		return micro.Kernel{
			Items: 14 * len(ids), Item: "box", Bytes: (64+8+1)*len(ids) + 4*asm.CountRanges(counts, from),
			Run: func() {
				copy(ranges, from) // EmitIDs may shorten them
				dst = asm.EmitIDs(dst[:0], ids, counts, ranges)
			},
		}
	})
}

func BenchmarkEmitSlots(b *testing.B) { emitBench(b, func(int) uint32 { return 1 }) }

func BenchmarkEmitHits(b *testing.B) {
	masks := benchMasks()
	emitBench(b, func(i int) uint32 { return asm.RangeHit | masks[i%len(masks)] })
}

// Hits of single packets side by side. Half have one lane, as most pairs do.
func BenchmarkEmitPairs(b *testing.B) {
	micro.Each(b, 128, func(_ *testing.B, n int) micro.Kernel {
		hits := randomHits(testkit.Rand(1), n, n, n)
		for i := range hits {
			hits[i].A, hits[i].B = soa.MakeLocation(uint32(i), i%soa.Lanes), uint32(i)
		}
		ids := make([]idRow, n)
		total := asm.CountHits(hits)
		dst := make([][2]uint32, 0, total+soa.Lanes)
		return micro.Kernel{Items: n, Item: "hit", Bytes: (16+4+64)*n + 8*total, Run: func() {
			benchSink += uint64(len(asm.EmitPairs(dst, hits, ids, ids, asm.PairAscending)))
		}}
	})
}

// benchMasks are too many for a branch predictor to learn.
func benchMasks() []uint32 {
	rng := testkit.Rand(1)
	masks := make([]uint32, 1024)
	for i := range masks {
		masks[i] = 1 + rng.Uint32N(0xffff)
	}
	return masks
}

// Ranges as a frustum leaves them: hits of single slots, and runs.
func BenchmarkCountRanges(b *testing.B) {
	masks := benchMasks()
	micro.Each(b, 8, func(_ *testing.B, n int) micro.Kernel {
		ranges, counts := make([]asm.Range, n), make([]uint8, n+8)
		for i := range ranges {
			ranges[i] = asm.Range{First: uint32(i), N: asm.RangeHit | masks[i%len(masks)]}
			if i%4 == 0 {
				ranges[i].N = 8
			}
		}
		return micro.Kernel{Items: n, Item: "range", Bytes: 8*n + len(counts), Run: func() {
			benchSink += uint64(asm.CountRanges(counts, ranges))
		}}
	})
}

// A filter on full packets, by the columns that it reads.
func BenchmarkSelectRanges(b *testing.B) {
	const both = soa.RefFlags
	for _, x := range []struct {
		filter string
		live   bool
		bytes  int // read of a slot
		asm.LaneFilter
	}{
		{"mask", false, 64 + 3, asm.LaneFilter{Mask: 0xff, Flags: both}},
		{"motion", false, 3, asm.LaneFilter{Flags: soa.RefMoving}},
		{"live", true, 64 + 2 + 3, asm.LaneFilter{Flags: both}},
	} {
		b.Run("filter="+x.filter, func(b *testing.B) {
			micro.Each(b, 128+3, func(_ *testing.B, n int) micro.Kernel {
				rng := testkit.Rand(1)
				o := randomColumns(b, heap, rng, n, uint32(n*soa.Lanes))
				for i := range o.Counts {
					o.Counts[i] = soa.Lanes
				}
				s := x.LaneFilter
				if x.live {
					s.Only = make([]uint64, n*soa.Lanes/64+1)
					for i := range s.Only {
						s.Only[i] = rng.Uint64()
					}
				}
				all := []asm.Range{{First: 0, N: uint32(n)}}
				out := asm.SelectRanges(nil, o, []asm.Range{all[0]}, &s)
				ranges := make([]asm.Range, 1)
				return micro.Kernel{Items: n, Item: "slot", Bytes: x.bytes*n + 8*len(out), Run: func() {
					copy(ranges, all) // SelectRanges may shorten them
					out = asm.SelectRanges(out[:0], o, ranges, &s)
				}}
			})
		})
	}
}

func BenchmarkMaskLanes(b *testing.B) {
	micro.Each(b, 64, func(_ *testing.B, n int) micro.Kernel {
		masks, _ := randomIDs(testkit.Rand(1), n)
		return micro.Kernel{Items: n, Item: "slot", Bytes: 64 * n, Run: func() {
			for i := range masks {
				benchSink += uint64(asm.MaskLanes(&masks[i], 0x10))
			}
		}}
	})
}

// fillBench runs fill on full packets with objects in random order. Read: record and item. Written: box, ID, mask.
func fillBench(b *testing.B, prepare func(b *testing.B, boxes int) func(out *filled, starts []uint32, items []uint64)) {
	const touched = 32 + 8 + 24 + 8
	micro.Each(b, touched, func(b *testing.B, boxes int) micro.Kernel {
		boxes = max(boxes/soa.Lanes, 1) * soa.Lanes
		fill := prepare(b, boxes)
		out := makeColumns(b, heap, boxes/soa.Lanes)
		items := make([]uint64, boxes)
		for i, index := range shuffled(testkit.Rand(2), boxes) {
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
		from := randomSource(b, testkit.Rand(1), heap, boxes/soa.Lanes, boxes, testkit.BoxesSmall)
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
		nodes := benchNodes(max(boxes, 2*soa.Fan))
		up, list := make([]soa.Up, len(nodes)), make([]uint32, len(nodes)-1)
		for i := 1; i < len(nodes); i++ {
			up[i] = soa.Up(i - 1)
			list[len(list)-i] = uint32(i)
		}
		return micro.Kernel{Items: soa.Fan * len(list), Item: "box", Bytes: (512 + 8 + 32) * len(list), Run: func() {
			asm.ReduceNodes(nodes, up, list)
		}}
	})
}

// A refit of all full packets in the order of slots; 16 packets share a node.
func BenchmarkReducePackets(b *testing.B) {
	const slot = 384 + 64 + 2 + 1 + 4 + 512/soa.Fan
	micro.Each(b, slot/soa.Lanes, func(b *testing.B, boxes int) micro.Kernel {
		n := max(boxes/soa.Lanes, 1)
		c := makeColumns(b, heap, n)
		copy(c.Bounds, benchPackets(soa.Lanes*n))
		for i := range n {
			c.Counts[i], c.Parents[i] = soa.Lanes, soa.Up(i)
		}
		slots := upTo(n)
		return micro.Kernel{Items: soa.Lanes * n, Item: "box", Bytes: (slot + 4) * n, Run: func() { c.reduce(slots) }}
	})
}

// Lines prefetched in random order, then read in that order: the rest of their latency. An item is a row.
func BenchmarkPrefetch(b *testing.B) {
	for _, ahead := range []bool{false, true} {
		b.Run(fmt.Sprintf("prefetch=%v", ahead), func(b *testing.B) {
			micro.Each(b, 64+4, func(_ *testing.B, n int) micro.Kernel {
				const part = 1024
				rows, index := make([]idRow, n), shuffled(testkit.Rand(1), n)
				for i := range rows {
					rows[i][0] = uint32(i) // untouched pages would all be one page of zeros
				}
				return micro.Kernel{Items: n, Item: "row", Bytes: (64 + 4) * n, Run: func() {
					for list := index; len(list) > 0; list = list[min(len(list), part):] {
						some := list[:min(len(list), part)]
						if ahead {
							mem.Prefetch(rows, some, 0)
						}
						for _, i := range some {
							benchSink += uint64(rows[i][0])
						}
					}
				}}
			})
		})
	}
}

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
				p := soa.PacketColumns{Bounds: benchPackets(soa.Lanes * n), Counts: make([]uint8, n), Parents: make([]soa.Up, n), PlacementBoxes: make([]soa.AABB, n)}
				nodes, index, from := make([]soa.Node, n/soa.Fan+1), make([]idRow, n), make([]float32, 6*soa.Lanes*n)
				for i, k := range shuffled(testkit.Rand(1), soa.Lanes*n) {
					from[6*i] = float32(i)
					index[i/soa.Lanes][i%soa.Lanes] = uint32(k)
					p.Counts[i/soa.Lanes] = soa.Lanes
					p.Parents[i/soa.Lanes] = soa.Up(i / soa.Lanes)
				}
				return micro.Kernel{Items: soa.Lanes * n, Item: "box", Bytes: touched * soa.Lanes * n, Run: func() {
					for i := 0; i < n; i += asm.WritePackets {
						rows, boxes := index[i:], from
						if order == "memory" {
							rows, boxes = nil, from[6*soa.Lanes*i:]
						}
						_, away := asm.WriteBoxes(&p, nodes, i, min(asm.WritePackets, n-i), rows, boxes)
						benchSink += away
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
		return micro.Kernel{Items: n, Item: "ball", Bytes: (16 + 24) * n, Run: func() { asm.BallBoxes(boxes, spheres) }}
	})
}

// Full packets whose balls lie in random order.
func BenchmarkWriteBalls(b *testing.B) {
	const touched = 16 + 24 + 16 + 4
	micro.Each(b, touched, func(_ *testing.B, balls int) micro.Kernel {
		n := max(balls/soa.Lanes, 1)
		packets, lanes, counts, index := benchPackets(soa.Lanes*n), make([]soa.SphereLanes, n), make([]uint8, n), make([]idRow, n)
		from := make([][4]float32, soa.Lanes*n)
		for i, k := range shuffled(testkit.Rand(1), soa.Lanes*n) {
			from[i] = [4]float32{float32(i), 1, 2, 0.1}
			index[i/soa.Lanes][i%soa.Lanes] = uint32(k)
			counts[i/soa.Lanes] = soa.Lanes
		}
		return micro.Kernel{Items: soa.Lanes * n, Item: "ball", Bytes: touched * soa.Lanes * n, Run: func() {
			asm.WriteBalls(packets, lanes, counts, index, from)
		}}
	})
}
