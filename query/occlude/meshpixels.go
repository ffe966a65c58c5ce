package occlude

// A triangle that touches at most so many pixels, in the rectangle around it, has the depth of its farthest corner in all of them: of terrain that
// costs 0.04 % of what is found, and planes of depth cost a tenth of the time.
const smallPixels = 32

// triangle lowers the pixels that a triangle touches to its depth. It is clockwise.
//
// The point x, y of the grid is on the line of its edge from a to b, or on the side of the triangle, if dx*(y - a.y) - dy*(x - a.x) is not
// below 0, with dx = b.x - a.x and dy = b.y - a.y. A square touches the triangle if it touches the rectangle around it, and for
// each edge that number is not below 0 at the corner where it is largest.
func (w *meshTile) triangle(a, b, c *meshPoint) {
	ax, ay, bx, by, cx, cy := int64(a.x), int64(a.y), int64(b.x), int64(b.y), int64(c.x), int64(c.y)
	r := touched(min(a.x, b.x, c.x), max(a.x, b.x, c.x), min(a.y, b.y, c.y), max(a.y, b.y, c.y))
	in := w.clip(r)
	x, y := int64(w.x+in.x0)*steps, int64(w.y+in.y0)*steps
	dx0, dy0, dx1, dy1, dx2, dy2 := bx-ax, by-ay, cx-bx, cy-by, ax-cx, ay-cy
	e0 := dx0*(y+furthest(-dx0)-ay) - dy0*(x+furthest(dy0)-ax)
	e1 := dx1*(y+furthest(-dx1)-by) - dy1*(x+furthest(dy1)-bx)
	e2 := dx2*(y+furthest(-dx2)-cy) - dy2*(x+furthest(dy2)-cx)
	z := min(a.z, b.z, c.z)
	if r.small() {
		for y := in.y0; y <= in.y1; y++ {
			f0, f1, f2 := e0, e1, e2
			row := (*[tileSize]int32)(w.far[y*tileSize:])
			for x := in.x0; x <= in.x1; x++ {
				out := int32((f0 | f1 | f2) >> 63)
				row[x&(tileSize-1)] = min(row[x&(tileSize-1)], z&^out|noDepth&out)
				f0 -= steps * dy0
				f1 -= steps * dy1
				f2 -= steps * dy2
			}
			e0 += steps * dx0
			e1 += steps * dx1
			e2 += steps * dx2
		}
		return
	}
	px, py, p0 := planeOf(a, b, c, &r)
	least := unordered(z)
	for y := in.y0; y <= in.y1; y++ {
		f0, f1, f2 := e0, e1, e2
		row := (*[tileSize]int32)(w.far[y*tileSize:])
		q := float32(py*float32(w.y+y-r.y0)) + p0
		fx := float32(w.x + in.x0 - r.x0)
		for x := in.x0; x <= in.x1; x++ {
			if f0|f1|f2 >= 0 {
				row[x&(tileSize-1)] = min(row[x&(tileSize-1)], ordered(max(float32(px*fx)+q, least)))
			}
			fx++
			f0 -= steps * dy0
			f1 -= steps * dy1
			f2 -= steps * dy2
		}
		e0 += steps * dx0
		e1 += steps * dx1
		e2 += steps * dx2
	}
}

// furthest returns where on the square of a pixel, from the beginning of the pixel on, what falls with d is largest.
func furthest(d int64) int64 { return (steps+2*offSteps)&(d>>63) - offSteps }

// edge marks the pixels that an edge touches.
func (w *meshTile) edge(p, q *meshPoint) {
	w.along(p, q, func(far *int32) { *far = atBorder })
}

// along calls f with the pixels that an edge touches: squares that touch the rectangle around it, and whose corners are not all on
// the same side of its line.
func (w *meshTile) along(p, q *meshPoint, f func(far *int32)) {
	in := w.clip(touched(min(p.x, q.x), max(p.x, q.x), min(p.y, q.y), max(p.y, q.y)))
	dx, dy := int64(q.x-p.x), int64(q.y-p.y)
	reach := (max(dx, -dx) + max(dy, -dy)) * (steps/2 + offSteps) // from the middle of a square to its corners
	for y := in.y0; y <= in.y1; y++ {
		at := dx*int64((w.y+y)*steps+steps/2-p.y) - dy*int64((w.x+in.x0)*steps+steps/2-p.x)
		for x := in.x0; x <= in.x1; x++ {
			if at <= reach && at >= -reach {
				f(&w.far[y*tileSize+x])
			}
			at -= dy * steps
		}
	}
}

// flat lowers pixels in which the sheet is to the depth of a triangle that is flat. Its edges touch what it touches.
func (w *meshTile) flat(p [3]*meshPoint) {
	n := min(p[0].z, p[1].z, p[2].z)
	for e := range p {
		w.along(p[e], p[(e+1)%3], func(far *int32) {
			if *far != noDepth {
				*far = min(*far, n)
			}
		})
	}
}
