//go:build arm64 && !purego

package asm

import "github.com/zoctree/zoctree/internal/cpu"

// readSum adds up whole blocks, at least one.
//
//go:noinline
func readSum(words []uint64) uint64 {
	if cpu.Active == cpu.NEON {
		return readSumNEON(&words[0], len(words)/streamBlock)
	}
	return readSumGo(words)
}

//go:noescape
func readSumNEON(words *uint64, blocks int) (sum uint64)
