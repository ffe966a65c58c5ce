// Package morton computes Morton codes (Z-order keys) of points in a world cube. It does arithmetic
// on them: cells, neighbours, ranges, covers of boxes by key ranges, and growth and shrinking of
// the cube. It does not need a tree: any sorted store that clusters rows by a 64-bit key can answer
// box queries with it.
//
// # Terms
//
// A coordinate is the number of a grid cell on one axis, 0 to [Max]. A [Key] interleaves the bits
// of three coordinates:
//
//	coordinate   bit 20 (top) ... bit 1      bit 0
//	key bit      62  61  60   ... 5   4   3  2   1   0
//	             z20 y20 x20      z1  y1  x1 z0  y0  x0
//
// Bit 63 is 0. Keys order points along the Z-curve: z decides first, then y, then x, the top bits
// before the lower ones.
//
// A [Cell] is the set of keys that share their first b bits; b is 0 (the whole cube) to 63 (one
// key). Its keys are one interval, its points one box. When b is a multiple of 3 the box is a cube:
// an octant of level b/3. The octant number, 0 to 7, is the triple zyx of its last three bits.
//
// A [World] is the cube in space that the keys divide. Its side and the side of its 2^21 grid cells
// are powers of two; its lowest corner is a whole number of grid cells. A [Box] is a box of grid
// cells, corners included; a [Range] is an interval of keys, ends included.
//
// # From space to a store
//
//	w, err := morton.Fit(min, max)              // a cube that holds the data
//	k := w.Key(p)                               // sort or index rows by this
//	rs, err := w.AppendCover(nil, lo, hi, 8)    // at most 8 ranges to scan
//
// Every point of the box lo..hi has its key in one of the ranges. Rows in the ranges are candidates
// and still need the exact test. Rows with an extent are indexed by the key of one point, so widen
// the box by their largest distance from it.
//
// # Cost and use
//
// All operations are pure arithmetic on values. Only errors, strings and an appended result that
// must grow are allocated. Encoding one point takes a few nanoseconds with magic bits; batches
// ([World.EncodeBoxes]) use the kernels of package asm/build, with PDEP or vector instructions where they
// are fast. All functions may be called by any number of goroutines.
//
// Input data with a NaN or an inverted box returns an error. Arguments that only a mistake in the
// program can produce (a level of 22, an octant of 9) panic; the panic text contains the numbers.
package morton
