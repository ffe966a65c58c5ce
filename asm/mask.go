package asm

// MaskLanes returns a bit for each lane whose type mask has a bit of want.
func MaskLanes(masks *[Lanes]uint32, want uint32) (m uint32) {
	for l, x := range masks {
		m |= bit(x&want != 0) << l
	}
	return m
}
