package occlude

import (
	"slices"

	"math"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// Rays are the rays through the picture, as used for drawing: see frame.
type Rays struct {
	Width, Height   int
	Parallel        bool
	Ref, D0, DX, DY [3]float64
	Limit           float64
}

// Rays returns the rays of the last SetCamera.
func (c *Culler) Rays() Rays {
	f := &c.frame
	return Rays{f.width, f.height, f.parallel, f.ref, f.d0, f.dx, f.dy, f.limit}
}

// Recall sets the memory of a query for a test.
func (c *Culler) Recall(number int, places []soa.Location, ids []uint32) {
	list := c.memories(false)
	for len(*list) <= number {
		*list = append(*list, memory{})
	}
	m := &(*list)[number]
	m.objects, m.paths = nil, []pathStart{{}}
	for i := range places {
		m.objects = append(m.objects, remembered{places[i], ids[i]})
	}
}

// Remembered returns the IDs in the memory of a query.
func (c *Culler) Remembered(number int) (ids []uint32) {
	if number < len(c.memory[0]) {
		for _, r := range c.memory[0][number].objects {
			ids = append(ids, r.id)
		}
	}
	return ids
}

// Memories returns the number of queries of trees and of scenes that have a memory.
func (c *Culler) Memories() int { return len(c.memory[0]) + len(c.memory[1]) }

// LensAt returns the lens of the part at the end of a path, and whether it is used.
func (c *Culler) LensAt(v linear.SceneView, path scene.Path) (cull.Lens, bool) {
	if c.scene == nil {
		c.scene = newSceneWalk()
	}
	c.target = target{v.Objects(), v, true}
	c.enterTarget(&c.frame, &c.frame.frustum, true, c.cfg.OccluderMask != 0)
	depth := c.follow(path, 0)
	l := &c.scene.levels[depth]
	return l.lens, l.sighted && depth == path.Len()
}

// RememberedIn returns the paths in the memory of a scene query.
func (c *Culler) RememberedIn(number int) (paths []scene.Path) {
	if number < len(c.memory[1]) {
		m := &c.memory[1][number]
		for i, p := range m.paths {
			end := len(m.objects)
			if i+1 < len(m.paths) {
				end = m.paths[i+1].start
			}
			for range end - p.start {
				paths = append(paths, p.path)
			}
		}
	}
	return paths
}

// CornersAt returns the corners of a box of the part at the end of a path as they are drawn, relative to
// the viewpoint, the error bound of each, and whether the part is mirrored.
func (c *Culler) CornersAt(v linear.SceneView, path scene.Path, box soa.AABB) (points [8][3]float64, off float64, mirrored bool) {
	c.LensAt(v, path)
	p := &c.buffer.hull
	p.setImage(&c.frame, c.instances, int32(len(c.instances)-1), &box, nil)
	return [8][3]float64(p.points[:8]), p.off, p.mirrored
}

// SetMeshRoom sets how many triangles of tiles are listed at a time.
func (c *Culler) SetMeshRoom(n int) { c.buffer.mesh.room = int32(n) }

// Whole returns the mesh with parts that are never rejected as outside of a picture.
func (m *Mesh) Whole() *Mesh {
	whole := *m
	whole.parts = slices.Clone(m.parts)
	for i := range whole.parts {
		whole.parts[i].half = [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	}
	return &whole
}

// KeptParts returns the number of parts of the mesh drawn last, and the number of these that were not
// rejected.
func (c *Culler) KeptParts() (parts, kept int) {
	for _, k := range c.buffer.mesh.kept {
		if k {
			kept++
		}
	}
	return len(c.buffer.mesh.kept), kept
}

// MeshCorner is a corner of a mesh on the grid of the picture; Away if it is not used.
type MeshCorner struct {
	X, Y  int32
	Depth float32
	Away  bool
}

// Corners projects the corners of a mesh, in the order of their use.
func (c *Culler) Corners(m *Mesh, at linear.Transform) (all []MeshCorner) {
	if !c.buffer.mesh.project(&c.frame, m, (*xform.Transform)(&at), 0) {
		return nil
	}
	for i, p := range c.buffer.mesh.points {
		all = append(all, MeshCorner{p.x, p.y, unordered(p.z), p.x == away || !c.buffer.mesh.blocks[i>>blockBits]})
	}
	return all
}

// GridSteps returns the number of steps of the grid in a pixel, and the error bound of a corner in steps.
const (
	GridSteps = steps
	GridOff   = offSteps
)

// MeshPlane returns the bounding depth plane of a triangle of the grid: px*x + py*y + p0 from its first
// column and row on; flat if only the depth of the farthest corner is used.
func MeshPlane(corners [3]MeshCorner) (px, py, p0 float32, flat bool) {
	var p [3]meshPoint
	for i, c := range corners {
		p[i] = meshPoint{c.X, c.Y, ordered(c.Depth)}
	}
	r := touched(min(p[0].x, p[1].x, p[2].x), max(p[0].x, p[1].x, p[2].x), min(p[0].y, p[1].y, p[2].y), max(p[0].y, p[1].y, p[2].y))
	px, py, p0 = planeOf(&p[0], &p[1], &p[2], &r)
	return px, py, p0, math.IsInf(float64(p0), -1)
}

// SetPicture sets all pixels to a function of their position, before any query.
func (c *Culler) SetPicture(depth func(x, y int) float32) {
	for y := range c.frame.height {
		row := c.buffer.picture.Row(y)
		for x := range c.frame.width {
			row[x] = depth(x, y)
		}
	}
}

// Touched returns the first and the last column that a point of the grid touches.
func Touched(x int32) (x0, x1 int32) {
	r := touched(x, x, 0, 0)
	return r.x0, r.x1
}

// BoxCones makes the cone of a box by a kernel and by Go alone.
func (c *Culler) BoxCones(b *soa.AABB) (kernel, plain depth.Cone, drawn, drawnPlain bool) {
	drawn = c.frame.boxCone(&kernel, b)
	drawnPlain = c.frame.boxConeGo(&plain, b)
	return kernel, plain, drawn, drawnPlain
}

// ConeUnknown reports whether no kernel makes the cone of a box.
func (c *Culler) ConeUnknown(b *soa.AABB) bool {
	var cone depth.Cone
	_, state := depth.BoxCone(&cone, b, &c.frame.boxes)
	return c.frame.parallel || state == depth.ConeUnknown
}

// PlaceOf returns the location of an object.
func (c *Culler) PlaceOf(v linear.View, id uint32) (slot uint32, lane int) {
	for slot, ids := range v.Store().Packets.IDs {
		if lane := slices.Index(ids[:v.Store().Packets.Counts[slot]], id); lane >= 0 {
			return uint32(slot), lane
		}
	}
	return 0, -1
}

// Outline returns the sides and fronts of an oriented box, or of a sphere if the box is nil, under a transform,
// as functions of the image; nil if there is no outline.
func (c *Culler) Outline(box *soa.OrientedBox, ball *[4]float32, transform linear.Transform) (sides, fronts []func(x, y float64) float64) {
	instances := []instance{{in: -1}, {transform: (*xform.Transform)(&transform)}}
	var s solid
	if box != nil {
		s.setBox(&c.frame, instances, 1, box)
	} else {
		s.setBall(&c.frame, instances, 1, ball)
	}
	o := &outline{frame: &c.frame}
	if !o.add(&s) {
		return nil, nil
	}
	of := func(list []affine) (all []func(x, y float64) float64) {
		for _, f := range list {
			all = append(all, func(x, y float64) float64 { return f.most(x, x, y, y) })
		}
		return all
	}
	return of(o.sides[:o.nSides]), of(o.fronts[:o.nFronts])
}
