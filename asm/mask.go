package asm

import (
	"github.com/zoctree/zoctree/soa"
)

// MaskLanes returns the lanes whose type mask shares a bit with want. It iterates down, so that
// each lane shifts by a constant.
func MaskLanes(masks *[soa.Lanes]uint32, want uint32) (m uint32) {
	for l := soa.Lanes - 1; l >= 0; l-- {
		m = m<<1 | bit(masks[l]&want != 0)
	}
	return m
}

// PacketMaskLanes returns the lanes of the objects in a slot whose type mask shares a bit with want.
func PacketMaskLanes(p *soa.PacketColumns, slot, want uint32) uint32 {
	if len(p.Masks) > 0 {
		return MaskLanes(&p.Masks[slot], want)
	}
	if p.Mask&want == 0 {
		return 0
	}
	return 1<<p.Counts[slot] - 1
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
