package occlude

// A triangle that touches at most so many pixels, in the rectangle around it, has the depth of its farthest corner in all of them: of terrain that
// costs 0.04 % of what is found, and planes of depth cost a tenth of the time.
const smallPixels = 32

// An edge of a clockwise triangle, from a to b, has the number dx*(y - a.y) - dy*(x - a.x) at the point x, y of the grid, with dx = b.x - a.x and
// dy = b.y - a.y. It is not below 0 on the line and on the side of the triangle. A square touches the triangle if it touches the rectangle around it,
// and for each edge the number is not below 0 at the corner where it is largest.
//
// Of a small triangle it takes 32 bits: with n = smallPixels, dx and dy are less than (n + 1)*steps, and so are y - a.y and
// x - a.x of corners of squares in the rectangle, but for offSteps.
var _ = [1]struct{}{}[2*(smallPixels+1)*(smallPixels+2)*steps*steps>>31]

// number returns the number of the edge from a to b at the corner, where it is largest, of the pixel that begins at x, y.
func number(a, b *meshPoint, x, y int64) int64 {
	dx, dy := int64(b.x-a.x), int64(b.y-a.y)
	return dx*(y+furthest(-dx)-int64(a.y)) - dy*(x+furthest(dy)-int64(a.x))
}

// setSmall sets the edges of a triangle that is small, and the pixels that it touches.
func (t *nearTriangle) setSmall(a, b, c *meshPoint, r *pixelRect) {
	t.x0, t.y0, t.width, t.height = int16(r.x0), int16(r.y0), uint8(r.x1-r.x0), uint8(r.y1-r.y0)
	x, y := r.x0*steps, r.y0*steps
	t.edges[0] = stepsOf(a, b, x, y)
	t.edges[1] = stepsOf(b, c, x, y)
	t.edges[2] = stepsOf(c, a, x, y)
}

// stepsOf is number of an edge of a small triangle, and its steps.
func stepsOf(a, b *meshPoint, x, y int32) edgeStep {
	dx, dy := b.x-a.x, b.y-a.y
	return edgeStep{dx*(y+int32(furthest(int64(-dx)))-a.y) - dy*(x+int32(furthest(int64(dy)))-a.x), -dy * steps, dx * steps}
}

// small lowers the pixels that a small triangle touches to its depth.
func (w *meshTile) small(t *nearTriangle) {
	x0, y0 := int32(t.x0), int32(t.y0)
	in := w.clip(pixelRect{x0, x0 + int32(t.width), y0, y0 + int32(t.height)})
	x0, y0 = w.x+in.x0-x0, w.y+in.y0-y0
	a, b, c := &t.edges[0], &t.edges[1], &t.edges[2]
	e0, e1, e2 := a.at+a.right*x0+a.down*y0, b.at+b.right*x0+b.down*y0, c.at+c.right*x0+c.down*y0
	z := t.farthest
	for y := in.y0; y <= in.y1; y++ {
		f0, f1, f2 := e0, e1, e2
		row := (*[tileSize]int32)(w.far[y*tileSize:])
		for x := in.x0; x <= in.x1; x++ {
			out := (f0 | f1 | f2) >> 31
			row[x&(tileSize-1)] = min(row[x&(tileSize-1)], z&^out|noDepth&out)
			f0 += a.right
			f1 += b.right
			f2 += c.right
		}
		e0 += a.down
		e1 += b.down
		e2 += c.down
	}
}

// large lowers the pixels that a large triangle touches to its depths there.
func (w *meshTile) large(t *largeTriangle) {
	in := w.clip(t.r)
	x, y := int64(w.x+in.x0)*steps, int64(w.y+in.y0)*steps
	var e, right, down [3]int64
	for i := range 3 {
		a, b := &t.p[i], &t.p[(i+1)%3]
		e[i], right[i], down[i] = number(a, b, x, y), -steps*int64(b.y-a.y), steps*int64(b.x-a.x)
	}
	e0, e1, e2 := e[0], e[1], e[2]
	least := unordered(min(t.p[0].z, t.p[1].z, t.p[2].z))
	for y := in.y0; y <= in.y1; y++ {
		f0, f1, f2 := e0, e1, e2
		row := (*[tileSize]int32)(w.far[y*tileSize:])
		q := float32(t.py*float32(w.y+y-t.r.y0)) + t.p0
		fx := float32(w.x + in.x0 - t.r.x0)
		for x := in.x0; x <= in.x1; x++ {
			if f0|f1|f2 >= 0 {
				row[x&(tileSize-1)] = min(row[x&(tileSize-1)], ordered(max(float32(t.px*fx)+q, least)))
			}
			fx++
			f0 += right[0]
			f1 += right[1]
			f2 += right[2]
		}
		e0 += down[0]
		e1 += down[1]
		e2 += down[2]
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
