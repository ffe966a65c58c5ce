package occlude

import (
	"math"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Shape is the occluder geometry of an object, or of a part of a scene: its hull, its mesh, or both. A
// [Culler] draws the shapes of the objects that were large and visible in its last queries, so the program
// draws none of them by hand. See [Culler.SetShapes]. The zero Shape does not occlude.
//
// The surface of a shape must be opaque. It should lie inside the box of the object, because that box
// decides whether the shape is drawn. A Shape shares the memory of its hull and mesh, so any number of
// objects may have the same ones.
type Shape struct {
	Hull *Hull // occludes unless nil
	Mesh *Mesh // occludes unless nil

	// Transform maps hull and mesh to the space of the tree or of the part. Set it when the object moves.
	Transform linear.Transform

	// Bounds makes the oriented box of the object occlude as well, or its box if it has neither an oriented
	// box nor a sphere. It has no effect on parts.
	Bounds bool

	// Object, unless zero, is the handle of the object that has the shape. Another object with the same ID,
	// after the removal of the first, then does not occlude by this shape. It has no effect on parts.
	Object linear.Handle
}

// weightTriangles is the number of triangles of a mesh that count as much as one box or hull.
const weightTriangles = 64

// weight returns the share of a shape in Config.MaxOccluders; 0 if it does not occlude.
func (s *Shape) weight() (n int32) {
	if s.Bounds {
		n++
	}
	if s.Hull != nil {
		n++
	}
	if s.Mesh != nil {
		n += 1 + int32(len(s.Mesh.triangles)/weightTriangles)
	}
	return n
}

// SetShapes makes the objects of a tree occlude by their own shapes, for all later queries of trees and of
// the objects of scenes that are in no part. An object occludes if its mask has a bit of
// Config.OccluderMask and it has a shape, by the shape alone. With nil, the default, objects occlude by
// their bounds.
//
//	var shapes linear.Column[occlude.Shape]
//	shapes.Set(id, occlude.Shape{Hull: &hull, Transform: at, Object: handle})
//	culler.SetShapes(&shapes)
//
// A query draws the shapes that were large and visible in the same query of the last frame, at their
// current positions. Without such a memory, after New, Reset or a turn of the camera, it first draws the
// largest ones near the camera. It then draws large visible shapes that the first pass has found. At most
// Config.MaxOccluders are drawn each time, the largest on the image first; a mesh counts once, and once
// more for each 64 triangles. Only the last one may exceed this number.
//
// The column is indexed by the IDs of the queried tree. If there are several trees, set the column of each
// before its query. The Culler reads the column during queries and keeps the pointer. If the column changes
// while the tree does not, begin a new frame: shapes that were drawn in the frame stay in the depth buffer.
// SetShapes itself takes constant time, and no query allocates for shapes after the first frames. (Source:
// J. Shagam and J. Pfeiffer 2003, section 3.2.)
func (c *Culler) SetShapes(objects *linear.Column[Shape]) {
	c.checkNotBusy()
	c.shapes = objects
}

// SetPartShapes makes parts of scenes occlude as a whole by shapes of their own, for all later queries of
// scenes. The column is indexed by the numbers of parts ([linear.SceneView.Parts]); the shape is in the
// space of the part. It is drawn for each instance that is large and visible, if the masks of all instances
// on its path have a bit of Config.OccluderMask. The scene itself, part 0, has no shape.
//
// The objects in parts occlude by their bounds, independent of part shapes. The rules of [Culler.SetShapes]
// apply otherwise. Part numbers change when a part gets its first instance or loses its last one.
func (c *Culler) SetPartShapes(parts *linear.Column[Shape]) {
	c.checkNotBusy()
	c.parts = parts
}

// ownShapes holds the columns of shapes; nil if objects occlude by their bounds, and parts not at all.
type ownShapes struct {
	shapes, parts *linear.Column[Shape]
	composed      xform.Transform // of the mesh that is drawn
}

// wholePart is the location of a candidate that is an instance with a part shape.
const wholePart = soa.NoLocation

// shapeOf returns the shape of an object, or of the part of an instance; nil if it has none.
func (c *Culler) shapeOf(at int32, id uint32, location soa.Location) *Shape {
	of, key := c.shapes, id
	if location == wholePart {
		of, key = c.parts, c.instances[at].part
	} else if at != 0 {
		return nil
	}
	if of == nil || uint64(key) >= uint64(of.Len()) {
		return nil
	}
	s := &of.Values()[key]
	if s.Object.Gen != 0 && location != wholePart {
		slot, lane, ok := c.instances[at].objects.LocateHandle(s.Object)
		if !ok || soa.MakeLocation(slot, lane) != location {
			return nil
		}
	}
	return s
}

// weightOf returns the weight of a candidate, 0 if it does not occlude.
func (c *Culler) weightOf(at int32, id uint32, location soa.Location) int32 {
	if location != wholePart && (at != 0 || c.shapes == nil) {
		return 1
	}
	if s := c.shapeOf(at, id, location); s != nil {
		return s.weight()
	}
	return 0
}

// hasPartShape reports whether an instance may occlude by the shape of its part.
func (c *Culler) hasPartShape(at int32) bool {
	s := &c.instances[at]
	return c.parts != nil && at > 0 && s.occluders && s.sighted && c.weightOf(at, 0, wholePart) > 0
}

// addPart adds an instance with a part shape to the candidates, if it is large enough.
func (c *Culler) addPart(at int32) {
	if !c.hasPartShape(at) {
		return
	}
	s := &c.instances[at]
	bounds := s.view.Bounds()
	var one soa.Packet
	for a := range 3 {
		one[2*a][0], one[2*a+1][0] = bounds.Min[a], bounds.Max[a]
	}
	var areas [soa.Lanes]float32
	if cull.VisibleAreas(&areas, &one, 1, &s.lens, &c.buffer.picture); areas[0] >= c.cfg.minPixels(&c.frame) {
		c.candidates = append(c.candidates, candidate{areas[0], s.id, wholePart, at})
	}
}

// drawShape draws the hull and the mesh of a shape in an instance.
func (c *Culler) drawShape(s *Shape, at int32) {
	b, own := &c.buffer, (*xform.Transform)(&s.Transform)
	if s.Hull != nil {
		b.hull.setIn(&c.frame, s.Hull, own, c.instances, at)
		b.add(c.frame.hullCone(b.next(), &b.hull))
		b.hull.hull = nil // holds memory of the caller
	}
	if s.Mesh == nil {
		return
	}
	m := phase.Enter(phase.Draw)
	if at == 0 {
		b.addMesh(s.Mesh, own, 0)
	} else if off, ok := c.compose(own, c.instances, at, s.Mesh.size); ok {
		b.addMesh(s.Mesh, &c.composed, off)
	}
	m.Leave()
}

// compose sets o.composed to a transform followed by those of an instance and of all around it. off bounds
// the error of the image of a point with coordinates of at most size; ok is false if there is no such
// transform in float64.
//
// Each composition rounds an element by at most 2^-50 of the sum of its absolute terms, and there are at
// most [linear.MaxDepth] of them: together less than 2^-46 of the largest coordinate that the absolute
// values of all elements give.
func (o *ownShapes) compose(own *xform.Transform, instances []instance, at int32, size float64) (off float64, ok bool) {
	o.composed = *own
	most, rounded := [3]float64{size, size, size}, false
	var rows [12]float64
	grow := func(t *xform.Transform) {
		t.ReadRows(&rows)
		was := most
		for i := range 3 {
			most[i] = float64(math.Abs(rows[4*i])*was[0]) + float64(math.Abs(rows[4*i+1])*was[1]) +
				float64(math.Abs(rows[4*i+2])*was[2]) + math.Abs(rows[4*i+3])
		}
	}
	if !own.AtMost(xform.Identity) {
		grow(own)
	}
	for s := &instances[at]; s.transform != nil; s = &instances[s.in] {
		if s.transform.AtMost(xform.Identity) {
			continue
		}
		grow(s.transform)
		if o.composed.AtMost(xform.Identity) {
			o.composed = *s.transform
			continue
		}
		o.composed.Compose(s.transform, &rows)
		if fault, _ := o.composed.Set(&rows); fault != xform.None {
			return 0, false
		}
		rounded = true
	}
	if !rounded {
		return 0, true
	}
	return float64(0x1p-46 * biggest(most)), true
}

// setIn makes p a hull under its transform, in an instance.
func (p *hullPoints) setIn(f *frame, h *Hull, own *xform.Transform, instances []instance, at int32) {
	if at == 0 {
		p.set(f, h, own)
		return
	}
	p.hull, p.mirrored, p.off = h, false, 0
	largest := 0.0
	for i, q := range h.points {
		largest = max(largest, sum(q))
		p.points[i] = own.Point(q)
	}
	if own.Kind() > xform.Identity {
		rows := own.Rows()
		_, most := own.Stretch()
		shift := max(math.Abs(rows[3]), math.Abs(rows[7]), math.Abs(rows[11]))
		p.off = float64(0x1p-48 * (float64(most*largest) + shift))
		p.mirrored = isMirrored(&rows)
	}
	p.image(f, instances, at)
}

// isMirrored reports whether rows of a transform reverse the orientation.
func isMirrored(m *[12]float64) bool {
	x, y, z := [3]float64(m[0:3]), [3]float64(m[4:7]), [3]float64(m[8:11])
	return dot(x, cross(y, z)) < 0
}
