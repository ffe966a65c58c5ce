package collide

import (
	"fmt"
	"math/bits"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/pair"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Filter is a collision filter, whose zero value keeps every pair except those of two static
// objects. It restricts pairs by type masks, layers, static objects, distance, exact bounds, sets of
// IDs and an excluded object.
//
// Static objects and masks are tested on the way down, so excluded objects cost nothing:
// neighbouring static objects are never tested.
type Filter struct {
	// Mask keeps the pairs in which each object has a type mask with a bit in common with Mask. 0
	// keeps all.
	Mask uint32

	// Layers, unless nil, is the matrix of the layers that collide, for the 32 bits of a type
	// mask. nil keeps all.
	Layers *Layers

	// StaticPairs keeps pairs of two static objects, too. false excludes them, also those of sleeping
	// objects that the program has set static: trackers end such a pair, and begin it when one of the
	// two wakes.
	StaticPairs bool

	// Distance keeps the pairs whose closed boxes are at most this far apart, in the unit of coordinates: a join
	// by distance. 0 keeps overlapping boxes, which may touch. The distance of two boxes is that of their
	// nearest points, and is compared in exact arithmetic: with d the gap on each axis,
	//
	//	d = max(b.min - a.max, a.min - b.max, 0)
	//	dx*dx + dy*dy + dz*dz <= Distance*Distance
	//
	// So for points it is an exact fixed-radius join. A query.Sphere of that radius about a point finds all
	// partners of the point, and others only within its own rounding bound. It is finite and 0 or more: calls
	// with an error result return an error otherwise, and the others panic.
	Distance float32

	// Exact tests the bounds of objects (package linear, Tree.SetSphere and Tree.SetOriented) in
	// addition to their boxes, as the Exact of query.Filter does. A pair in which at least one
	// object has a bound is kept only if each bound of one object overlaps each bound of the
	// other, or is within Distance of it. The box stands for an object without a bound. The tests, in
	// float64 on the float32 numbers of the tree, with D the Distance:
	//
	//	sphere, sphere        |a - b| <= (ra + rb + D) * (1 + 2^-40)
	//	sphere, box           |a - nearest point of the box| <= (ra + D) * (1 + 2^-40)
	//	sphere, oriented box  |a - nearest point of a box at right angles around it| <=
	//	                      ra + D * (1 + 2^-40), the distance less 2^-47 of the largest
	//	                      number in it
	//	oriented box, box     no axis separates them: see query.OrientedBox, with nine axes of
	//	or another            two edges, and m the sum of the sizes of both; or, unless D is 0,
	//	                      no plane separates the boxes at right angles around them by more
	//	                      than D * (1 + 2^-40) and 2^-49 of m, of the normals of faces and
	//	                      the plane that is normal to the vector of their nearest points
	//
	// The margins exceed the rounding errors: there are no false negatives, and pairs of spheres
	// would be kept by an exact test of radii and D larger by a relative 2^-39. The box around an
	// oriented one is larger by up to 2^-17 of its half axes. No exact axis separates two kept boxes
	// by more than 2 off, as defined at query.OrientedBox, if D is 0; else the two boxes around them
	// are no more than 2^-30 of their sizes and distance further apart than D. The result is the
	// same on every CPU. Without Exact the boxes decide.
	Exact bool

	// Live, unless nil, keeps the pairs in which at least one object is in the set: bit ID%64 of
	// Live[ID/64]. LiveBoth keeps the pairs in which both are. Typical sets are the objects
	// visible to a camera (the Visible of a [BudgetTracker], the Only of query.Filter). They may
	// have any length: IDs beyond it are not in the set. Between two views both sets apply to A
	// alone, an object of the first view. Within one view of 1,024 objects or more, the objects of a
	// set of at most one in 16 are searched one by one, those of LiveBoth if there are both. Other
	// sets are tested after the boxes, so they save work on pairs, not the search. They must not
	// change while they are used.
	Live, LiveBoth []uint64

	// Exclude, unless zero, is the handle of an object without pairs. The zero Handle excludes
	// nothing, and neither does the handle of an object that is not in the view. Between two views
	// it refers to A alone, an object of the first view. It is tested after the boxes, as the sets
	// are, and resolved once a query ([linear.View.LocateHandle]).
	Exclude soa.Handle
}

// Layers is a collision matrix for the bits of type masks. Bit d of Layers[c] set means that
// layer c accepts layer d. A pair is kept if one object has a layer and the other has one such
// that each accepts the other.
//
// If every object has one layer, the type mask corresponds to the category bits of Box2D and the
// collision filter group of Bullet. Layers[c] is their mask of the objects in layer c:
//
//	a.category & b.mask != 0 && b.category & a.mask != 0
//
// An object without a layer (type mask 0) collides with nothing. In the zero value no layers
// collide; in [AllLayers] all do.
type Layers [32]uint32

// AllLayers returns a matrix in which all layers accept each other.
func AllLayers() (l Layers) {
	for c := range l {
		l[c] = ^uint32(0)
	}
	return l
}

// Set sets whether two layers, 0 to 31, accept each other. It panics if a layer is out of range.
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

// laneFilter is the test of the type masks of hits.
type laneFilter struct {
	on      bool
	mask    uint32 // 0: any
	layered bool
	accepts Layers // made symmetric: bit d of accepts[c] if each accepts the other

	one, both []uint64 // Live and LiveBoth

	excludes bool // excluded is the ID of an object without pairs
	excluded uint32
}

// prepare reads a filter and returns the filter of nodes. any is false if no pair can pass.
func (s *laneFilter) prepare(flt *Filter) (filter asm.NodeFilter, any bool) {
	s.mask, s.layered = flt.Mask, flt.Layers != nil
	s.on = s.mask != 0 || s.layered
	s.one, s.both, s.excludes = flt.Live, flt.LiveBoth, false
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

// resolve drops the tests of masks if all objects of x have the same mask, and all of y, and pass. any is false if no
// pair can pass.
func (s *laneFilter) resolve(filter *asm.NodeFilter, x, y *soa.PacketColumns) (any bool) {
	if !s.on || x.Masked() || y.Masked() {
		return true
	}
	if s.mask != 0 && (x.Mask&s.mask == 0 || y.Mask&s.mask == 0) || s.layered && s.partners(x.Mask)&y.Mask == 0 {
		return false
	}
	s.on, s.mask, s.layered, filter.Mask = false, 0, false, 0
	return true
}

// exclude resolves the excluded object of a filter in a view.
func (s *laneFilter) exclude(v linear.View, h soa.Handle) {
	if h != (soa.Handle{}) {
		s.excluded = h.ID
		_, _, s.excludes = v.LocateHandle(h)
	}
}

// isExcluded reports whether an object of the first view has no pairs by Exclude.
func (s *laneFilter) isExcluded(id uint32) bool { return s.excludes && id == s.excluded }

// byID reports whether pairs are tested by their IDs.
func (s *laneFilter) byID() bool { return s.one != nil || s.both != nil || s.excludes }

// partners returns the layers that accept one of the mask.
func (s *laneFilter) partners(mask uint32) (p uint32) {
	for ; mask != 0; mask &= mask - 1 {
		p |= s.accepts[bits.TrailingZeros32(mask)&31]
	}
	return p
}

// keep keeps the hits whose objects pass.
func (s *laneFilter) keep(hits []pair.Hit, x, y *soa.PacketColumns) []pair.Hit {
	n := 0
	for _, h := range hits {
		mask := x.MaskAt(h.A.Slot(), h.A.Lane())
		if s.mask != 0 {
			if mask&s.mask == 0 {
				continue
			}
			h.Mask &= asm.PacketMaskLanes(y, h.B, s.mask)
		}
		if s.layered {
			h.Mask &= asm.PacketMaskLanes(y, h.B, s.partners(mask))
		}
		if h.Mask != 0 {
			hits[n] = h
			n++
		}
	}
	return hits[:n]
}
