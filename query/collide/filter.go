package collide

import (
	"fmt"
	"math/bits"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

// Filter restricts pairs, as the filters of physics engines do. The zero
// value keeps every pair but those of two static objects.
//
// Static objects and masks are looked at on the way down, so that what is
// excluded costs nothing: static objects next to each other are never tested.
type Filter struct {
	// Mask keeps the pairs of which both objects have a type mask with a bit
	// in common with it. 0 keeps all.
	Mask uint32

	// Layers, unless nil, says which of the 32 bits of a type mask collide.
	Layers *Layers

	// StaticPairs keeps pairs of two static objects, too.
	StaticPairs bool

	// Exact tests the bounds of objects (package linear, Tree.SetSphere and
	// Tree.SetOriented) beside their boxes, as the Exact of query.Filter does: of two
	// objects whose boxes overlap, at least one with a bound, it keeps those of which each
	// bound of one shares a point with each of the other, or with its box if that has none.
	// In float64, of the float32 numbers of the tree:
	//
	//	sphere, sphere        |a - b| <= (ra + rb) * (1 + 2^-40)
	//	sphere, box           |a - nearest point of the box| <= ra * (1 + 2^-40)
	//	sphere, oriented box  |a - nearest point of a box at right angles around it| <= ra,
	//	                      the distance less 2^-47 of the largest number in it
	//	oriented box, box     no axis separates them: see query.OrientedBox, with nine axes of
	//	or another            two edges, and m the sum of the sizes of both
	//
	// What is added exceeds the rounding errors: no pair that meets is lost,
	// and those kept would meet if the radii were larger by a relative 2^-39. The box
	// around an oriented one is larger by up to 2^-17 of its half axes; on no exact axis are
	// two boxes apart by more than 2 off as told at query.OrientedBox.
	// The answer is the same on every CPU. Without Exact the boxes decide.
	Exact bool

	// Live, unless nil, keeps the pairs of which at least one object is the number of a set
	// bit, bit ID%64 of Live[ID/64], and LiveBoth those of which both are: such as what a
	// camera sees (the Seen of a [BudgetTracker], the Only of query.Filter). They may have any length:
	// an ID beyond is not in them. Between two views both ask A alone, an object of the first.
	// They are looked at after the boxes, so they save what is done with pairs, not
	// the search. They must not change while they are used.
	Live, LiveBoth []uint64
}

// Layers says what collides with what, bit by bit of the type masks. Bit d of
// Layers[c] says that layer c accepts layer d. A pair is kept when one object
// has a layer and the other has one such that each accepts the other.
//
// When every object has one layer, the type mask is what Box2D calls category
// bits and Bullet the collision filter group, and Layers[c] is their mask of the
// objects in layer c:
//
//	a.category & b.mask != 0 && b.category & a.mask != 0
//
// An object without a layer (type mask 0) collides with nothing. The zero value
// lets nothing collide; [AllLayers] everything.
type Layers [32]uint32

// AllLayers returns layers that all accept each other.
func AllLayers() (l Layers) {
	for c := range l {
		l[c] = ^uint32(0)
	}
	return l
}

// Set lets two layers, 0 to 31, accept each other or not. It panics when a layer
// is out of range.
func (l *Layers) Set(c, d int, collide bool) {
	if uint(c) >= 32 || uint(d) >= 32 {
		panic(fmt.Sprintf("collide: layers %d and %d are not 0 to 31", c, d))
	}
	l[c] &^= 1 << d
	l[d] &^= 1 << c
	if collide {
		l[c] |= 1 << d
		l[d] |= 1 << c
	}
}

// laneFilter is what a filter asks of the type masks of hits.
type laneFilter struct {
	on      bool
	mask    uint32 // 0: any
	layered bool
	accepts Layers // made symmetric: bit d of accepts[c] if each accepts the other

	one, both []uint64 // Live and LiveBoth
}

// prepare takes over a filter and returns what nodes are filtered by. any is false
// when no pair can pass.
func (s *laneFilter) prepare(flt *Filter) (filter asm.NodeFilter, any bool) {
	s.mask, s.layered = flt.Mask, flt.Layers != nil
	s.on = s.mask != 0 || s.layered
	s.one, s.both = flt.Live, flt.LiveBoth
	filter = asm.NodeFilter{Mask: flt.Mask, Flags: soa.RefMoving | soa.RefStatic}
	if !s.layered {
		return filter, true
	}
	used := uint32(0)
	for c := range s.accepts {
		s.accepts[c] = 0
		for m := flt.Layers[c]; m != 0; m &= m - 1 {
			d := bits.TrailingZeros32(m) & 31
			s.accepts[c] |= flt.Layers[d] >> c & 1 << d
		}
		used |= s.accepts[c]
	}
	if filter.Mask == 0 {
		filter.Mask = used
	}
	return filter, used != 0
}

// partners returns the layers that accept one of the mask.
func (s *laneFilter) partners(mask uint32) (p uint32) {
	for ; mask != 0; mask &= mask - 1 {
		p |= s.accepts[bits.TrailingZeros32(mask)&31]
	}
	return p
}

// keep leaves the hits whose objects pass.
func (s *laneFilter) keep(hits []asm.PairHit, x, y [][soa.Lanes]uint32) []asm.PairHit {
	n := 0
	for _, h := range hits {
		mask := x[h.A.Slot()][h.A.Lane()]
		if s.mask != 0 {
			if mask&s.mask == 0 {
				continue
			}
			h.Mask &= asm.MaskLanes(&y[h.B], s.mask)
		}
		if s.layered {
			h.Mask &= asm.MaskLanes(&y[h.B], s.partners(mask))
		}
		if h.Mask != 0 {
			hits[n] = h
			n++
		}
	}
	return hits[:n]
}
