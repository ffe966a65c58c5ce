package occlude

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
)

// A mesh covers a pixel if some of its triangles are in it, and no edge where the mesh ends or turns over touches
// the pixel: coverage changes only there. In full, for any part K of the triangles, none of which is seen from the other side
// than the rest:
//
//	Let P be the square of a pixel, offSteps larger all around, and n(q) the number of triangles of K that cover the point q of the
//	grid. Orient them alike. An edge that two of them share, on either side of it, is passed once in each direction: the border of
//	K, as a chain, is made of the other edges alone, and n is its winding number. It is the same all over P, and a
//	little around, if no such edge touches P; and it is not 0 if a triangle of K that has an area touches P. Now move each corner
//	from where it was rounded to on the grid to where it is, in a straight line. No
//	point of an edge moves further than a corner does, offSteps: none passes through the square of the pixel
//	on the way, and the winding number of the border about each point of it is what it was. It is the degree
//	of K there: where it is not 0, some triangle covers the point.
//
// So rounding to the grid has done no harm, although it may have turned triangles over: K is chosen, and what touches P is
// found, on the grid, where all of it is exact. A triangle that is flat there may be in a part of either side.
//
// The depth of a pixel is the farthest of all triangles of K that touch P: each ray of the pixel passes one of
// them. The depth of a triangle is affine on the picture. A point of it in the pixel is a mean of the corners where
// they are, and has the depth of the same mean of the corners on the grid, which is at most offSteps from the
// pixel: so the plane over the grid, at its least in P, is a bound, and so is the farthest corner.
//
// Any part K will do: what ends at the near plane, or is not known well enough, is left out of it, and its
// neighbours have a border there. These are drawn, in each tile of the picture by itself, of the triangles that come near it:
//
//	run     triangles seen from the same side, as they follow by depth, up to a gap: all corners before it are nearer than all behind it, so
//	        no edge goes across
//	sheet   of a run what hangs together by edges, if it has borders in the tile
//
// A hill before a hill does not get the depth of the one behind, for they hang together elsewhere. A border in the tile is an edge
// at which the mesh ends or turns over: what is beyond another edge of K that touches P comes near the tile too, and is in K.
// Runs behind what hides the whole tile are not drawn.
//
// meshDraw is what drawing a mesh needs. Points and triangles are those of the mesh, in its order.
type meshDraw struct {
	mesh   *Mesh
	base   *asm.Picture // that is drawn in, too, unless nil
	points []meshPoint
	cut    bool    // some of these are away; not known of an open mesh
	kept   []bool  // of each part, whether it may come near the picture
	blocks []bool  // of each block of points, whether it is projected
	sides  []uint8 // of each triangle the sides from which it is drawn, and whether it is flat on the grid; 0 if it is not drawn

	near        []nearTriangle // those that come near the picture
	large       []largeTriangle
	beside      [][3]int32 // of each in near those beside it, by their places in near, or -1
	place       []int32    // of each triangle of the mesh its place in near, if it has one
	classes     depthClasses
	byDepth     []int32 // places in near by class, the nearest first
	list        []int32 // the same by tile, of tiles from first up to but not including last
	ends        []int32 // of each of these tiles, where its triangles end in the list
	first, last int
	room        int32 // of the list

	width, height int32      // of the picture
	across, tiles int        // tiles in a row, and all
	bands         []meshTile // of each goroutine
}

// nearTriangle is all that is asked of a triangle in each tile that it comes near to.
type nearTriangle struct {
	edges          [3]edgeStep // if it is small
	large          int32       // place in large, or -1
	triangle       int32
	nearest        int32 // depth of a corner
	farthest       int32 // the same
	x0, y0         int16 // the first pixel that it touches, of a small one
	width, height  uint8 // the same, less 1
	sides, borders uint8 // edge i is a border of what is seen clockwise if bit i is set, counterclockwise if bit i + 3
}

// edgeStep is the number of an edge, see triangle, at the first pixel, where it is largest on it, and what it becomes from one pixel to the next.
type edgeStep struct{ at, right, down int32 }

// largeTriangle is one that touches more pixels than a small one.
type largeTriangle struct {
	p          [3]meshPoint // clockwise
	r          pixelRect    // that it touches
	px, py, p0 float32      // its plane
}

// Sides from which a triangle is seen, as bits. One that is flat on the grid is in parts of all sides that are drawn, and covers nothing.
const (
	clockwise = 1 << iota
	counterclockwise
	flatOnGrid
	bothSides = clockwise | counterclockwise
)

// DrawMesh draws a mesh until the next Look, under a pose; the zero Pose leaves it as it is. Poses of any kind will do.
//
// A triangle that reaches before the near plane is left out, and so is one of which a corner is
// more than 2^20 pixels beside the picture: the mesh ends there. What covers no whole pixel is lost. A pixel
// gets the depth of the farthest triangle in it of those that hang together near it. A closed mesh is drawn as the side that is seen.
//
// It costs a fixed time for each 64 triangles, as they follow, some more for each of these if their box is in the frustum, and more
// for one that is near the picture, and for each pixel of it. It allocates while meshes grow.
func (e *Culler) DrawMesh(m *Mesh, at linear.Transform) {
	e.looking()
	defer phase.Enter(phase.Draw).Leave() // workers start in it
	d := &e.mesh
	if len(m.triangles) == 0 || !d.project(&e.frame, m, &at) {
		return
	}
	d.resize(e.frame.width, e.frame.height, e.cfg.Workers)
	if d.sort(m, d.seenSides(&e.frame, m, &at)); len(d.near) > 0 {
		e.forHand()
		e.draw() // what waits belongs to the same pictures
		e.clear()
		d.base = e.baseToo()
		e.open, e.flat = false, true
		e.byHand++
		for d.first = 0; d.first < d.tiles; d.first = d.last {
			d.bin()
			e.inBands((*Culler).drawMeshTiles)
		}
	}
	d.mesh, d.base = nil, nil // kept no longer than it is drawn
}

// drawMeshTiles draws the mesh in the tiles of a goroutine.
func (e *Culler) drawMeshTiles(i int) {
	d := &e.mesh
	n, tiles := e.cfg.Workers, d.last-d.first
	for tile := d.first + i*tiles/n; tile < d.first+(i+1)*tiles/n; tile++ {
		d.bands[i].draw(d, tile, &e.picture)
	}
}

// seenSides returns the sides from which the mesh is drawn: what is seen of a closed one is what is seen from outside, where it is
// counterclockwise.
func (d *meshDraw) seenSides(f *frame, m *Mesh, pose *linear.Transform) uint8 {
	if d.cut || m.counts.Borders+m.counts.Forks > 0 {
		return bothSides
	}
	mirrored := dot(f.dx, cross(f.dy, f.d0)) < 0
	if !pose.AtMost(linear.TransformTranslation) {
		var rows [12]float64
		pose.ReadRows(&rows)
		x, y, z := [3]float64(rows[0:3]), [3]float64(rows[4:7]), [3]float64(rows[8:11])
		mirrored = mirrored != (dot(x, cross(y, z)) < 0)
	}
	if mirrored {
		return clockwise
	}
	return counterclockwise
}

// area returns twice the area of a triangle on the grid, above 0 if it is clockwise as seen, for rows go
// downwards.
func area(a, b, c *meshPoint) int64 {
	return int64(b.x-a.x)*int64(c.y-a.y) - int64(c.x-a.x)*int64(b.y-a.y)
}

// corners returns those of a triangle.
func (d *meshDraw) corners(k int32) [3]*meshPoint {
	t := &d.mesh.triangles[k]
	return [3]*meshPoint{&d.points[t[0]], &d.points[t[1]], &d.points[t[2]]}
}
