package walk

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/soa"
)

// Frustum is a query of a view frustum.
type Frustum struct {
	planes  [6][4]float32
	precise bool // whether the second test removes false positives
	size    size
}

// Facets returns the planes.
func (f *Frustum) Facets() *[6][4]float32 { return &f.planes }

// SetPrecise turns the second test on.
func (f *Frustum) SetPrecise() { f.precise = true }

// IsPrecise reports whether the second test is on.
func (f *Frustum) IsPrecise() bool { return f.precise }

// SetPlanes sets the planes, each rounded to float32 so that its largest component is in [1/8, 1/4).
func (f *Frustum) SetPlanes(planes *[6][4]float64) {
	for i := range planes {
		p := &f.planes[i]
		cull.ScalePlaneTo(p, &planes[i])
		if max(p[0], -p[0], p[1], -p[1], p[2], -p[2]) == 1./4 { // rounded up
			cull.ScalePlaneTo(p, &[4]float64{float64(p[0]), float64(p[1]), float64(p[2]), float64(p[3])})
		}
	}
}

// Begin takes a walk from the pool and prepares the frustum for the store.
func (f *Frustum) Begin(s *soa.Store) *Walk {
	w := take(s)
	w.volume.Shape = cull.ShapeFrustum
	w.volume.Planes.Set(&f.planes, &s.Near, &s.Extent)
	if f.precise {
		w.Separators.set(&w.volume.Planes, s.Near, s.Extent)
	}
	f.PrepareSize(&w.size)
	return w
}

// Lift writes the planes and the minimum size in float64.
func (f *Frustum) Lift(to *Volume) {
	to.Kind, to.Precise, to.N = KindFrustum, f.precise, len(f.planes)
	liftPlanes(to, f.planes[:])
	f.size.open(to)
}

// FilterExact removes objects rejected by the frustum's second test or by the filter from hit ranges of
// boxes that intersect the frustum.
func (f *Frustum) FilterExact(s *soa.Store, flt *Filter, ranges []asm.Range) []asm.Range {
	w := f.Begin(s)
	w.ranges = append(w.ranges[:0], ranges...)
	w.filterExact(flt)
	ranges = append(ranges[:0], w.ranges...)
	w.Release()
	return ranges
}
