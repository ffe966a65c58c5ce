package walk

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// Oriented is a query of an oriented box.
type Oriented struct {
	box  soa.OrientedBox
	cell *Volume // nil, or the transformed box in another space
}

// Set sets the box.
func (b *Oriented) Set(box *soa.OrientedBox) { *b = Oriented{box: *box} }

// Oriented returns the box as it was set.
func (b *Oriented) Oriented() *soa.OrientedBox { return &b.box }

// orientedTest is the oriented box of a walk.
type orientedTest struct {
	solid  exact.Solid
	slabs  exact.Slabs
	frame  exact.Frame
	isCell bool // whether it is a parallelepiped, which has no frame
}

// Begin takes a walk from the pool and prepares the box for the store.
func (b *Oriented) Begin(s *soa.Store) *Walk {
	w := take(s)
	q := &w.oriented
	w.second, q.isCell = secondOriented, b.cell != nil
	w.volume.Shape = cull.ShapeConvex
	if m := b.cell; m != nil {
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
			Rebase(&p, &[3]float64{})
			cull.ScalePlaneTo(&planes[2*i+side], &p)
		}
		planes[6+2*i][i], planes[6+2*i][3] = 0.125, -0.125*box.Min[i]
		planes[7+2*i][i], planes[7+2*i][3] = -0.125, 0.125*box.Max[i]
	}
	w.volume.Convex.Set(planes[:], s.Near, s.Extent)
	return w
}

// Lift writes the box in float64.
func (b *Oriented) Lift(to *Volume) {
	var solid exact.Solid
	var slabs exact.Slabs
	solid.SetOriented(&b.box)
	box := b.box.Box()
	slabs.Set(&solid, &box)
	to.Kind, to.N, to.Precise = KindOriented, 6, false
	to.Plain, to.Oriented = true, b.box
	for i := range 3 {
		to.Planes[2*i], to.Planes[2*i+1] = slabs.Plane(i, 1), slabs.Plane(i, -1)
		to.Min[i], to.Max[i] = float64(box.Min[i]), float64(box.Max[i])
	}
	to.Center, to.Off, to.Dirs, to.Half = solid.Center, [3]float64{}, solid.Dirs, solid.Half
}

// confirm keeps, of the ranges inside the planes of an oriented box, which are rounded outward,
// those inside the box itself. It moves the rest to the packets to test.
func (w *Walk) confirm() {
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
		case w.oriented.slabs.Holds(&box):
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
	return boxOf(&s.Nodes.Hot[up.Node()].Bounds, int(up.Lane()))
}

// separate keeps the lanes of hit ranges that intersect the oriented box.
func (w *Walk) separate() {
	b := w.store.Packets.Bounds
	w.keepHits(func(slot uint32, lane int) bool { return w.oriented.slabs.Overlaps(&b[slot], lane) })
}
