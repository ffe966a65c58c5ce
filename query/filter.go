package query

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// Motion selects objects by whether they are static. It is the type of that name of package linear.
type Motion = linear.Motion

// The selections by motion.
const (
	AnyMotion  = linear.AnyMotion  // static and moving objects
	MovingOnly = linear.MovingOnly // objects that are not static
	StaticOnly = linear.StaticOnly // static objects
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
	// Package query/occlude tests the bounds against its depth buffer as well.
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
}

// Check returns an error if the filter is out of range: if Motion is none of the constants. The
// error has its number.
func (f Filter) Check() error {
	if f.Motion > StaticOnly {
		return fmt.Errorf("query: Filter.Motion %d is not 0 to %d", f.Motion, StaticOnly)
	}
	return nil
}

// restricts reports whether a field is not zero. If none is, walk.Everything is the prepared filter: reading one that
// has just been written delays a small query.
func (f *Filter) restricts() bool {
	return f.Mask|f.Exclude.Gen|uint32(f.Motion) != 0 || f.Exact || f.Only != nil
}

// in writes the filter prepared for a view to p, and returns p.
//
//go:noinline
func (f *Filter) in(v linear.View, p *walk.Filter) *walk.Filter {
	f.prepare(p)
	f.resolve(v, p)
	return p
}

// prepare writes the filter to p, except for the fields that [Filter.resolve] resolves in a view. It writes to the
// variable of the caller, and is inlined: a result would be copied, and reading a copy of fields that have just been
// written delays a small query.
func (f *Filter) prepare(p *walk.Filter) {
	p.Mask, p.Motion, p.Exact, p.Only = f.Mask, uint8(f.Motion), f.Exact, f.Only
}

// resolve completes the filter with the location of the object excluded, if it is in the view. It drops a mask that all
// objects pass, since they have the same.
func (f *Filter) resolve(v linear.View, p *walk.Filter) {
	if f.Exclude.Gen|f.Mask != 0 { // the generation of a live object is odd
		f.resolveIn(v, p)
	}
}

//go:noinline
func (f *Filter) resolveIn(v linear.View, p *walk.Filter) {
	p.DropMask(&v.Store().Packets)
	if f.Exclude.Gen != 0 {
		p.ExcludeAt(v.LocateHandle(f.Exclude))
	}
}
