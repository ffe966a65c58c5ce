package occlude

import (
	"math"

	"github.com/zoctree/zoctree/asm"
)

// sheet is a part of a mesh in a tile, and what a goroutine needs to draw one after the other.
type sheet struct {
	places []int32 // of a triangle its place in the list of the tile, if it is there
	state  []uint8 // of each place its side, and sides of sheets that it was in
	queue  []int32 // places of the sheet

	// Of the pixels of the tile, row-major: the farthest depth as a number, noDepth where there is none, atBorder where an edge is.
	far    [tileSize * tileSize]int32
	best   [tileSize * tileSize]int32 // the nearest of sheets, atBorder where there is none
	box    pixelRect                  // of pixels that are not noDepth
	x, y   int32                      // first pixel of the tile
	x1, y1 int32                      // last column and row of the tile that are in the picture, from the first on
}

const (
	noDepth  = math.MaxInt32
	atBorder = math.MinInt32
)

// ordered returns a number for a depth, which is larger if that is.
func ordered(z float32) int32 {
	b := int32(math.Float32bits(z))
	return b ^ int32(uint32(b>>31)>>1)
}

// unordered returns the depth of a number.
func unordered(n int32) float32 {
	return math.Float32frombits(uint32(n ^ int32(uint32(n>>31)>>1)))
}

// draw draws the sheets of a tile, the nearest first, until there is none that is not behind those.
func (s *sheet) draw(d *meshDraw, tile int, to *asm.Picture) {
	list := d.inTile(tile)
	if len(list) == 0 {
		return
	}
	s.begin(d, tile, list)
	least := int32(atBorder)
	for i := range list {
		if s.state[i] >= bothSides {
			continue
		}
		if d.classes.nearest(list[i].nearest) <= least {
			break
		}
		s.flood(d, list, int32(i))
		if s.keep() {
			least = s.least()
		}
	}
	s.raise(to)
}

// flood draws the sheet of a triangle of the list.
func (s *sheet) flood(d *meshDraw, list []tileTriangle, seed int32) {
	side := s.state[seed]
	flat := false
	s.state[seed] |= side << 2
	s.queue = append(s.queue[:0], seed)
	for at := 0; at < len(s.queue); at++ {
		i := s.queue[at]
		k := list[i].triangle
		t := &d.mesh.triangles[k]
		p := [3]*meshPoint{&d.points[t[0]], &d.points[t[1]], &d.points[t[2]]}
		if s.state[i]&bothSides == side {
			s.triangle(p[0], p[1], p[2])
		} else {
			flat = true
		}
		for e, other := range d.mesh.beside[k] {
			if other >= 0 {
				if n := s.places[other]; uint(n) < uint(len(list)) && list[n].triangle == other {
					if state := s.state[n]; state&side != 0 {
						if state&(side<<2) == 0 {
							s.state[n] = state | side<<2
							s.queue = append(s.queue, n)
						}
						continue
					}
				} else if d.sides[other] != 0 { // beside the tile
					continue
				}
			}
			s.edge(p[e], p[(e+1)%3])
		}
	}
	if flat {
		s.flats(d, list)
	}
}

// begin makes the sheet one of a tile.
func (s *sheet) begin(d *meshDraw, tile int, list []tileTriangle) {
	s.x, s.y = int32(tile%d.across)<<tileBits, int32(tile/d.across)<<tileBits
	s.x1, s.y1 = min(tileSize, d.width-s.x)-1, min(tileSize, d.height-s.y)-1
	if len(s.places) < len(d.sides) {
		s.places = make([]int32, len(d.sides))
	}
	if cap(s.state) < len(list) {
		s.state = make([]uint8, len(list))
	}
	s.state = s.state[:len(list)]
	for i := range list {
		k := list[i].triangle
		s.places[k] = int32(i)
		s.state[i] = d.sides[k]
	}
	for i := range s.best {
		s.best[i] = atBorder
	}
	s.empty()
}

// empty makes the sheet empty, but for the depths.
func (s *sheet) empty() { s.box = pixelRect{tileSize, -1, tileSize, -1} }

// keep raises the best depths of the tile to the sheet, and leaves that empty. It reports whether it has changed one.
func (s *sheet) keep() (changed bool) {
	for y := s.box.y0; y <= s.box.y1; y++ {
		far, best := s.far[y*tileSize:][:tileSize], s.best[y*tileSize:][:tileSize]
		for x := s.box.x0; x <= s.box.x1; x++ {
			n := far[x]
			far[x] = noDepth
			if n != noDepth && n > best[x] {
				best[x], changed = n, true
			}
		}
	}
	s.empty()
	return changed
}

// least returns the least of the best depths.
func (s *sheet) least() int32 {
	least := int32(noDepth)
	for y := int32(0); y <= s.y1; y++ {
		for _, n := range s.best[y*tileSize:][:s.x1+1] {
			least = min(least, n)
		}
	}
	return least
}

// raise raises the picture to the best depths.
func (s *sheet) raise(to *asm.Picture) {
	for y := int32(0); y <= s.y1; y++ {
		row := to.Row(int(s.y + y))[s.x:]
		for x, n := range s.best[y*tileSize:][:s.x1+1] {
			if n > ordered(row[x]) {
				row[x] = unordered(n)
			}
		}
	}
}

// clip returns the pixels of a rectangle that are in the tile, from its first on, and adds them to the box.
func (s *sheet) clip(r pixelRect) pixelRect {
	r = pixelRect{max(r.x0-s.x, 0), min(r.x1-s.x, s.x1), max(r.y0-s.y, 0), min(r.y1-s.y, s.y1)}
	s.box = pixelRect{min(s.box.x0, r.x0), max(s.box.x1, r.x1), min(s.box.y0, r.y0), max(s.box.y1, r.y1)}
	return r
}

// side is an edge of a triangle: the point x, y of the grid is on it, or on the side of the triangle, if
// dx*(y - p.y) - dy*(x - p.x) is not below 0.
type side struct {
	at     int64 // most that it is in the square of the first pixel of the tile
	dx, dy int64
}

func (s *sheet) sideOf(p, q *meshPoint) (e side) {
	e.dx, e.dy = int64(q.x-p.x), int64(q.y-p.y)
	x, y := int64(s.x*steps-p.x), int64(s.y*steps-p.y)
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
func (s *sheet) triangle(a, b, c *meshPoint) {
	if area(a, b, c) < 0 {
		b, c = c, b
	}
	r := touched(min(a.x, b.x, c.x), max(a.x, b.x, c.x), min(a.y, b.y, c.y), max(a.y, b.y, c.y))
	in := s.clip(r)
	ab, bc, ca := s.sideOf(a, b), s.sideOf(b, c), s.sideOf(c, a)
	z := min(a.z, b.z, c.z)
	small := r.x1-r.x0 < smallSide && r.y1-r.y0 < smallSide
	var px, py, p0 float32
	if !small {
		px, py, p0 = planeOf(a, b, c, &r)
	}
	x, y := int64(in.x0), int64(in.y0)
	e0 := ab.at + steps*(y*ab.dx-x*ab.dy)
	e1 := bc.at + steps*(y*bc.dx-x*bc.dy)
	e2 := ca.at + steps*(y*ca.dx-x*ca.dy)
	number := ordered(z)
	for y := in.y0; y <= in.y1; y++ {
		f0, f1, f2 := e0, e1, e2
		row := s.far[y*tileSize:][:tileSize]
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
			q := float32(py*float32(s.y+y-r.y0)) + p0
			fx := float32(s.x + in.x0 - r.x0)
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
func (s *sheet) edge(p, q *meshPoint) {
	s.along(p, q, func(far *int32) { *far = atBorder })
}

// along calls f with the pixels that an edge touches.
func (s *sheet) along(p, q *meshPoint, f func(far *int32)) {
	in := s.clip(touched(min(p.x, q.x), max(p.x, q.x), min(p.y, q.y), max(p.y, q.y)))
	dx, dy := int64(q.x-p.x), int64(q.y-p.y)
	// What the number of a side is in the middle of a square, and how much more or less it is at its corners.
	reach := (max(dx, -dx) + max(dy, -dy)) * (steps/2 + offSteps)
	for y := in.y0; y <= in.y1; y++ {
		at := dx*int64((s.y+y)*steps+steps/2-p.y) - dy*int64((s.x+in.x0)*steps+steps/2-p.x)
		for x := in.x0; x <= in.x1; x++ {
			if at <= reach && at >= -reach {
				f(&s.far[y*tileSize+x])
			}
			at -= dy * steps
		}
	}
}

// flats lowers pixels in which the sheet is to the depths of the triangles of it that are flat. Their edges touch what they touch.
func (s *sheet) flats(d *meshDraw, list []tileTriangle) {
	for _, i := range s.queue {
		if s.state[i]&bothSides != bothSides {
			continue
		}
		t := &d.mesh.triangles[list[i].triangle]
		p := [3]*meshPoint{&d.points[t[0]], &d.points[t[1]], &d.points[t[2]]}
		n := ordered(min(p[0].z, p[1].z, p[2].z))
		for e := range p {
			s.along(p[e], p[(e+1)%3], func(far *int32) {
				if *far != noDepth {
					*far = min(*far, n)
				}
			})
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
