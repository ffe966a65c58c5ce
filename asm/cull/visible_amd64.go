//go:build amd64 && !purego

package cull

import (
	"unsafe"

	"github.com/zoctree/zoctree/asm/depth"
)

// visibleConstants is the numbers that kernels broadcast, named in visible_amd64.h.
//
//lint:ignore U1000 assembly reads it
var visibleConstants = [24]uint32{
	0x7fffffff, 0x3f000000, 0x3f800000, ^uint32(depth.RectColumns - 1), ^uint32(depth.RectRows - 1), 2,
	8: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
}

// firstPixel returns the pixels of a picture, nil if p is nil.
func firstPixel(p *depth.Picture) *float32 {
	if p == nil {
		return nil
	}
	return unsafe.SliceData(p.Pix)
}
