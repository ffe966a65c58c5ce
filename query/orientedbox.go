package query

import (
	"iter"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/form"
	"github.com/zoctree/zoctree/soa"
)

// OrientedBox is a closed oriented box (OBB), for queries by a rotated box. Make one with
// [NewOrientedBox]. The zero value is the origin.
//
// An object is reported when its box shares a point with the oriented box, by the separating axis
// theorem. Fifteen axes can separate them: x, y and z, the normals of the faces of the oriented
// box, and the normals of x, y or z and one of its edges. There are no false negatives in exact
// arithmetic. The answer is a function of the oriented box and the boxes alone, the same on every
// CPU. Half axes of no length, of a flat box, a segment or a point, have directions at right
// angles to the others.
//
// Cost: the walk is as for a [Convex] of twelve planes, from the faces and from the box around
// the oriented box. The objects on its border are then tested one by one.
//
// # Rounding
//
// Before the test, the box of an object is clipped to the box around the oriented one. In float64,
// along an axis l, with c and h the centre and the half axes of the oriented box and b the corner
// of the box around it that is furthest from the origin,
//
//	m   = |c| + |h0| + |h1| + |h2| + |b|    on x, y and z
//	off = 2^-49 * (|lx|*mx + |ly|*my + |lz|*mz) + 2^-1000
//
// the two are separate if the object's box is beyond l·c ± (|l·h0| + |l·h1| + |l·h2| + off). The
// addition exceeds all rounding errors. A false positive is separate from the oriented box, on
// each of the exact axes, by 2 off or less.
type OrientedBox struct {
	box   soa.OrientedBox
	moved *form.Volume // nil, or the transformed box in another space
}

// NewOrientedBox returns the oriented box with that centre and those half axes. It is an error,
// which names the numbers, if they are not finite, if the axes are not at right angles as far as
// [soa.OrientedBox.Check] requires, or if the box reaches beyond the largest float32.
func NewOrientedBox(box linear.OrientedBox) (b OrientedBox, err error) {
	if err := box.Check(); err != nil {
		return OrientedBox{}, fault.Errorf("query: %w", err)
	}
	if err := box.Box().Check(); err != nil {
		return OrientedBox{}, fault.Errorf("query: oriented box %v: %w", box, err)
	}
	return OrientedBox{box: box}, nil
}

// turned is the oriented box of a walk.
type turned struct {
	on    bool // whether there is one
	solid exact.Solid
	slabs exact.Slabs
	frame exact.Frame
	moved bool // whether it is a parallelepiped, which has no frame
}

// begin takes a walk from the pool and prepares the box for the store.
func (b *OrientedBox) begin(s *soa.Store) *walk {
	w := take(s)
	q := &w.turned
	q.on, q.moved = true, b.moved != nil
	w.volume.Shape = cull.ShapeConvex
	if m := b.moved; m != nil {
		var box soa.AABB
		box.Min, box.Max = m.Outward()
		q.solid.SetCell(m.Center, m.Off, m.Dirs, m.Half)
		q.slabs.Set(&q.solid, &box)
		w.volume.Convex.Set(m.Scaled(), s.Near, s.Extent)
		return w
	}
	q.solid.SetOriented(&b.box)
	box := b.box.Box()
	q.slabs.Set(&q.solid, &box)
	q.frame.Set(&b.box)
	var planes [12][4]float32
	for i := range 3 {
		for side, sign := range [2]float64{1, -1} {
			p := q.slabs.Plane(i, sign)
			rebase(&p, &[3]float64{})
			cull.ScalePlaneTo(&planes[2*i+side], &p)
		}
		planes[6+2*i][i], planes[6+2*i][3] = 0.125, -0.125*box.Min[i]
		planes[7+2*i][i], planes[7+2*i][3] = -0.125, 0.125*box.Max[i]
	}
	w.volume.Convex.Set(planes[:], s.Near, s.Extent)
	return w
}

// open writes the box as a form.
func (b *OrientedBox) open(to *form.Volume) {
	var solid exact.Solid
	var slabs exact.Slabs
	solid.SetOriented(&b.box)
	box := b.box.Box()
	slabs.Set(&solid, &box)
	to.Kind, to.N, to.Precise = form.Turned, 6, false
	to.Plain, to.Oriented = true, b.box
	for i := range 3 {
		to.Planes[2*i], to.Planes[2*i+1] = slabs.Plane(i, 1), slabs.Plane(i, -1)
		to.Min[i], to.Max[i] = float64(box.Min[i]), float64(box.Max[i])
	}
	to.Center, to.Off, to.Dirs, to.Half = solid.Center, [3]float64{}, solid.Dirs, solid.Half
}

// confirm keeps, of the ranges inside the planes of an oriented box, which are rounded outward,
// those inside the box itself. It moves the rest to the packets to test.
func (w *walk) confirm() {
	s, l := w.store, &w.lists
	inside := l.Inside[:0]
	for _, ref := range l.Inside {
		at := ref.Index()
		up := &s.Nodes.Parents
		if ref.IsPacket() {
			up = &s.Packets.Parents
		}
		box := laneBox(s, (*up)[at])
		switch {
		case w.turned.slabs.Holds(&box):
			inside = append(inside, ref)
		case ref.IsPacket():
			l.Packets = append(l.Packets, at)
		default:
			w.ranges = w.ranges[:0]
			w.descend(at, w.nodeFilter == asm.AllNodes)
			for _, r := range w.ranges {
				for slot := r.First; slot < r.First+r.N; slot++ {
					l.Packets = append(l.Packets, slot)
				}
			}
		}
	}
	l.Inside, w.ranges = inside, w.ranges[:0]
}

// laneBox returns the box of a lane of a node.
func laneBox(s *soa.Store, up soa.Up) soa.AABB {
	b, l := &s.Nodes.Hot[up.Node()].Bounds, up.Lane()
	return soa.AABB{
		Min: [3]float32{b[soa.MinX][l], b[soa.MinY][l], b[soa.MinZ][l]},
		Max: [3]float32{b[soa.MaxX][l], b[soa.MaxY][l], b[soa.MaxZ][l]},
	}
}

// separate keeps the lanes of hit ranges that intersect the oriented box.
func (w *walk) separate() {
	b := w.store.Packets.Bounds
	w.keepHits(func(slot uint32, lane int) bool { return w.turned.slabs.Meets(&b[slot], lane) })
}

// Append appends the IDs of the objects that intersect the box to dst and returns it, in the
// order, at the cost and with the allocations of [Frustum.Append].
func (b OrientedBox) Append(dst []uint32, v linear.View, flt Filter) []uint32 {
	return b.begin(v.Store()).append(dst, flt.of(v))
}

// Count returns the number of objects that intersect the box, without reading IDs.
func (b OrientedBox) Count(v linear.View, flt Filter) int {
	return b.begin(v.Store()).count(flt.of(v))
}

// Any reports whether an object intersects the box. It stops at the first one found.
func (b OrientedBox) Any(v linear.View, flt Filter) bool {
	return b.begin(v.Store()).any(flt.of(v))
}

// All returns an iterator over the IDs of the objects that intersect the box, in the order of
// [OrientedBox.Append]. The walk runs when the iteration starts. Changing the tree during the
// iteration makes it panic.
func (b OrientedBox) All(v linear.View, flt Filter) iter.Seq[uint32] {
	return func(yield func(uint32) bool) { b.begin(v.Store()).each(v, flt, yield) }
}

// Ranges calls yield with the answer as ranges of packet slots, in the order of
// [OrientedBox.Append], until yield returns false, as [Frustum.Ranges] does.
func (b OrientedBox) Ranges(v linear.View, flt Filter, yield func(Range) bool) {
	b.begin(v.Store()).parts(v, flt, yield)
}
