package asm_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
)

// The least time of a read of memory.
func BenchmarkReadSum(b *testing.B) {
	micro.Each(b, 8, func(_ *testing.B, n int) micro.Kernel {
		words := make([]uint64, n)
		for i := range words {
			words[i] = uint64(i) // untouched pages would all be one page of zeros
		}
		return micro.Kernel{Items: n, Item: "word", Bytes: 8 * n, Run: func() { kernel.Sink += asm.ReadSum(words) }}
	})
}

func BenchmarkMaskLanes(b *testing.B) {
	micro.Each(b, 64, func(_ *testing.B, n int) micro.Kernel {
		masks, _ := kernel.RandomIDs(testkit.Rand(1), n)
		return micro.Kernel{Items: n, Item: "slot", Bytes: 64 * n, Run: func() {
			for i := range masks {
				kernel.Sink += uint64(asm.MaskLanes(&masks[i], 0x10))
			}
		}}
	})
}

// Lines prefetched in random order, then read in that order: the rest of their latency. An item is a row.
func BenchmarkPrefetch(b *testing.B) {
	for _, ahead := range []bool{false, true} {
		b.Run(fmt.Sprintf("prefetch=%v", ahead), func(b *testing.B) {
			micro.Each(b, 64+4, func(_ *testing.B, n int) micro.Kernel {
				const part = 1024
				rows, index := make([]kernel.IDRow, n), kernel.Shuffled(testkit.Rand(1), n)
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
							kernel.Sink += uint64(rows[i][0])
						}
					}
				}}
			})
		})
	}
}
