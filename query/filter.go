package query

import (
	"fmt"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/linear"
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

// Filter restricts the answer of a query by type mask, motion, exact bounds, bitmap and handle, and
// keeps every object in the fields that are zero. An object must pass all fields.
//
// Masks and motion are tested during the walk, so a filter by these that excludes nearly
// everything visits nearly nothing. Only and Exclude are tested last: the query costs as much as
// without them, and for Only a bitmap read for each object found.
//
// A Motion that is none of the constants is rejected, with its number: methods with an error
// result return an error before they read anything, and the others panic.
type Filter struct {
	// Mask keeps the objects whose type mask has a bit in common with it. 0
	// keeps all. An object whose own mask is 0 has no bit in common with any:
	// only a filter with Mask 0 finds it.
	Mask uint32

	// Motion keeps static objects, moving objects, or, if it is 0, both.
	Motion Motion

	// Exact makes queries test the bounds of an object that has them (package linear, Tree.SetSphere
	// and Tree.SetOriented) after its box. A volume, a ray or a swept sphere then keeps the object if
	// it hits the sphere, at the time of that hit; the distance is that to the sphere. An oriented box
	// is tested likewise. If an object has both bounds, both must be hit: the later time, or the
	// larger distance, counts.
	//
	// Each test is conservative, within the bound stated at the query. Oriented boxes have the bound
	// of [OrientedBox] for boxes and oriented boxes, and of [Frustum] for planes. For distances, a
	// rectangular box stands for the oriented one; it contains it and is larger by up to 2^-17 of its
	// half axes.
	//
	// Without Exact, and for a swept box in any case, the box decides. It contains the bounds, so
	// there are no false negatives, only false positives that an exact test would remove. For the
	// filter of pairs see package query/collide.
	Exact bool

	// Only, unless nil, keeps the objects whose ID is the number of a set bit: bit ID%64 of
	// Only[ID/64]. It may have any length; an ID beyond its end is not kept. It is read during the
	// query only, and must not be modified meanwhile.
	Only []uint64

	// Exclude, unless zero, is the handle of an object that is not returned, such as the object from
	// which a ray starts. The zero Handle excludes nothing, and neither does the handle of an object
	// that is not in the view, such as a stale one. Each query resolves it once
	// ([linear.View.LocateHandle]): in constant time, except that the first lookup in a published
	// version makes its index.
	Exclude linear.Handle

	excluded uint32 // 1 + location of that object in the view of the query; 0: none
}

// Check returns an error if the filter is out of range: if Motion is none of the constants. The
// error has its number.
func (f Filter) Check() error {
	if f.Motion > StaticOnly {
		return fmt.Errorf("query: Filter.Motion %d is not 0 to %d", f.Motion, StaticOnly)
	}
	return nil
}

// of returns f itself, with Exclude resolved in the view of a query. Each query calls it, on its own
// copy of the caller's filter.
func (f *Filter) of(v linear.View) *Filter { // short enough to be inlined
	if f.Exclude.Gen != 0 { // the generation of a live object is odd
		f.locate(v)
	}
	return f
}

//go:noinline
func (f *Filter) locate(v linear.View) {
	f.excluded = 0
	if slot, lane, ok := v.LocateHandle(f.Exclude); ok {
		f.excluded = 1 + uint32(soa.MakeLocation(slot, lane))
	}
}

// all reports whether the filter keeps every object. It takes a pointer, because copying a value
// that the caller has just written would stall on store forwarding.
func (f *Filter) all() bool {
	return f.Mask == 0 && f.Motion == AnyMotion && f.Only == nil && f.excluded == 0
}

// NodeFilter returns the filter in the form of the node kernels of package asm/cull. It leaves Only and
// Exclude to [Filter.LaneFilter], and Exact to the caller, which has the shape. It panics if the filter is
// out of range; every query calls it.
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

// LaneFilter returns the filter in the form of the kernels of package asm/cull that select lanes: all
// of it except Exact. It panics as [Filter.NodeFilter] does.
func (f Filter) LaneFilter() cull.LaneFilter {
	s := f.NodeFilter()
	return cull.LaneFilter{Mask: s.Mask, Flags: s.Flags, Only: f.Only, Exclude: f.excluded}
}

// lanes returns the lanes of hit in a slot that the filter keeps.
func (f *Filter) lanes(p *soa.PacketColumns, slot uint32, hit uint32) uint32 {
	s := f.LaneFilter()
	return s.Kept(p, slot, hit)
}

// keepLanes appends the lanes in the ranges, which it consumes, that pass.
func (f *Filter) keepLanes(out []asm.Range, p *soa.PacketColumns, ranges []asm.Range) []asm.Range {
	s := f.LaneFilter()
	return cull.SelectRanges(out, p, ranges, &s)
}
