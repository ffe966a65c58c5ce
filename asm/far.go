package asm

// nearBox returns the box of all boxes that keep to near, and whether there may
// be others.
func nearBox(near, extent *[3]float32) (b Box, others bool) {
	for a := range near {
		b[2*a], b[2*a+1] = -near[a], near[a]
		others = others || extent[a] > near[a]
	}
	return b, others
}
