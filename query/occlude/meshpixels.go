package occlude

import (
	"slices"

	"github.com/zoctree/zoctree/asm/depth"
)

// smallPixels is the maximum number of pixels in the rectangle of a small triangle. A small triangle has the
// depth of its farthest corner in all of them: on terrain that loses 0.04 % of the hidden objects, and planes
// of depth cost a tenth of the time.
const smallPixels = 32

// The edge function of a clockwise triangle, for its edge from a to b, is dx*(y - a.y) - dy*(x - a.x) at the
// point x, y of the grid, with dx = b.x - a.x and dy = b.y - a.y. It is at least 0 on the line and on the
// side of the triangle. A square touches the triangle if it touches the rectangle around it, and each edge
// function is at least 0 at the corner of the square where it is largest.
//
// Edge functions of a small triangle fit in 32 bits: with n = smallPixels, dx and dy are less than (n +
// 1)*steps, and so are y - a.y and x - a.x of corners of squares in the rectangle, up to offSteps.
var _ = [1]struct{}{}[2*(smallPixels+1)*(smallPixels+2)*steps*steps>>31]

// number returns the edge function of a to b for the pixel that begins at x, y, at the corner where it is
// largest.
func number(a, b *meshPoint, x, y int64) int64 {
	dx, dy := b.x-a.x, b.y-a.y
	return int64(dx)*(y+int64(furthest(-dx)-a.y)) - int64(dy)*(x+int64(furthest(dy)-a.x))
}

// setSmall sets the edges and the touched pixels of a small triangle.
func (t *nearTriangle) setSmall(a, b, c *meshPoint, r *pixelRect) {
	t.x0, t.y0, t.width, t.height = int16(r.x0), int16(r.y0), uint8(r.x1-r.x0), uint8(r.y1-r.y0)
	x, y := r.x0*steps, r.y0*steps
	t.edges[0] = stepsOf(a, b, x, y)
	t.edges[1] = stepsOf(b, c, x, y)
	t.edges[2] = stepsOf(c, a, x, y)
}

// stepsOf returns the edge function of a small triangle and its steps.
func stepsOf(a, b *meshPoint, x, y int32) edgeStep {
	dx, dy := b.x-a.x, b.y-a.y
	return edgeStep{dx*(y+furthest(-dx)-a.y) - dy*(x+furthest(dy)-a.x), -dy * steps, dx * steps}
}

// piece appends a piece to be drawn, in pixels of the tile, and returns it.
func (w *meshTile) piece(in pixelRect) *depth.TilePiece {
	if len(w.pieces) == cap(w.pieces) {
		w.pieces = slices.Grow(w.pieces, 64)
	}
	w.pieces = w.pieces[:len(w.pieces)+1]
	p := &w.pieces[len(w.pieces)-1]
	p.X0, p.X1, p.Y0, p.Y1 = uint8(in.x0), uint8(in.x1), uint8(in.y0), uint8(in.y1)
	return p
}

// small adds the piece of a small triangle.
func (w *meshTile) small(t *nearTriangle) {
	x0, y0 := int32(t.x0), int32(t.y0)
	in := w.clip(pixelRect{x0, x0 + int32(t.width), y0, y0 + int32(t.height)})
	p := w.piece(in)
	x0, y0 = w.x-x0, w.y+in.y0-y0
	for i := range t.edges {
		e := &t.edges[i]
		p.At[i], p.Right[i], p.Down[i] = e.at+e.right*x0+e.down*y0, e.right, e.down
	}
	p.Z, p.P0 = t.farthest, -inf
}

// large adds pieces of a large triangle, if it is in the tile.
//
// An edge with all pixels on one side needs no edge function. An edge with pixels on either side has values
// of at most 14 times the larger of its steps, and steps are less than 2^27: 32 bits suffice, and overflow
// outside the columns of the piece is harmless. For a longer edge each row becomes a piece, without edges.
func (w *meshTile) large(t *largeTriangle) {
	in := w.clip(t.r)
	x, y := int64(w.x+in.x0)*steps, int64(w.y+in.y0)*steps
	columns, rows := int64(in.x1-in.x0), int64(in.y1-in.y0)
	var e, right, down [3]int64
	long := false
	for i := range 3 {
		a, b := &t.p[i], &t.p[(i+1)%3]
		n, r, d := number(a, b, x, y), -steps*int64(b.y-a.y), steps*int64(b.x-a.x)
		if n+max(r, 0)*columns+max(d, 0)*rows < 0 {
			return
		}
		if n+min(r, 0)*columns+min(d, 0)*rows < 0 {
			e[i], right[i], down[i] = n, r, d
			long = long || max(r, -r, d, -d) >= 1<<27
		}
	}
	if long {
		w.long(t, in, &e, &right, &down)
		return
	}
	p := w.piece(in)
	for i := range 3 {
		p.At[i], p.Right[i], p.Down[i] = int32(e[i]-right[i]*int64(in.x0)), int32(right[i]), int32(down[i])
	}
	w.plane(p, t)
}

// plane sets the depths of a piece of a large triangle.
func (w *meshTile) plane(p *depth.TilePiece, t *largeTriangle) {
	p.Z = min(t.p[0].z, t.p[1].z, t.p[2].z)
	p.PX, p.PY, p.P0 = t.px, t.py, t.p0
	p.X, p.Y = float32(w.x-t.r.x0), float32(w.y+int32(p.Y0)-t.r.y0)
}

// long adds a piece for each row of a triangle. As the triangle is convex, it touches adjacent pixels of a
// row.
func (w *meshTile) long(t *largeTriangle, in pixelRect, e, right, down *[3]int64) {
	for y := in.y0; y <= in.y1; y++ {
		f := *e
		first, last := in.x1+1, in.x0
		for x := in.x0; x <= in.x1; x++ {
			if f[0]|f[1]|f[2] >= 0 {
				first, last = min(first, x), x
			}
			for i := range f {
				f[i] += right[i]
			}
		}
		if first <= last {
			p := w.piece(pixelRect{first, last, y, y})
			p.At, p.Right, p.Down = [3]int32{}, [3]int32{}, [3]int32{}
			w.plane(p, t)
		}
		for i := range e {
			e[i] += down[i]
		}
	}
}

// furthest returns the offset from the beginning of a pixel at which a function that decreases with d is
// largest.
func furthest(d int32) int32 { return (steps+2*offSteps)&(d>>31) - offSteps }

// edge marks the pixels that an edge touches.
func (w *meshTile) edge(p, q *meshPoint) {
	in, at, right, down, reach := w.line(p, q)
	for y := in.y0; y <= in.y1; y++ {
		n := at
		row := (*[tileSize]int32)(w.far[y*tileSize:])
		for x := in.x0; x <= in.x1; x++ {
			if n <= reach && n >= -reach {
				row[x&(tileSize-1)] = atBorder
			}
			n += right
		}
		at += down
	}
}

// line returns the pixels whose squares touch the rectangle around an edge, and the edge function in the
// middle of the first one with its steps to the right and down. reach is its maximum absolute value for a
// square whose corners are on both sides of the line.
func (w *meshTile) line(p, q *meshPoint) (in pixelRect, at, right, down, reach int64) {
	in = w.clip(touched(min(p.x, q.x), max(p.x, q.x), min(p.y, q.y), max(p.y, q.y)))
	dx, dy := int64(q.x-p.x), int64(q.y-p.y)
	at = dx*int64((w.y+in.y0)*steps+steps/2-p.y) - dy*int64((w.x+in.x0)*steps+steps/2-p.x)
	return in, at, -dy * steps, dx * steps, (max(dx, -dx) + max(dy, -dy)) * (steps/2 + offSteps)
}

// flat lowers covered pixels to the depth of a triangle that is flat on the grid. Its edges touch all pixels
// that it touches.
func (w *meshTile) flat(p [3]*meshPoint) {
	n := min(p[0].z, p[1].z, p[2].z)
	for e := range p {
		in, at, right, down, reach := w.line(p[e], p[(e+1)%3])
		for y := in.y0; y <= in.y1; y++ {
			f := at
			for x := in.x0; x <= in.x1; x++ {
				if far := &w.far[y*tileSize+x]; f <= reach && f >= -reach && *far != noDepth {
					*far = min(*far, n)
				}
				f += right
			}
			at += down
		}
	}
}
