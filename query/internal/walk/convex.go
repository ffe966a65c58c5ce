package walk

import (
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/soa"
)

// Convex is a query of a convex volume.
type Convex struct {
	planes [][4]float32 // scaled; immutable once made
}

// MakeConvex returns the volume of scaled planes, which it keeps.
func MakeConvex(planes [][4]float32) Convex { return Convex{planes} }

// Facets returns the planes, which must not be modified.
func (c *Convex) Facets() [][4]float32 { return c.planes }

// Begin takes a walk from the pool and prepares the planes for the store.
func (c *Convex) Begin(s *soa.Store) *Walk {
	w := take(s)
	w.volume.Shape = cull.ShapeConvex
	w.volume.Convex.Set(c.planes, s.Near, s.Extent)
	return w
}

// Lift writes the planes in float64.
func (c *Convex) Lift(to *Volume) {
	to.Kind, to.N = KindPlanes, len(c.planes)
	liftPlanes(to, c.planes)
}

func liftPlanes(to *Volume, planes [][4]float32) {
	for i := range planes {
		for k, x := range planes[i] {
			to.Planes[i][k] = float64(x)
		}
	}
}
