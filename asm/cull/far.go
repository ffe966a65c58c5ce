package cull

// nearBox sets b to the box of all points within the near bound, and reports whether the extent
// exceeds it.
func nearBox(b *Box, near, extent *[3]float32) bool {
	b[0], b[1], b[2], b[3], b[4], b[5] = -near[0], near[0], -near[1], near[1], -near[2], near[2]
	return extent[0] > near[0] || extent[1] > near[1] || extent[2] > near[2]
}
