//go:build arm64 && !purego

package asm

import (
	"math/bits"
	"unsafe"
)

// compressTable[m] lists the byte indices of the lanes of the 8-bit mask m, lowest lane first: the
// index with which TBL moves these lanes to the front.
//
//lint:ignore U1000 assembly reads it
var compressTable = func() (t [256][8]uint32) {
	for m := range t {
		for k, rest := 0, uint32(m); rest != 0; k, rest = k+1, rest&(rest-1) {
			t[m][k] = 0x03020100 + 0x04040404*uint32(bits.TrailingZeros32(rest))
		}
	}
	return t
}()

// Kernels step over rows by 32 bytes.
var _ [0]struct{} = [unsafe.Sizeof(compressTable) - 256*32]struct{}{}
