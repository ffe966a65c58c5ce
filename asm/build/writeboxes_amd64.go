//go:build amd64 && !purego

package build

// writeMost is the maximum number of boxes whose words, in units of 8 bytes, have 32-bit indices.
// The same holds for spheres. A gather takes indices as signed.
const writeMost = 1 << 29

// writeIota is the lane indices.
//
//lint:ignore U1000 assembly reads it
var writeIota = [16]uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// writeOrder is the indices of the words of a box in the union of a packet, on AVX-512 and on AVX2.
//
//lint:ignore U1000 assembly reads it
var writeOrder = [16]uint32{0, 4, 8, 12, 16, 20, 0, 0 /**/, 0, 4, 1, 5, 2, 6, 0, 0}

// writeSigns flips the signs of the maxima of a box, writeMinus the signs of a register.
//
//lint:ignore U1000 assembly reads it
var writeSigns = [8]uint32{3: 1 << 31, 4: 1 << 31, 5: 1 << 31}

//lint:ignore U1000 assembly reads it
var writeMinus = [8]uint32{1 << 31, 1 << 31, 1 << 31, 1 << 31, 1 << 31, 1 << 31, 1 << 31, 1 << 31}
