//go:build amd64 && !purego

package asm

import "github.com/zoctree/zoctree/internal/cpu"

// readSum adds up whole blocks, at least one.
//
//go:noinline
func readSum(words []uint64) uint64 {
	switch n := len(words) / streamBlock; cpu.Active {
	case cpu.AVX512:
		return readSumAVX512(&words[0], n)
	case cpu.AVX2:
		return readSumAVX2(&words[0], n)
	}
	return readSumGo(words)
}

//go:noescape
func readSumAVX512(words *uint64, blocks int) (sum uint64)

//go:noescape
func readSumAVX2(words *uint64, blocks int) (sum uint64)
