package asm

import "github.com/zoctree/zoctree/soa"

// MaskLanes returns a bit for each lane whose type mask has a bit of want.
// Lanes go down, so that each shifts by a constant.
func MaskLanes(masks *[soa.Lanes]uint32, want uint32) (m uint32) {
	for l := soa.Lanes - 1; l >= 0; l-- {
		m = m<<1 | bit(masks[l]&want != 0)
	}
	return m
}

// liveLanes returns a bit for each lane whose ID is the number of a set bit.
func liveLanes(ids *[soa.Lanes]uint32, live []uint64) (m uint32) {
	for l := soa.Lanes - 1; l >= 0; l-- {
		m <<= 1
		if w := int(ids[l] >> 6); w < len(live) {
			m |= uint32(live[w]>>(ids[l]&63)) & 1
		}
	}
	return m
}
