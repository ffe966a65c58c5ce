package occlude

import "github.com/zoctree/zoctree/asm/depth"

// meshTile is the state of a worker that draws the sheets of one tile after the other. Depths are integers of
// ordered.
type meshTile struct {
	runs     [2]run  // the open run of each side
	runIndex []int32 // index in the current run of each triangle in near, if it is in that run
	queue    []int32 // indices of the triangles of a sheet
	pieces   []depth.TilePiece

	far    depth.Tile // farthest depths of a sheet, noDepth outside it, atBorder on its borders
	best   depth.Tile // the nearest depths of all sheets, atBorder where there is none, noDepth outside the image
	least  int32      // minimum of best
	x, y   int32      // first pixel
	x1, y1 int32      // last column and row inside the image, relative to the first pixel
}

// run is a set of triangles of a tile that face the same side and share no edge with other triangles of the
// tile: all corners of the others are nearer, or all are farther.
type run struct {
	triangles []runTriangle
	end       int32 // the farthest depth of a corner
	borders   bool  // a triangle has a border
}

// runTriangle is a triangle of a run. Edge i is a border if bit i is set.
type runTriangle struct {
	near    int32 // index in near
	borders uint8
	flat    bool // on the grid
	done    bool // it belongs to a sheet
}

const (
	noDepth  = depth.NoDepth
	atBorder = depth.Border
)

// draw draws the sheets of a tile, the nearest runs first, until the remaining ones are behind the drawn
// ones.
func (w *meshTile) draw(d *meshDraw, tile int, to *depth.Picture) {
	list := d.inTile(tile)
	if len(list) == 0 {
		return
	}
	w.begin(d, tile)
	for i := range list {
		t := &d.near[list[i]]
		nearest := d.classes.nearest(t.nearest)
		listed := uint8(0)
		for side := range w.runs {
			r := &w.runs[side]
			if len(r.triangles) > 0 && r.end > nearest {
				w.finish(d, r)
			}
			if len(r.triangles) > 0 {
				listed |= 1 << side
			}
		}
		sides := t.sides
		if nearest <= w.least { // only triangles of open runs are still needed
			if listed == 0 {
				break
			}
			sides &= listed
		}
		for side := range w.runs {
			if sides>>side&1 != 0 {
				w.runs[side].add(t, list[i], t.borders>>(3*side)&7)
			}
		}
	}
	for side := range w.runs {
		w.finish(d, &w.runs[side])
	}
	w.raise(to)
	if d.base != nil {
		w.raise(d.base)
	}
}

// add adds a triangle to the run of a side.
func (r *run) add(t *nearTriangle, near int32, borders uint8) {
	if len(r.triangles) == 0 {
		r.end = noDepth
	}
	r.end = min(r.end, t.farthest)
	r.borders = r.borders || borders != 0
	r.triangles = append(r.triangles, runTriangle{near, borders, t.sides&flatOnGrid != 0, false})
}

// begin starts a tile of the mesh.
func (w *meshTile) begin(d *meshDraw, tile int) {
	w.x, w.y = int32(tile%d.across)<<tileBits, int32(tile/d.across)<<tileBits
	w.x1, w.y1 = min(tileSize, d.width-w.x)-1, min(tileSize, d.height-w.y)-1
	for i := range w.best {
		w.best[i] = atBorder
	}
	if w.x1 < tileSize-1 || w.y1 < tileSize-1 {
		for i := range w.best {
			if int32(i%tileSize) > w.x1 || int32(i/tileSize) > w.y1 {
				w.best[i] = noDepth
			}
		}
	}
	w.least = atBorder
	if len(w.runIndex) < len(d.near) {
		w.runIndex = make([]int32, len(d.near)+len(d.near)/4)
	}
}

// finish draws a run and empties it. A run without borders is drawn in one piece, since any part of the mesh
// is a valid sheet. A run with borders is drawn sheet by sheet, so that a border affects its own sheet only.
func (w *meshTile) finish(d *meshDraw, r *run) {
	if !r.borders {
		w.queue = w.queue[:0]
		for i := range r.triangles {
			w.queue = append(w.queue, int32(i))
		}
		w.sheet(d, r.triangles)
	} else {
		for i := range r.triangles {
			w.runIndex[r.triangles[i].near] = int32(i)
		}
		left := len(r.triangles)
		for i := range r.triangles {
			if t := &r.triangles[i]; !t.done && !t.flat {
				w.flood(d, r.triangles, int32(i), left)
				left -= len(w.queue)
				w.sheet(d, r.triangles)
			}
		}
	}
	r.triangles, r.borders = r.triangles[:0], false
}

// flood lists the sheet that contains the triangle seed of a run with left unlisted triangles.
func (w *meshTile) flood(d *meshDraw, list []runTriangle, seed int32, left int) {
	w.queue = append(w.queue[:0], seed)
	list[seed].done = true
	for at := 0; at < len(w.queue) && len(w.queue) < left; at++ {
		t := &list[w.queue[at]]
		for e, other := range d.beside[t.near] {
			if t.borders>>e&1 != 0 {
				continue
			}
			if n := w.runIndex[other]; uint(n) < uint(len(list)) && list[n].near == other && !list[n].done {
				list[n].done = true
				w.queue = append(w.queue, n)
			}
		}
	}
}

// sheet raises the best depths to the sheet in the queue.
func (w *meshTile) sheet(d *meshDraw, list []runTriangle) {
	w.pieces = w.pieces[:0]
	flat := false
	for _, i := range w.queue {
		r := &list[i]
		if t := &d.near[r.near]; r.flat {
			flat = true
		} else if t.large < 0 {
			w.small(t)
		} else {
			w.large(&d.large[t.large])
		}
		if r.borders != 0 {
			p := d.corners(d.near[r.near].triangle)
			for e := range p {
				if r.borders>>e&1 != 0 {
					w.edge(p[e], p[(e+1)%3])
				}
			}
		}
	}
	depth.DrawTile(&w.far, w.pieces)
	if flat {
		for _, i := range w.queue {
			if list[i].flat {
				w.flat(d.corners(d.near[list[i].near].triangle))
			}
		}
	}
	w.least = depth.RaiseTile(&w.best, &w.far)
}

// raise raises the depth buffer to the best depths.
func (w *meshTile) raise(to *depth.Picture) {
	for y := int32(0); y <= w.y1; y++ {
		row := to.Row(int(w.y + y))[w.x:]
		for x, n := range w.best[y*tileSize:][:w.x1+1] {
			if n > ordered(row[x]) {
				row[x] = unordered(n)
			}
		}
	}
}

// clip returns the pixels of a rectangle that are in the tile, relative to its first pixel.
func (w *meshTile) clip(r pixelRect) pixelRect {
	return pixelRect{max(r.x0-w.x, 0), min(r.x1-w.x, w.x1), max(r.y0-w.y, 0), min(r.y1-w.y, w.y1)}
}
