package occlude

import (
	"math"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
)

// A mesh covers a pixel if the middle of the pixel is covered, and no edge where the mesh ends or turns over touches
// the pixel: coverage changes only there. In full, for any part K of the triangles, each of which has an
// area on the picture, all of them seen from the same side:
//
//	Let n(q) be the number of triangles of K that cover the point q of the picture. Orient them alike. An edge that
//	two of them share, on either side of it, is passed once in each direction: the border of
//	K, as a chain, is made of the other edges alone, and n is its winding number. It is the same all over a square that no such edge
//	touches. Now move each corner from where it was rounded to on the grid to where it is, in a straight line. No
//	point of an edge moves further than a corner does, offSteps: if the edges stay that far away from the square, none passes
//	through it on the way, and the winding number of the border about each point of the square is what it was. It is the degree
//	of K there: where it is not 0, some triangle covers the point.
//
// So rounding to the grid has done no harm, although it may have turned triangles over: K is chosen, the winding
// number is counted and edges are found on the grid, where all of it is exact but for ends of spans, which have half a step of room.
//
// The depth of a pixel is the farthest of all triangles of K that come within offSteps of it: each ray of the pixel passes one of
// them. The depth of a triangle is affine on the picture. A point of it in the pixel is a mean of the corners where
// they are, and has the depth of the same mean of the corners on the grid, which is at most offSteps from the
// pixel: so the plane over the grid, at its least within that distance of the pixel, is a bound, and so is the farthest corner.
//
// Any part K will do: what ends at the near plane, or is not known well enough, is left out of it, and its
// neighbours have a border there. Of these parts are drawn, each by itself: a hill before a hill does not get the
// depth of the one behind if they are not in the same part.
//
//	side    triangles seen counterclockwise, or clockwise; of a closed mesh only those that are seen from outside
//	range   triangles whose depth is within a factor of some 1.5, in steps of half of that: each is in two of these parts, so that
//	        one part covers where the other ends
//	all     of a side, if they are few
//	piece   what hangs together of these by edges: each is drawn by itself
//
// meshDraw is what drawing a mesh needs. Points and triangles are those of the mesh, in its order.
type meshDraw struct {
	points []meshPoint
	codes  []uint16            // of each triangle 1 + 2*range + side, 0 if it is in no part
	order  []int32             // triangles by code
	ends   [numCodes + 1]int32 // where the triangles of a code end in the order
	layers []layer
	pieces []piece
	listed []int32 // triangles by piece
	stamps []int32 // of each triangle, 1 more than the number of the last layer in which it is in a piece
	mesh   *Mesh

	// Of each pixel, row-major without gaps: the farthest depth, -Inf if an edge touches it, +Inf between layers; what the winding number of the border grows by
	// from the pixel on the left, 0 between layers.
	far           []float32
	turns         []int32
	width, height int
}

// pixelRect is columns x0 to x1 and rows y0 to y1, with the last ones.
type pixelRect struct{ x0, x1, y0, y1 int32 }

// layer is a part of a mesh that is drawn by itself: triangles first to end of the order, whose codes are code to
// last, in steps of 2.
type layer struct {
	code, last uint16
	first, end int32
}

// piece is what hangs together of a layer: triangles first to end of the list.
type piece struct {
	layer
	first, end int32
	rect       pixelRect
}

const (
	rangeBits = 21 // of float32, above which a depth is its range: 4 ranges for a factor of 2
	ranges    = 1 << (31 - rangeBits)
	numCodes  = 2 * ranges

	// Of so few triangles, all are drawn as a part too.
	fewTriangles = 256
)

// DrawMesh draws a mesh until the next Look, under a pose; the zero Pose leaves it as it is. Poses of any kind will do.
//
// A triangle that reaches before the near plane is left out, and so is one of which a corner is
// more than 2^20 pixels beside the picture: the mesh ends there. What covers no whole pixel is lost, and so is what is thinner than two pixels. A pixel
// gets the depth of the farthest triangle in it of about the same distance: of a hill before another one that hangs together with it and is less than
// 1.5 times as far, the depth may be that of the other. A closed mesh is drawn as the side that is seen.
//
// It costs a fixed time for each corner and triangle, some more for each pixel of these, and for
// each range of distances the size of what it covers. It allocates while meshes grow.
func (e *Eye) DrawMesh(m *Mesh, at linear.Pose) {
	e.looking()
	defer phase.Enter(phase.Draw).Leave() // workers start in it
	d := &e.mesh
	if len(m.triangles) == 0 || !d.project(&e.frame, m, &at) {
		return
	}
	d.resize(e.frame.width, e.frame.height)
	d.sort(&e.frame, m, &at)
	if d.cut(); len(d.pieces) > 0 {
		e.clear()
		e.open, e.flat = false, true
		e.byHand++
		e.inBands((*Eye).drawMeshRows)
	}
	d.mesh = nil // kept no longer than it is drawn
}

// drawMeshRows draws the mesh in the rows of a goroutine.
func (e *Eye) drawMeshRows(i int) {
	n, h := len(e.band), e.frame.height
	d := &e.mesh
	for k := range d.pieces {
		d.draw(&d.pieces[k], &e.picture, int32(i*h/n), int32((i+1)*h/n))
	}
}

// resize makes room for the size of the picture.
func (d *meshDraw) resize(width, height int) {
	if d.width == width && d.height == height {
		return
	}
	d.width, d.height = width, height
	n := width * height
	if cap(d.far) < n {
		d.far, d.turns = make([]float32, n), make([]int32, n)
	}
	d.far, d.turns = d.far[:n], d.turns[:n]
	for i := range d.far {
		d.far[i] = inf
	}
	clear(d.turns)
}

var inf = float32(math.Inf(1))

// touched returns the pixels that come near a triangle; ok is false if there are none.
func (d *meshDraw) touched(a, b, c *meshPoint, width, height int32) (r pixelRect, ok bool) {
	r.x0 = max((min(a.x, b.x, c.x)-2*offSteps)>>stepBits, 0)
	r.x1 = min((max(a.x, b.x, c.x)+2*offSteps)>>stepBits, width-1)
	r.y0 = max((min(a.y, b.y, c.y)-2*offSteps)>>stepBits, 0)
	r.y1 = min((max(a.y, b.y, c.y)+2*offSteps)>>stepBits, height-1)
	return r, r.x0 <= r.x1 && r.y0 <= r.y1
}

// area returns twice the area of a triangle on the grid, above 0 if it is clockwise as seen, for rows go
// downwards.
func area(a, b, c *meshPoint) int64 {
	return int64(b.x-a.x)*int64(c.y-a.y) - int64(c.x-a.x)*int64(b.y-a.y)
}

// sort finds out which triangles are drawn, and makes layers of them.
func (d *meshDraw) sort(f *frame, m *Mesh, pose *linear.Pose) {
	d.mesh = m
	d.layers = d.layers[:0]
	clear(d.ends[:])
	if cap(d.codes) < len(m.triangles) {
		d.codes, d.order = make([]uint16, len(m.triangles)), make([]int32, len(m.triangles))
	}
	d.codes, d.order = d.codes[:len(m.triangles)], d.order[:len(m.triangles)]
	// Where depths are -t, ranges are a 32nd of what there is.
	farthest, scale := 0.0, 0.0
	if f.parallel {
		farthest, scale = d.span()
	}
	whole := true
	width, height := int32(f.width), int32(f.height)
	for i := range m.triangles {
		t := &m.triangles[i]
		a, b, c := &d.points[t[0]], &d.points[t[1]], &d.points[t[2]]
		d.codes[i] = 0
		if a.x == away || b.x == away || c.x == away {
			whole = false
			continue
		}
		if _, ok := d.touched(a, b, c, width, height); !ok {
			continue
		}
		s := area(a, b, c)
		if s == 0 {
			continue
		}
		z := min(a.z, b.z, c.z)
		code := uint16(math.Float32bits(z)>>rangeBits) * 2
		if f.parallel {
			code = uint16(float64((float64(z)-farthest)*scale)) * 2
		}
		if code++; s < 0 {
			code++
		}
		d.codes[i] = code
		d.ends[code]++
	}
	at := int32(0)
	for i, n := range d.ends {
		d.ends[i] = at
		at += n
	}
	for i, code := range d.codes {
		if code != 0 {
			d.order[d.ends[code]] = int32(i)
			d.ends[code]++
		}
	}
	// What is seen of a closed mesh is what is seen from outside, where it is counterclockwise.
	sides := [2]bool{true, true}
	if whole && m.counts.Borders+m.counts.Forks == 0 {
		mirrored := dot(f.dx, cross(f.dy, f.d0)) < 0
		if !pose.AtMost(linear.PoseTranslation) {
			var rows [12]float64
			pose.ReadRows(&rows)
			x, y, z := [3]float64(rows[0:3]), [3]float64(rows[4:7]), [3]float64(rows[8:11])
			mirrored = mirrored != (dot(x, cross(y, z)) < 0)
		}
		sides = [2]bool{mirrored, !mirrored}
	}
	for side := range uint16(2) {
		if sides[side] {
			d.layer(side)
		}
	}
}

// span returns the farthest depth of a corner, and how many ranges there are for a unit of depth.
func (d *meshDraw) span() (farthest, scale float64) {
	least, most := math.Inf(1), math.Inf(-1)
	for i := range d.points {
		if p := &d.points[i]; p.x != away {
			least, most = min(least, float64(p.z)), max(most, float64(p.z))
		}
	}
	if !(most > least) {
		return least, 0
	}
	return least, 31 / (most - least)
}

func (r *pixelRect) add(o *pixelRect) {
	r.x0, r.x1, r.y0, r.y1 = min(r.x0, o.x0), max(r.x1, o.x1), min(r.y0, o.y0), max(r.y1, o.y1)
}

// layer lists the layers of a side: two ranges at a time, and all if they are few. Between the triangles of its codes there
// are those of the other side.
func (d *meshDraw) layer(side uint16) {
	all := layer{code: 1 + side, last: numCodes, first: 0, end: int32(len(d.order))}
	count, used := int32(0), 0
	before := false // the range before is in a layer
	for code := 1 + side; code <= numCodes; code += 2 {
		n := d.number(code)
		if n == 0 {
			before = false
			continue
		}
		count += n
		used++
		next := code + 2
		if next <= numCodes && d.number(next) > 0 {
			l := layer{code: code, last: next, first: d.ends[code-1], end: d.ends[next]}
			d.layers = append(d.layers, l)
		} else if !before {
			d.layers = append(d.layers, layer{code: code, last: code, first: d.ends[code-1], end: d.ends[code]})
		}
		before = true
	}
	if used > 2 && count <= fewTriangles {
		all.end = d.ends[numCodes]
		d.layers = append(d.layers, all)
	}
}

// cut makes pieces of the layers. What touches fewer than 3 columns or rows covers no pixel, for its
// border is all around.
func (d *meshDraw) cut() {
	d.pieces, d.listed = d.pieces[:0], d.listed[:0]
	if cap(d.stamps) < len(d.codes) {
		d.stamps = make([]int32, len(d.codes))
	}
	d.stamps = d.stamps[:len(d.codes)]
	clear(d.stamps)
	width, height := int32(d.width), int32(d.height)
	for i := range d.layers {
		l, stamp := &d.layers[i], int32(i+1)
		for _, seed := range d.order[l.first:l.end] {
			if !l.has(d.codes[seed]) || d.stamps[seed] == stamp {
				continue
			}
			d.stamps[seed] = stamp
			first := len(d.listed)
			r := pixelRect{x0: math.MaxInt32, x1: -1, y0: math.MaxInt32, y1: -1}
			d.listed = append(d.listed, seed)
			for at := first; at < len(d.listed); at++ {
				k := d.listed[at]
				t := &d.mesh.triangles[k]
				touched, _ := d.touched(&d.points[t[0]], &d.points[t[1]], &d.points[t[2]], width, height)
				r.add(&touched)
				for _, other := range d.mesh.beside[k] {
					if other >= 0 && l.has(d.codes[other]) && d.stamps[other] != stamp {
						d.stamps[other] = stamp
						d.listed = append(d.listed, other)
					}
				}
			}
			if (r.x1-r.x0 < 2 && r.x0 > 0 && r.x1 < width-1) || (r.y1-r.y0 < 2 && r.y0 > 0 && r.y1 < height-1) {
				d.listed = d.listed[:first]
				continue
			}
			d.pieces = append(d.pieces, piece{*l, int32(first), int32(len(d.listed)), r})
		}
	}
}

// number returns how many triangles have a code.
func (d *meshDraw) number(code uint16) int32 { return d.ends[code] - d.ends[code-1] }
