package walk

import "github.com/zoctree/zoctree/soa"

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
	Convex   Convex   // of planes, and of a cell
	Oriented Oriented // of a cell of kind KindOriented
	Func     Func
}

// Lower returns the query of a volume in float64, valid until the next call. Boxes and balls are rounded outward, to
// unbounded where they leave the range of float32. A convex volume keeps its planes in the volume, and a turned cell
// keeps a pointer to it. It does not allocate.
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
	c.Convex.planes = from.Scaled()
	return &c.Convex
}

// Release drops pointers to the caller's memory.
func (c *Lowered) Release() { c.Convex.planes, c.Func.test = nil, nil }
