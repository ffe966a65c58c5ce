//go:build amd64 && !purego

package depth

// pyramidOrder is the permutation that collects the minima of groups of four from a register, for
// both widths.
//
//lint:ignore U1000 assembly reads it
var pyramidOrder = [24]uint32{
	0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15,
	0, 4, 1, 5, 2, 6, 3, 7,
}
