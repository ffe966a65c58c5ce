package occlude

import "math"

// side is an edge of a triangle: the point x, y of the grid is on it, or on the side of the triangle, if
// dx*(y - p.y) - dy*(x - p.x) is not below 0.
type side struct {
	at     int64 // most that it is in the square of the first pixel of the tile
	dx, dy int64
}

func (w *meshTile) sideOf(p, q *meshPoint) (e side) {
	e.dx, e.dy = int64(q.x-p.x), int64(q.y-p.y)
	x, y := int64(w.x*steps-p.x), int64(w.y*steps-p.y)
	// The corner of the square that is furthest inside.
	if e.dx > 0 {
		y += steps + offSteps
	} else {
		y -= offSteps
	}
	if e.dy < 0 {
		x += steps + offSteps
	} else {
		x -= offSteps
	}
	e.at = e.dx*y - e.dy*x
	return e
}

// triangle lowers the pixels that a triangle touches to its depth.
func (w *meshTile) triangle(a, b, c *meshPoint) {
	r := touched(min(a.x, b.x, c.x), max(a.x, b.x, c.x), min(a.y, b.y, c.y), max(a.y, b.y, c.y))
	in := w.clip(r)
	ab, bc, ca := w.sideOf(a, b), w.sideOf(b, c), w.sideOf(c, a)
	z := min(a.z, b.z, c.z)
	number := ordered(z)
	small := r.x1-r.x0 < smallSide && r.y1-r.y0 < smallSide
	var px, py, p0 float32
	if !small {
		px, py, p0 = planeOf(a, b, c, &r)
	}
	x, y := int64(in.x0), int64(in.y0)
	e0 := ab.at + steps*(y*ab.dx-x*ab.dy)
	e1 := bc.at + steps*(y*bc.dx-x*bc.dy)
	e2 := ca.at + steps*(y*ca.dx-x*ca.dy)
	for y := in.y0; y <= in.y1; y++ {
		f0, f1, f2 := e0, e1, e2
		row := w.far[y*tileSize:][:tileSize]
		if small {
			for x := in.x0; x <= in.x1; x++ {
				out := int32((f0 | f1 | f2) >> 63)
				n := number&^out | noDepth&out
				row[x] = min(row[x], n)
				f0 -= steps * ab.dy
				f1 -= steps * bc.dy
				f2 -= steps * ca.dy
			}
		} else {
			q := float32(py*float32(w.y+y-r.y0)) + p0
			fx := float32(w.x + in.x0 - r.x0)
			for x := in.x0; x <= in.x1; x++ {
				if f0|f1|f2 >= 0 {
					row[x] = min(row[x], ordered(max(float32(px*fx)+q, z)))
				}
				fx++
				f0 -= steps * ab.dy
				f1 -= steps * bc.dy
				f2 -= steps * ca.dy
			}
		}
		e0 += steps * ab.dx
		e1 += steps * bc.dx
		e2 += steps * ca.dx
	}
}

const smallSide = 4

// edge marks the pixels that an edge touches.
func (w *meshTile) edge(p, q *meshPoint) {
	w.along(p, q, func(far *int32) { *far = atBorder })
}

// along calls f with the pixels that an edge touches.
func (w *meshTile) along(p, q *meshPoint, f func(far *int32)) {
	in := w.clip(touched(min(p.x, q.x), max(p.x, q.x), min(p.y, q.y), max(p.y, q.y)))
	dx, dy := int64(q.x-p.x), int64(q.y-p.y)
	// What the number of a side is in the middle of a square, and how much more or less it is at its corners.
	reach := (max(dx, -dx) + max(dy, -dy)) * (steps/2 + offSteps)
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
	n := ordered(min(p[0].z, p[1].z, p[2].z))
	for e := range p {
		w.along(p[e], p[(e+1)%3], func(far *int32) {
			if *far != noDepth {
				*far = min(*far, n)
			}
		})
	}
}

// planeOf bounds the depth of a triangle in a pixel: px*x + (py*y + p0), in float32, for x and y from the first column and
// row of a rectangle on. It is the least within offSteps of the pixel. The gradient is off by less than 2^-50 of its terms,
// which for the distances in question is less than 2^-48*dz*size^2/area; r is for float32, which rounds the
// three numbers, both products and both sums.
func planeOf(a, b, c *meshPoint, r *pixelRect) (px, py, p0 float32) {
	s := float64(area(a, b, c))
	z := float64(a.z)
	z1, z2 := float64(b.z)-z, float64(c.z)-z
	x1, y1 := float64(b.x-a.x), float64(b.y-a.y)
	x2, y2 := float64(c.x-a.x), float64(c.y-a.y)
	gx := (float64(z1*y2) - float64(z2*y1)) / s
	gy := (float64(z2*x1) - float64(z1*x2)) / s
	left, top := float64(r.x0*steps-offSteps), float64(r.y0*steps-offSteps)
	if gx < 0 {
		left += steps + 2*offSteps
	}
	if gy < 0 {
		top += steps + 2*offSteps
	}
	left, top = left-float64(a.x), top-float64(a.y)
	at := z + (float64(gx*left) + float64(gy*top))
	gx, gy = gx*steps, gy*steps
	reach := max(math.Abs(x1), math.Abs(x2), math.Abs(y1), math.Abs(y2)) + 3*steps
	size := math.Abs(at) + float64(math.Abs(gx)*float64(r.x1-r.x0)) + float64(math.Abs(gy)*float64(r.y1-r.y0)) + math.Abs(z)
	err := float64(8*u*size) + float64(0x1p-48*max(math.Abs(z1), math.Abs(z2))*float64(reach*reach))/math.Abs(s)
	if !(size+err < 0x1p100) {
		return 0, 0, float32(math.Inf(-1))
	}
	return float32(gx), float32(gy), float32(at - err)
}
