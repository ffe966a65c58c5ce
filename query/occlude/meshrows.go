package occlude

import (
	"math"

	"github.com/zoctree/zoctree/asm"
)

// has reports whether a triangle is in the layer.
func (l *layer) has(code uint16) bool {
	return code >= l.code && code <= l.last && (code-l.code)&1 == 0
}

// draw draws a layer in rows y0 up to but not including y1, and raises the picture to it.
func (d *meshDraw) draw(l *piece, to *asm.Picture, y0, y1 int32) {
	y0, y1 = max(y0, l.rect.y0), min(y1, l.rect.y1+1)
	if y0 >= y1 {
		return
	}
	for _, k := range d.listed[l.first:l.end] {
		d.triangle(&l.layer, k, y0, y1)
	}
	for y := y0; y < y1; y++ {
		d.raise(to.Row(int(y)), &l.rect, int(y))
	}
}

// raise raises a row of the picture to a layer, and leaves the row of the layer empty.
func (d *meshDraw) raise(row []float32, r *pixelRect, y int) {
	row = row[r.x0 : r.x1+1]
	far := d.far[y*d.width+int(r.x0):][:len(row)]
	turns := d.turns[y*d.width+int(r.x0):][:len(row)]
	n := int32(0)
	for i, v := range far {
		n += turns[i]
		if n != 0 && v > row[i] && v < inf {
			row[i] = v
		}
		far[i], turns[i] = inf, 0
	}
}

// slope is an edge of which the upper end is first: x at y is x + (y - y0)*dx.
type slope struct {
	x, y0, y1, dx float64
}

func slopeOf(p, q *meshPoint) slope {
	if p.y > q.y {
		p, q = q, p
	}
	s := slope{float64(p.x), float64(p.y), float64(q.y), 0}
	if p.y != q.y {
		s.dx = (float64(q.x) - s.x) / (s.y1 - s.y0)
	}
	return s
}

// across returns what x an edge has between two rows of the grid; none if it is beside them. It is off
// by less than 2^-20 of a step.
func (s *slope) across(p, q *meshPoint, top, bottom float64) (left, right float64) {
	if s.y0 > bottom || s.y1 < top {
		return math.Inf(1), math.Inf(-1)
	}
	if s.y0 == s.y1 {
		return float64(min(p.x, q.x)), float64(max(p.x, q.x))
	}
	u := s.x + float64((max(s.y0, top)-s.y0)*s.dx)
	v := s.x + float64((min(s.y1, bottom)-s.y0)*s.dx)
	return min(u, v), max(u, v)
}

// columns returns the pixels within offSteps of left to right, as far as the picture goes: first may be behind last.
func columns(left, right float64, width int32) (first, last int32) {
	edge := float64(width * steps)
	return int32(min(max(left-1.5*offSteps, 0), edge)) >> stepBits, min(int32(min(max(right+1.5*offSteps, -1), edge))>>stepBits, width-1)
}

// triangle lowers the pixels near a triangle to its depth, and draws the edges of it where the layer ends.
func (d *meshDraw) triangle(l *layer, k, y0, y1 int32) {
	t := &d.mesh.triangles[k]
	a, b, c := &d.points[t[0]], &d.points[t[1]], &d.points[t[2]]
	r, _ := d.touched(a, b, c, int32(d.width), int32(d.height))
	// What is computed must not depend on which rows are asked for.
	first, last := max(r.y0, y0), min(r.y1, y1-1)
	if first > last {
		return
	}
	z := min(a.z, b.z, c.z)
	if r.x1-r.x0 < 2 && r.y1-r.y0 < 2 {
		for y := first; y <= last; y++ {
			row := d.far[int(y)*d.width:][:d.width]
			for x := r.x0; x <= r.x1; x++ {
				row[x] = min(row[x], z)
			}
		}
	} else {
		d.fill(a, b, c, z, &r, first, last)
	}
	for i, other := range d.mesh.beside[k] {
		if other < 0 || !l.has(d.codes[other]) {
			d.border(&d.points[t[i]], &d.points[t[(i+1)%3]], y0, y1)
		}
	}
}

// fill lowers the pixels that a triangle comes near to, to the depth of the triangle, of which z is the farthest, in
// rows top to bottom of its rectangle.
func (d *meshDraw) fill(a, b, c *meshPoint, z float32, r *pixelRect, top, bottom int32) {
	px, py, p0 := planeOf(a, b, c, r)
	ab, bc, ca := slopeOf(a, b), slopeOf(b, c), slopeOf(c, a)
	for y := top; y <= bottom; y++ {
		upper, lower := float64(y*steps-offSteps), float64((y+1)*steps+offSteps)
		l0, r0 := ab.across(a, b, upper, lower)
		l1, r1 := bc.across(b, c, upper, lower)
		l2, r2 := ca.across(c, a, upper, lower)
		first, last := columns(min(l0, l1, l2), max(r0, r1, r2), int32(d.width))
		if first > last {
			continue
		}
		q := float32(py*float32(y-r.y0)) + p0
		fx := float32(first - r.x0)
		row := d.far[int(y)*d.width:][first : last+1]
		for i, v := range row {
			row[i] = min(v, max(float32(px*fx)+q, z))
			fx++
		}
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

// border draws an edge, that goes from p to q in its triangle, in rows y0 up to but not including y1.
func (d *meshDraw) border(p, q *meshPoint, y0, y1 int32) {
	turn := int32(1)
	if p.y > q.y {
		p, q, turn = q, p, -1
	}
	s := slopeOf(p, q)
	y0, y1 = max(y0, (p.y-2*offSteps)>>stepBits), min(y1, (q.y+2*offSteps)>>stepBits+1)
	for y := y0; y < y1; y++ {
		left, right := s.across(p, q, float64(y*steps-offSteps), float64((y+1)*steps+offSteps))
		first, last := columns(left, right, int32(d.width))
		for x := first; x <= last; x++ {
			d.far[int(y)*d.width+int(x)] = -inf
		}
		if middle := y*steps + steps/2; p.y <= middle && q.y > middle && int(first) < d.width {
			d.turns[int(y)*d.width+int(first)] += turn
		}
	}
}
