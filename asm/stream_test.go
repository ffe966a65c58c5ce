package asm

import (
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
