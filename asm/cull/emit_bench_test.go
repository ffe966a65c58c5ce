package cull_test

import (
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// emitBench emits IDs of 14 lanes a slot, from the ranges of one slot each in
// random order.
func emitBench(b *testing.B, n func(i int) uint32) {
	micro.Each(b, 64/soa.Lanes, func(_ *testing.B, boxes int) micro.Kernel {
		ids, counts := kernel.RandomIDs(testkit.Rand(1), max(boxes/soa.Lanes, 1))
		from := make([]asm.Range, len(ids))
		for i, slot := range kernel.Shuffled(testkit.Rand(1), len(ids)) {
			counts[i] = 14
			from[i] = asm.Range{First: slot, N: n(i)}
		}
		ranges, dst := make([]asm.Range, len(from)), make([]uint32, 0, boxes+soa.Lanes)
		return micro.Kernel{
			Items: 14 * len(ids), Item: "box", Bytes: (64+8+1)*len(ids) + 4*cull.CountRanges(counts, from),
			Run: func() {
				copy(ranges, from) // EmitIDs may shorten them
				dst = cull.EmitIDs(dst[:0], ids, counts, ranges)
			},
		}
	})
}

func BenchmarkEmitSlots(b *testing.B) { emitBench(b, func(int) uint32 { return 1 }) }

func BenchmarkEmitHits(b *testing.B) {
	masks := benchMasks()
	emitBench(b, func(i int) uint32 { return asm.RangeHit | masks[i%len(masks)] })
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
			kernel.Sink += uint64(cull.CountRanges(counts, ranges))
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
		cull.LaneFilter
	}{
		{"mask", false, 64 + 3, cull.LaneFilter{Mask: 0xff, Flags: both}},
		{"motion", false, 3, cull.LaneFilter{Flags: soa.RefMoving}},
		{"live", true, 64 + 2 + 3, cull.LaneFilter{Flags: both}},
	} {
		b.Run("filter="+x.filter, func(b *testing.B) {
			micro.Each(b, 128+3, func(_ *testing.B, n int) micro.Kernel {
				rng := testkit.Rand(1)
				o := randomColumns(b, kernel.Heap, rng, n, uint32(n*soa.Lanes))
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
				out := cull.SelectRanges(nil, o, []asm.Range{all[0]}, &s)
				ranges := make([]asm.Range, 1)
				return micro.Kernel{Items: n, Item: "slot", Bytes: x.bytes*n + 8*len(out), Run: func() {
					copy(ranges, all) // SelectRanges may shorten them
					out = cull.SelectRanges(out[:0], o, ranges, &s)
				}}
			})
		})
	}
}
