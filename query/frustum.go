package query

import (
	"iter"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// Frustum is a view frustum, or any convex volume of six planes, for frustum culling. Make one
// with [FrustumPlanes], [FrustumColumnMajor], [FrustumRowMajor] or [Camera.Frustum].
// [Frustum.MinSize] excludes objects that are small on the screen. The zero value contains
// everything.
//
// A box is reported unless it lies behind one of the planes: for each plane the test takes the
// corner furthest along the normal, the p-vertex. This keeps every box that intersects the
// frustum, and some boxes near its corners and edges that do not; [Frustum.Precise] removes these.
// The answer is the same on every CPU.
//
// # Rounding
//
// The test is evaluated as
//
//	((nx*x + ny*y) + nz*z) + d >= 0
//
// in float32. Before, each plane is scaled by the power of two that brings the largest component
// of its normal into [1/8, 1/4), and its d is raised to
//
//	d + 6u*S + 2^-148*(X + Y + Z + 1)    S = |nx|*X + |ny|*Y + |nz|*Z + |d|
//
// rounded up, with u = 2^-24. For boxes within the near bounds ([linear.Tree.Key]), X, Y, Z are
// the largest |x|, |y|, |z| of the near objects; for other boxes they are the largest of all objects. So
// an object far away or gigantic makes no plane less precise for the others. [cull.ScalePlane] and
// [cull.MakePlanes] state the details. Where no coordinate reaches 2^-64 the scaled plane is
// multiplied by a second power of two, m, which brings the component into [2^61, 2^62), and
// 2^-149*m replaces 2^-148.
//
// The raise exceeds all rounding errors, including rounding by the scaling, so there are no false
// negatives in exact arithmetic. A box that is kept beyond a plane has at its p-vertex, in the
// scale of [1/8, 1/4) and in exact arithmetic,
//
//	nx*x + ny*y + nz*z + d >= -(14u*S + 2^-146*(X + Y + Z + 1))
//
// where the second term matters only for numbers that are nearly denormal.
type Frustum walk.Frustum

// q returns the query of the frustum.
func (f *Frustum) q() *walk.Frustum { return (*walk.Frustum)(f) }

// FrustumPlanes returns the frustum of six planes {nx, ny, nz, d}, whose inside is
// nx*x + ny*y + nz*z + d >= 0. Normals need not have length 1. A plane without normal contains
// everything if d >= 0, else nothing. NaN or infinity is an error.
func FrustumPlanes(planes [6][4]float32) (f Frustum, err error) {
	for i := range planes {
		p := &planes[i]
		if !isFinite(p[0]) || !isFinite(p[1]) || !isFinite(p[2]) || !isFinite(p[3]) {
			return Frustum{}, infinitePlane(i, *p)
		}
		cull.ScalePlaneTo(&f.q().Facets()[i], &[4]float64{float64(p[0]), float64(p[1]), float64(p[2]), float64(p[3])})
	}
	return f, nil
}

// set sets f to the frustum of the planes.
func (f *Frustum) set(planes *[6][4]float64) error {
	for i := range planes {
		if err := finitePlane(i, &planes[i]); err != nil {
			*f = Frustum{}
			return err
		}
	}
	f.q().SetPlanes(planes)
	return nil
}

// Planes returns the six planes {nx, ny, nz, d} of the frustum, whose inside is
// nx*x + ny*y + nz*z + d >= 0, in the order given to [FrustumPlanes]. The order for a camera or a
// matrix is left, right, bottom, top, near, far.
//
// The planes are as tested, before d is raised: in float32, relative to the origin if one
// was given, and scaled by the power of two stated at [Frustum], so normals do not have length 1.
// A missing plane, such as the far plane of an infinite projection, has the normal 0.
// FrustumPlanes makes the same frustum from them, bit by bit, without [Frustum.Precise] and
// without the depth of [Frustum.MinSize]. It costs a copy.
func (f Frustum) Planes() [6][4]float32 { return *f.q().Facets() }

// Append appends the IDs of the objects in the frustum to dst and returns it. It allocates only
// when dst lacks room for the answer and 16 more.
//
// The order is a breadth-first walk: first the subtrees and packets wholly inside, then
// the packets on the border, with the pending ones first. Where the border crosses most packets,
// and in trees of up to eight slots, the walk is replaced by a scan of all slots in ascending
// order. So the order is a function of the changes made to the tree so far, of the frustum, and of
// the filter, which prunes the walk. It is equal on every CPU.
//
// Cost: proportional to the packets that the border crosses, and to the answer; never more than
// about a scan of all packets.
func (f Frustum) Append(dst []uint32, v linear.View, flt Filter) []uint32 {
	var keep walk.Filter
	s := v.Store()
	flt.prepare(&keep)
	flt.resolve(v, &keep)
	return (*walk.Frustum)(&f).Begin(s).Append(dst, &keep)
}

// Count returns the number of objects in the frustum, without reading IDs.
func (f Frustum) Count(v linear.View, flt Filter) int {
	var keep walk.Filter
	s := v.Store()
	flt.prepare(&keep)
	flt.resolve(v, &keep)
	return (*walk.Frustum)(&f).Begin(s).Count(&keep)
}

// Any reports whether an object is in the frustum. It stops at the first one found.
func (f Frustum) Any(v linear.View, flt Filter) bool {
	var keep walk.Filter
	s := v.Store()
	flt.prepare(&keep)
	flt.resolve(v, &keep)
	return (*walk.Frustum)(&f).Begin(s).Any(&keep)
}

// All returns an iterator over the IDs of the objects in the frustum, in the order of
// [Frustum.Append]. The walk runs when the iteration starts. Changing the tree during the
// iteration makes it panic.
func (f Frustum) All(v linear.View, flt Filter) iter.Seq[uint32] {
	return func(yield func(uint32) bool) { each((*walk.Frustum)(&f).Begin(v.Store()), v, flt, yield) }
}

// Ranges calls yield with the answer as ranges of packet slots, without reading IDs, in the order
// of [Frustum.Append], until yield returns false. The first are runs of slots wholly inside, then
// packets on the border, one by one, with a mask. A filter that excludes objects adds masks to the
// packets inside, too. No slot is in two ranges, and a slot may be empty. See [linear.View.IDs]
// for the IDs. Changing the tree in yield makes it panic.
func (f Frustum) Ranges(v linear.View, flt Filter, yield func(Range) bool) {
	parts((*walk.Frustum)(&f).Begin(v.Store()), v, flt, yield)
}
