package asm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/guard"
)

func TestReadSum(t *testing.T) {
	lengths := []int{0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129,
		streamPerCall - 1, streamPerCall, streamPerCall + 1, 2*streamPerCall + 77}
	check := func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 0))
		for _, n := range lengths {
			for name, words := range map[string][]uint64{
				"tail": guard.Tail[uint64](t, n), "head": guard.Head[uint64](t, n),
			} {
				want := uint64(0)
				for i := range words {
					words[i] = rng.Uint64()
					want += words[i]
				}
				if got := ReadSum(words); got != want {
					t.Errorf("%s of %d words: %#x, want %#x", name, n, got, want)
				}
			}
		}
	}
	former := cpu.Active
	defer cpu.Force(former)
	for _, tier := range cpu.Available() {
		cpu.Force(tier)
		t.Run(tier.String(), check)
	}
}

func BenchmarkReadSum(b *testing.B) {
	former := cpu.Active
	defer cpu.Force(former)
	for _, size := range []int{16 << 10, 512 << 10, 96 << 20} {
		words := make([]uint64, size/8)
		for i := range words {
			words[i] = uint64(i) // untouched pages would all be one page of zeros
		}
		for _, tier := range cpu.Available() {
			cpu.Force(tier)
			b.Run(fmt.Sprintf("bytes=%d/impl=%s", size, tier), func(b *testing.B) {
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() { // it keeps the result alive
					ReadSum(words)
				}
			})
		}
	}
}
