package depth

import (
	"fmt"

	"github.com/zoctree/zoctree/soa"
)

// MaxLines is the maximum number of lines on each side of a [Cone], and of its planes.
const MaxLines = 32

// Cone is the silhouette of a convex occluder, prepared for rasterization: the pixels that it
// covers completely, and for each pixel a conservative depth, at which every ray of the pixel has
// entered the occluder.
//
//	left    x >= m*y + c                 for the pixels x of row y, for all Lefts lines
//	right   x <  m*y + c                 for all Rights lines, with x+1 for x
//	depth   px*x + (py*y + p0)           minimum over all Planes planes
//
// in float32, each operation rounded separately. The maker of a cone moves lines and planes to
// cover the size of a pixel and the rounding errors. A pixel whose depth is above Limit is not
// drawn. If depths are -t, Limit is below 0, so that no depth is zero, which has two
// representations. If Limit is not below 0, no pixel of the picture may be below 0. Numbers in use
// are finite, except Limit, which may be infinite.
type Cone struct {
	Y0, Y1                int // half-open range of rows that may have a pixel
	Lefts, Rights, Planes int
	Limit                 float32

	LM, LC [MaxLines]float32
	RM, RC [MaxLines]float32

	P0, PX, PY [MaxLines]float32
}

// DrawCones rasterizes convex occluders: it raises the covered pixels of rows y0 to y1-1 to the
// depths of the cones. The result is a maximum: it does not depend on the order of the cones or on
// the partition of rows between calls. Calls may run concurrently if their rows are disjoint. It
// panics if a row is outside the picture or a cone has no plane.
func DrawCones(p *Picture, cones []Cone, y0, y1 int) {
	if y0 < 0 || y1 > p.Height() {
		panic(fmt.Sprintf("depth: rows %d to %d of a depth buffer of %d", y0, y1, p.Height()))
	}
	for i := range cones {
		c := &cones[i]
		if uint(c.Planes-1) >= MaxLines || uint(c.Lefts) > MaxLines || uint(c.Rights) > MaxLines {
			panic(fmt.Sprintf("depth: a cone of %d and %d lines and %d planes", c.Lefts, c.Rights, c.Planes))
		}
	}
	for i := range cones {
		c := &cones[i]
		y, end := max(y0, c.Y0), min(y1, c.Y1)
		row, step := c.Planes*p.Levels[0].Stride, end-y
		if step*row > conePixelsPerCall {
			if step = max(conePixelsPerCall/row, 1); step >= soa.Lanes { // rows that a kernel takes at once
				step &^= soa.Lanes - 1
			}
		}
		for ; y < end; y += step {
			drawCone(p, c, y, min(y+step, end))
		}
	}
}

// conePixelsPerCall bounds pixels times planes of the rows that one call draws; a call draws at
// least one row.
const conePixelsPerCall = 1 << 17
