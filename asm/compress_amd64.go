//go:build amd64 && !purego

package asm

import (
	"math/bits"
	"unsafe"
)

// compressTable[m] lists the lanes of the 8-bit mask m, lowest first: the permutation with which
// AVX2 emulates the compress instruction of AVX-512.
//
//lint:ignore U1000 assembly reads it
var compressTable = func() (t [256][8]uint32) {
	for m := range t {
		for k, rest := 0, uint32(m); rest != 0; k, rest = k+1, rest&(rest-1) {
			t[m][k] = uint32(bits.TrailingZeros32(rest))
		}
	}
	return t
}()

// laneNumbers is the lane indices.
//
//lint:ignore U1000 assembly reads it
var laneNumbers = [16]uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// interleave is the indices with which VPERMT2D interleaves the words of two registers: first lanes
// 0 to 7, then lanes 8 to 15.
//
//lint:ignore U1000 assembly reads it
var interleave = [2][16]uint32{
	{0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23},
	{8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31},
}

// Kernels step over rows by 32 bytes.
var _ [0]struct{} = [unsafe.Sizeof(compressTable) - 256*32]struct{}{}
