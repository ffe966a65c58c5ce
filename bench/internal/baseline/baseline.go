// Package baseline implements frustum culling without the tree: a linear sweep with the SIMD kernels over all
// packets, and a plain loop over the objects. The tree is measured and checked against both.
package baseline

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Lens is a frustum in the form of each algorithm.
type Lens struct {
	Planes  [6][4]float32 // as given
	Frustum query.Frustum
	scaled  [6][4]float32
}

// NewLens prepares a frustum of finite planes.
func NewLens(planes [6][4]float32) (l Lens, err error) {
	l.Planes = planes
	if l.Frustum, err = query.FrustumPlanes(planes); err != nil {
		return l, err
	}
	for i, p := range planes {
		l.scaled[i] = cull.ScalePlane([4]float64{float64(p[0]), float64(p[1]), float64(p[2]), float64(p[3])})
	}
	return l, nil
}

// Sweep is linear SIMD frustum culling. The zero value is ready to use; it keeps its buffer.
type Sweep struct {
	volume cull.Volume
	ranges []asm.Range
}

// Append tests the boxes in all slots of a store and appends the IDs of those visible to the lens, in the
// order of slots and lanes.
func (w *Sweep) Append(dst []uint32, s *soa.Store, l *Lens) []uint32 {
	w.volume.Planes = cull.MakePlanes(&l.scaled, s.Near, s.Extent)
	w.ranges = w.volume.Scan(w.ranges[:0], s.Packets.Bounds, 0, len(s.Packets.Bounds))
	return cull.EmitIDs(dst, s.Packets.IDs, s.Packets.Counts, w.ranges)
}

// Scalar tests the objects one by one, as a program without an index does, and appends the indices of those
// visible to the lens.
func Scalar(dst []uint32, objects []soa.Object, extent [3]float32, l *Lens) []uint32 {
	planes := cull.MakePlanes(&l.scaled, extent, extent).Coef
next:
	for i := range objects {
		b := &objects[i].Box
		for k := range planes {
			n := &planes[k]
			x, y, z := b.Max[0], b.Max[1], b.Max[2] // the p-vertex
			if n[0] < 0 {
				x = b.Min[0]
			}
			if n[1] < 0 {
				y = b.Min[1]
			}
			if n[2] < 0 {
				z = b.Min[2]
			}
			if float32(float32(float32(n[0]*x)+float32(n[1]*y))+float32(n[2]*z))+n[3] < 0 {
				continue next
			}
		}
		dst = append(dst, uint32(i))
	}
	return dst
}
