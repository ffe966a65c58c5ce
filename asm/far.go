package asm

// nearBox makes b the box of all boxes that keep to near, and returns whether there
// may be others.
func nearBox(b *Box, near, extent *[3]float32) bool {
	b[0], b[1], b[2], b[3], b[4], b[5] = -near[0], near[0], -near[1], near[1], -near[2], near[2]
	return extent[0] > near[0] || extent[1] > near[1] || extent[2] > near[2]
}
