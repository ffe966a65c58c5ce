//go:build (!amd64 && !arm64) || purego

package asm

func readSum(words []uint64) uint64 { return readSumGo(words) }
