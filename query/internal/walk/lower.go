package walk

import (
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/soa"
)

// Query is a volume query. It is passed by pointer: a copy of values that have just been written would
// stall on store forwarding.
type Query interface {
	// Begin takes a walk from the pool and prepares the volume for a store.
	Begin(s *soa.Store) *Walk

	// Lift writes the volume in float64.
	Lift(to *Volume)
}

// Lowered is storage for a query of any kind: Lower writes the field for the kind of a [Volume].
type Lowered struct {
	Frustum  Frustum
	Box      Box
	Point    Point // for the caller: Lower makes none
	Sphere   Sphere
	Convex   Convex   // for the caller: Lower makes none
	Planes   planes   // of planes, and of a cell
	Oriented Oriented // of a cell of kind KindOriented
	Func     Func
}

// Lower returns the query of a volume in float64, valid until the next call. Boxes and balls are rounded outward, to
// unbounded where they leave the range of float32. Planes, cells and turned cells keep a pointer to the volume. It
// does not allocate.
func (c *Lowered) Lower(from *Volume) Query {
	switch from.Kind {
	case KindFrustum:
		c.Frustum.precise = from.Precise
		c.Frustum.size.close(from)
		copy(c.Frustum.planes[:], from.Scaled())
		return &c.Frustum
	case KindBox:
		least, most := from.Outward()
		c.Box.box.Set(&least, &most)
		return &c.Box
	case KindBall:
		c.Sphere.sphere = from.Sphere()
		return &c.Sphere
	case KindFunc:
		least, most := from.Outward()
		c.Func.Set(&least, &most, from.Test)
		return &c.Func
	case KindOriented:
		if c.Oriented.cell = from; from.Plain {
			c.Oriented = Oriented{box: from.Oriented}
		}
		return &c.Oriented
	}
	c.Planes.volume, c.Planes.prepared = from, nil
	return &c.Planes
}

// Prepared returns the query of a walk that the caller owns, whose volume has been prepared for a store: planes. It
// keeps the pointer.
func (c *Lowered) Prepared(w *Walk) Query {
	c.Planes.prepared = w
	return &c.Planes
}

// Release drops pointers to the caller's memory.
func (c *Lowered) Release() {
	c.Convex.planes, c.Planes.volume, c.Planes.prepared, c.Func.test = nil, nil, nil, nil
}

// planes is a query of a volume of planes, or of a cell, or of prepared planes.
type planes struct {
	volume   *Volume
	prepared *Walk // if not nil
}

// Begin takes a walk from the pool and prepares the planes for the store.
func (p *planes) Begin(s *soa.Store) *Walk {
	if p.prepared != nil {
		return p.prepared.reset(s)
	}
	w := take(s)
	w.volume.Shape = cull.ShapeConvex
	p.volume.SetConvex(&w.volume.Convex, s)
	return w
}

// Lift writes the scaled planes in float64; of prepared ones, those that contain the volume.
func (p *planes) Lift(to *Volume) {
	if w := p.prepared; w != nil {
		c := &w.volume.Convex
		to.Kind, to.N = KindPlanes, c.N
		liftPlanes(to, c.Coef[:c.N])
		return
	}
	scaled := p.volume.Scaled()
	to.Kind, to.N = KindPlanes, len(scaled)
	liftPlanes(to, scaled)
}
