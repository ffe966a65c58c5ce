package asm

import (
	"fmt"

	"github.com/zoctree/zoctree/soa"
)

// MaxLines is the number of lines on each side of a [Cone], and of its planes.
const MaxLines = 32

// Cone is a convex solid as it is drawn: which pixels it covers wholly, and for each a depth
// that no ray of the pixel enters it behind.
//
//	left    x >= m*y + c                 for the pixels x of row y, of all Lefts lines
//	right   x <  m*y + c                 of all Rights lines, x+1 in place of x
//	depth   px*x + (py*y + p0)           the least of all Planes planes
//
// in float32, each operation rounded by itself. Who makes a cone has moved lines and planes by
// what the pixel's size and rounding may cost. A pixel whose depth is above Limit is not drawn;
// where depths are -t Limit is below 0, so that no depth is a zero, of which there are two. Where it
// is not below 0, no pixel of the picture may be.
// Numbers in use are finite, but for Limit, which may be infinite.
type Cone struct {
	Y0, Y1                int // rows that may have a pixel: Y0 up to but not including Y1
	Lefts, Rights, Planes int
	Limit                 float32

	LM, LC [MaxLines]float32
	RM, RC [MaxLines]float32

	P0, PX, PY [MaxLines]float32
}

// DrawCones raises the pixels that cones cover to their depths, in rows y0 up to but not
// including y1. The result is a maximum: it does not depend on the order of cones, nor on how
// rows are parted between calls, which may run at a time if their rows are disjoint. Rows that
// the picture does not have are a panic, and so is a cone without a plane.
func DrawCones(p *Picture, cones []Cone, y0, y1 int) {
	if y0 < 0 || y1 > p.Height() {
		panic(fmt.Sprintf("asm: rows %d to %d of a picture of %d", y0, y1, p.Height()))
	}
	for i := range cones {
		c := &cones[i]
		if uint(c.Planes-1) >= MaxLines || uint(c.Lefts) > MaxLines || uint(c.Rights) > MaxLines {
			panic(fmt.Sprintf("asm: a cone of %d and %d lines and %d planes", c.Lefts, c.Rights, c.Planes))
		}
	}
	for i := range cones {
		c := &cones[i]
		y, end := max(y0, c.Y0), min(y1, c.Y1)
		if y >= end {
			continue
		}
		for step := c.rowsOf(conePixelsPerCall, p, end-y); y < end; y += step {
			drawCone(p, c, y, min(y+step, end))
		}
	}
}

// A call draws rows of pixels that have at most conePixelsPerCall planes together, and a row.
const conePixelsPerCall = 1 << 17

// rowsOf returns how many of so many rows have that many planes of pixels together: if possible, as
// many as a kernel takes at once.
func (c *Cone) rowsOf(most int, p *Picture, rows int) int {
	row := c.Planes * p.Levels[0].Stride
	if rows*row <= most {
		return rows
	}
	n := most / row
	if n >= soa.Lanes {
		return n &^ (soa.Lanes - 1)
	}
	return max(n, 1)
}
