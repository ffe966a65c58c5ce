package query

import (
	"fmt"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

// Motion selects objects by whether they are static.
type Motion uint8

// The selections by motion.
const (
	AnyMotion  Motion = iota // static and moving objects
	MovingOnly               // objects that are not static
	StaticOnly               // static objects
)

// Filter restricts the answer of a query to the objects that pass all of its
// fields. The zero value keeps every object.
//
// A query looks at masks and motion on the way down, so a filter by these that
// excludes nearly everything visits nearly nothing. Only is looked at last: the
// query costs what it does without, and a look at the bitmap for each object
// found.
//
// A Motion that is none of the constants is refused, by an error of the forms that
// return one, before they look at anything, by a panic of the others, both with the
// number.
type Filter struct {
	// Mask keeps the objects whose type mask has a bit in common with it. 0
	// keeps all. An object whose own mask is 0 has no bit in common with any:
	// only a filter with Mask 0 finds it.
	Mask uint32

	// Motion keeps static objects, moving objects, or both.
	Motion Motion

	// Exact makes queries test the bounds of an object that has them (package
	// linear, Tree.SetSphere and Tree.SetOriented) beside its box: a volume, a
	// ray or a swept sphere keeps it when it meets the sphere, at the time at
	// which it does; its distance is that to the sphere. So it is with an
	// oriented box, and of an object with both both are to be met: the later
	// time, the larger distance counts. Each test errs outward, by what is told
	// at the query, or, for oriented boxes, at [OrientedBox] of a box or another
	// one, at [Frustum] of planes, and where distances count by a box at right
	// angles that holds the oriented one and is larger by up to 2^-17 of its half
	// axes. Without Exact, and for a swept box in any case, the answer is that
	// of the box, which holds the bounds: nothing is lost, some is kept that an
	// exact test would remove. The filter of pairs is that of package query/collide.
	Exact bool

	// Only, unless nil, keeps the objects whose ID is the number of a set
	// bit: bit ID%64 of Only[ID/64]. It may have any length; an ID beyond its
	// end is not kept. It is read during the query only, and nobody may write
	// to it meanwhile.
	Only []uint64
}

// Check returns the error of a filter that is out of range, nil if there is none: of
// a Motion that is none of the constants, with its number.
func (f Filter) Check() error {
	if f.Motion > StaticOnly {
		return fmt.Errorf("query: Filter.Motion %d is not 0 to %d", f.Motion, StaticOnly)
	}
	return nil
}

// all reports whether the filter keeps every object. It makes no copy: that of what a
// caller has just written would wait for it.
func (f *Filter) all() bool { return f.Mask == 0 && f.Motion == AnyMotion && f.Only == nil }

// NodeFilter is the form of the filter that the kernels of package asm take which
// look at nodes. What it cannot say, Only, is left to [Filter.LaneFilter], and Exact
// to whoever knows the shape. It panics if the filter is out of range: every query
// comes by.
func (f Filter) NodeFilter() asm.NodeFilter {
	flags := soa.RefFlags
	switch f.Motion {
	case AnyMotion:
	case MovingOnly:
		flags = soa.RefMoving
	case StaticOnly:
		flags = soa.RefStatic
	default:
		panic(f.Check().Error())
	}
	return asm.NodeFilter{Mask: f.Mask, Flags: flags}
}

// LaneFilter is the form of the filter that the kernels of package asm take which
// select lanes: all of it but Exact. It panics as [Filter.NodeFilter] does.
func (f Filter) LaneFilter() asm.LaneFilter {
	s := f.NodeFilter()
	return asm.LaneFilter{Mask: s.Mask, Flags: s.Flags, Only: f.Only}
}

// lanes returns the lanes of hit in a slot that the filter keeps.
func (f Filter) lanes(p *soa.PacketColumns, slot uint32, hit uint32) uint32 {
	s := f.LaneFilter()
	return s.Kept(p, slot, hit)
}

// keepLanes appends the lanes in the ranges, which it consumes, that pass.
func (f Filter) keepLanes(out []asm.Range, p *soa.PacketColumns, ranges []asm.Range) []asm.Range {
	s := f.LaneFilter()
	return asm.SelectRanges(out, p, ranges, &s)
}
