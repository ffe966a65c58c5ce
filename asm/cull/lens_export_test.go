package cull

import (
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/soa"
)

// Rect returns the rectangle and the nearest depth of the box in a lane.
func (l *Lens) Rect(b *soa.Packet, lane int) (x0, x1, y0, y1, z float32, ok bool) {
	var r rect
	ok = l.rect(&r, b, lane)
	return r.x0, r.x1, r.y0, r.y1, r.z, ok
}

// HidesRect reports whether a rectangle is hidden.
func HidesRect(p *depth.Picture, x0, x1, y0, y1, z float32) bool {
	r := rect{x0, x1, y0, y1, z}
	return r.hides(p)
}

// HidesRectFiner reports whether a rectangle is found hidden by the finer test.
func HidesRectFiner(p *depth.Picture, x0, x1, y0, y1, z float32) bool {
	r := rect{x0, x1, y0, y1, z}
	return r.hidesByPixel(p)
}
