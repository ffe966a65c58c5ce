//go:build arm64 && !purego

package lane

import "math/bits"

// CompressTable returns a table of all 8-bit masks. Row m lists the byte indices of the lanes of
// mask m, lowest lane first: the index with which TBL moves these lanes to the front.
func CompressTable() (t [256][8]uint32) {
	for m := range t {
		for k, rest := 0, uint32(m); rest != 0; k, rest = k+1, rest&(rest-1) {
			t[m][k] = 0x03020100 + 0x04040404*uint32(bits.TrailingZeros32(rest))
		}
	}
	return t
}
