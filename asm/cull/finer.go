package cull

import (
	"math/bits"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/soa"
)

// FinerRanges tests boxes against the depth buffer at full resolution: an exact form of [SeenRanges] for the boxes that
// SeenRanges has left. It refines the depth test of large boxes down to single pixels. SeenRanges stops at a level
// whose border texels also cover pixels outside the rectangle. Few boxes of a walk are left to it.
func FinerRanges(ranges []asm.Range, packets []soa.Packet, l *Lens, p *depth.Picture) (left []asm.Range, hidden int) {
	left = ranges[:0]
	for _, r := range ranges {
		m := r.N & 0xffff
		for rest := m; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest) & (soa.Lanes - 1)
			var box rect
			if l.rect(&box, &packets[r.First], lane) && box.hidesFiner(p) {
				m &^= 1 << lane
				hidden++
			}
		}
		if m != 0 {
			left = append(left, asm.Range{First: r.First, N: asm.RangeHit | m})
		}
	}
	return left, hidden
}

// hidesFiner is hides with an exact test of the pixels. It returns false if hides has tested the
// pixels already.
func (r *rect) hidesFiner(p *depth.Picture) bool {
	c0, c1, r0, r1, in, ok := r.clip(p)
	if !in || !ok {
		return false
	}
	level := levelOf(c0, c1, r0, r1)
	return level > finerLevels && corners(p, c0, c1, r0, r1, r.z) && nearer(p, level, c0, c1, r0, r1, r.z)
}

// nearer reports whether all pixels from c0, r0 to c1, r1 are nearer than z. It descends from a
// level to the levels below. Only texels at the border of the rectangle cover other pixels too, so
// only they need the level below.
func nearer(p *depth.Picture, level, c0, c1, r0, r1 int, z float32) bool {
	l, shift := &p.Levels[level], level*depth.LevelShift
	for y := r0 >> shift; y <= r1>>shift; y++ {
		top, bottom := y<<shift, min((y+1)<<shift, p.Height())-1
		row := p.Pix[l.Base+y*l.Stride:][:l.Width]
		for x := c0 >> shift; x <= c1>>shift; x++ {
			if row[x] > z {
				continue
			}
			left, right := x<<shift, min((x+1)<<shift, p.Width())-1
			if left >= c0 && right <= c1 && top >= r0 && bottom <= r1 ||
				!nearer(p, level-1, max(c0, left), min(c1, right), max(r0, top), min(r1, bottom), z) {
				return false
			}
		}
	}
	return true
}
