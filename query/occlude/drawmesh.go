package occlude

import (
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
)

// meshDraw holds the state and the buffers for rasterizing a mesh. Points and triangles have the
// order of the mesh.
//
// A part K of the mesh is drawn at a time. K covers a pixel if some of its triangles touch the pixel, and no
// edge where K ends or turns over touches it: coverage changes only at these edges. The depth of the pixel is
// the depth of the farthest triangle of K that touches it.
//
// # Proof
//
// Coverage, for any part K of the triangles that all face the same side:
//
// Let P be the square of a pixel, offSteps larger on all sides, and n(q) the number of triangles of K that
// cover the point q of the grid. Orient them alike. An edge shared by two of them, on either side of it, is
// passed once in each direction. So the border of K, as a chain, consists of the other edges alone, and n is
// its winding number. n is constant all over P, and a little around, if no such edge touches P; and n is not
// 0 if a triangle of K that has an area touches P. Now move each corner in a straight line from its rounded
// position on the grid to its exact position. No point of an edge moves farther than a corner does, offSteps:
// no edge passes through the square of the pixel on the way, and the winding number of the border about each
// point of the square is unchanged. It is the degree of K there: where it is not 0, some triangle covers the
// point.
//
// So rounding to the grid is harmless, although it may turn triangles over: K is chosen, and the triangles
// that touch P are found, on the grid, where all of it is exact. A triangle that is flat there may be in a
// part of either side.
//
// Depth: each ray of the pixel passes a triangle of K that touches P. The depth of a triangle is affine on
// the image. A point of it in the pixel is a weighted mean of the exact corners, and has the depth of the
// same mean of the corners on the grid, which is at most offSteps from the pixel. So the minimum over P of
// the plane over the grid is a bound, and so is the depth of the farthest corner.
//
// # Choice of parts
//
// Any part K is valid. Triangles that end at the near plane, or are not precise enough, are left out of it,
// and their neighbours have a border there. Each tile of the image draws these parts of the triangles that
// are near it:
//
//	run     triangles that face the same side and follow by depth, up to a gap: all corners before it are
//	        nearer than all behind it, so no edge crosses it
//	sheet   a component of a run connected by edges, if the run has borders in the tile
//
// So a hill before another hill does not get the depth of the one behind, for they are connected elsewhere. A
// border in the tile is an edge at which the mesh ends or turns over: a triangle beyond another edge of K
// that touches P is near the tile too, and is in K. Runs behind depths that hide the whole tile are not
// drawn.
type meshDraw struct {
	mesh   *Mesh
	base   *depth.Picture // a second buffer to draw in, unless nil
	points []meshPoint
	cut    bool    // some of the points are away; unknown for an open mesh
	kept   []bool  // of each part, whether it may be near the image
	blocks []bool  // of each block of points, whether it is projected
	sides  []uint8 // of each triangle the drawn sides, and whether it is flat on the grid; 0 if it is not drawn

	near        []nearTriangle // triangles near the image
	large       []largeTriangle
	beside      [][3]int32 // of each triangle in near its neighbours, by their indices in near, or -1
	nearIndex   []int32    // of each triangle of the mesh its index in near, if it has one
	classes     depthClasses
	byDepth     []int32 // indices in near by class of depth, the nearest first
	list        []int32 // the same by tile, of the tiles from first up to but not including last
	ends        []int32 // of each of the tiles, the end of its triangles in list
	first, last int
	room        int32 // maximum length of list

	width, height int32      // of the depth buffer
	across, tiles int        // tiles in a row, and in total
	bands         []meshTile // of each worker
}

// nearTriangle holds the data of a triangle that its tiles read.
type nearTriangle struct {
	edges          [3]edgeStep // if it is small
	large          int32       // index in large, or -1
	triangle       int32
	nearest        int32 // depth of the nearest corner
	farthest       int32 // depth of the farthest corner
	x0, y0         int16 // first touched pixel of a small triangle
	width, height  uint8 // size of the touched rectangle of a small triangle, less 1
	sides, borders uint8 // edge i is a border of the clockwise side if bit i is set, of the other side if bit i+3 is
}

// edgeStep is an edge function, see meshpixels.go, at the corner of the first pixel where it is largest, and
// its steps per pixel.
type edgeStep struct{ at, right, down int32 }

// largeTriangle is a triangle that touches more pixels than a small one.
type largeTriangle struct {
	p          [3]meshPoint // clockwise
	r          pixelRect    // the touched pixels
	px, py, p0 float32      // its plane of depth
}

// Sides from which a triangle is seen, as bits. A triangle that is flat on the grid belongs to all drawn
// sides, and covers nothing.
const (
	clockwise = 1 << iota
	counterclockwise
	flatOnGrid
	bothSides = clockwise | counterclockwise
)

// DrawMesh draws a triangle mesh as an occluder until the next SetCamera, under a transform; the zero
// Transform leaves it unchanged. Transforms of any kind are supported.
//
// A triangle that extends before the near plane is left out, and so is a triangle with a corner more than
// 2^20 pixels outside the image: the mesh ends there. A surface that covers no whole pixel hides nothing. A
// pixel gets the depth of the farthest triangle in it among the triangles that are connected near it. Of a
// closed mesh only the side that is visible from outside is drawn.
//
// The cost is a fixed time for each 64 consecutive triangles, more for each of them if their box is in the
// frustum, and more for each triangle near the image and for each of its pixels. It allocates while meshes
// grow.
func (c *Culler) DrawMesh(m *Mesh, transform linear.Transform) {
	c.checkCamera()
	defer phase.Enter(phase.Draw).Leave() // workers start in this phase
	b := &c.buffer
	b.forHand()
	if b.addMesh(m, (*xform.Transform)(&transform), 0) {
		b.byHand++
	}
}

// addMesh draws a mesh, among the occluders of trees or of the program, as the waiting cones are. off bounds
// the error of the transform. It reports whether a triangle is near the image.
func (b *buffer) addMesh(m *Mesh, p *xform.Transform, off float64) bool {
	d := &b.mesh
	if len(m.triangles) == 0 || !d.project(b.frame, m, p, off) {
		return false
	}
	d.resize(b.frame.width, b.frame.height, b.workers)
	d.sort(m, d.visibleSides(b.frame, m, p))
	near := len(d.near) > 0
	if near {
		b.draw() // waiting cones belong to the same buffers
		b.clear()
		d.base = b.baseToo()
		b.open, b.flat = false, true
		for d.first = 0; d.first < d.tiles; d.first = d.last {
			d.bin()
			b.team.Run(b.workers, b.drawTiles, nil)
		}
	}
	d.mesh, d.base = nil, nil // held no longer than it is drawn
	return near
}

// drawMeshTiles draws the mesh in the tiles of a worker.
func (b *buffer) drawMeshTiles(i int) {
	d := &b.mesh
	n, tiles := b.workers, d.last-d.first
	for tile := d.first + i*tiles/n; tile < d.first+(i+1)*tiles/n; tile++ {
		d.bands[i].draw(d, tile, &b.picture)
	}
}

// visibleSides returns the sides from which the mesh is drawn. A closed mesh is visible from outside only, where
// its triangles are counterclockwise.
func (d *meshDraw) visibleSides(f *frame, m *Mesh, transform *xform.Transform) uint8 {
	if d.cut || m.counts.BoundaryEdges+m.counts.NonManifoldEdges > 0 {
		return bothSides
	}
	mirrored := dot(f.dx, cross(f.dy, f.d0)) < 0
	if !transform.AtMost(xform.Translation) {
		var rows [12]float64
		transform.ReadRows(&rows)
		mirrored = mirrored != isMirrored(&rows)
	}
	if mirrored {
		return clockwise
	}
	return counterclockwise
}

// area returns twice the area of a triangle on the grid. It is above 0 if the triangle is clockwise on the
// image, whose rows go downwards.
func area(a, b, c *meshPoint) int64 {
	return int64(b.x-a.x)*int64(c.y-a.y) - int64(c.x-a.x)*int64(b.y-a.y)
}

// corners returns the projected corners of a triangle.
func (d *meshDraw) corners(k int32) [3]*meshPoint {
	t := &d.mesh.triangles[k]
	return [3]*meshPoint{&d.points[t[0]], &d.points[t[1]], &d.points[t[2]]}
}
