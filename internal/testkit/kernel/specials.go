package kernel

import "math"

// Specials are zeros, denormal numbers, ends of grids, the largest numbers, infinities and a NaN.
var Specials = []float32{
	0, float32(math.Copysign(0, -1)), 0x1p-149, -0x1p-149, 0x1p-126, -0x1p-126, 1, -1, 0.5, -0.5,
	1<<21 - 1, 1 << 21, 1<<21 + 1, -1 << 20, -1<<20 - 0.125, 1<<20 - 0.0625, 1 << 24, -1 << 24,
	1e30, -1e30, math.MaxFloat32, -math.MaxFloat32, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
}
