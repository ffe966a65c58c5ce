package walk

import (
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/soa"
)

// Box is a box query.
type Box struct{ box cull.Box }

// Set sets the box from min to max.
func (b *Box) Set(min, max *[3]float32) { b.box.Set(min, max) }

// Bounds returns the box.
func (b *Box) Bounds() soa.AABB {
	x := &b.box
	return soa.AABB{Min: [3]float32{x[0], x[2], x[4]}, Max: [3]float32{x[1], x[3], x[5]}}
}

// Kernel returns the box in the form of the kernels.
func (b *Box) Kernel() *cull.Box { return &b.box }

// Begin takes a walk from the pool and prepares the box for the store.
func (b *Box) Begin(s *soa.Store) *Walk {
	w := take(s)
	w.volume.Shape = cull.ShapeBox
	w.volume.Box = b.box // a statement of its own: a tuple assignment would copy twice
	return w
}

// Lift writes the box in float64.
func (b *Box) Lift(to *Volume) {
	to.Kind = KindBox
	for a := range 3 {
		to.Min[a], to.Max[a] = float64(b.box[2*a]), float64(b.box[2*a+1])
	}
	to.SetMiddle()
}

// Point is a stabbing query.
type Point struct{ box Box }

// Set sets the point, or the box from min to max that stands for one.
func (p *Point) Set(min, max *[3]float32) { p.box.Set(min, max) }

// Box returns the box of no extent that has the same answer.
func (p *Point) Box() *Box { return &p.box }

// Begin takes a walk from the pool and prepares the point for the store.
func (p *Point) Begin(s *soa.Store) *Walk { return p.box.Begin(s) }

// Lift writes the point in float64.
func (p *Point) Lift(to *Volume) { p.box.Lift(to) }
