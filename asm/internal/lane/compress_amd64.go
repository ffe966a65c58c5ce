//go:build amd64 && !purego

package lane

import "math/bits"

// CompressTable returns a table of all 8-bit masks. Row m lists the lanes of mask m, lowest first:
// the permutation with which AVX2 emulates the compress instruction of AVX-512.
func CompressTable() (t [256][8]uint32) {
	for m := range t {
		for k, rest := 0, uint32(m); rest != 0; k, rest = k+1, rest&(rest-1) {
			t[m][k] = uint32(bits.TrailingZeros32(rest))
		}
	}
	return t
}

// Numbers is the lane indices.
var Numbers = [16]uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// Interleave is the indices with which VPERMT2D interleaves the words of two registers: first lanes
// 0 to 7, then lanes 8 to 15.
var Interleave = [2][16]uint32{
	{0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23},
	{8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31},
}
