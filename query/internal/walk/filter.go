package walk

import (
	"fmt"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/soa"
)

// Filter is the Filter of package query prepared for a store.
type Filter struct {
	Mask    uint32
	Motion  uint8 // number of the Motion of package query
	Exact   bool  // bounds of objects are tested, too
	Only    []uint64
	Exclude uint32 // 1 + location of an object that is excluded; 0: none
}

// Everything is the filter that keeps all objects.
var Everything Filter

// flags are the kinds of objects that each motion keeps: static and moving ones, moving ones, static ones.
var flags = [...]soa.Ref{soa.RefFlags, soa.RefMoving, soa.RefStatic}

// ExcludeAt excludes the object at a location, if it exists. The arguments are the results of
// View.LocateHandle of package linear.
func (f *Filter) ExcludeAt(slot uint32, lane int, ok bool) {
	if f.Exclude = 0; ok {
		f.Exclude = 1 + uint32(soa.MakeLocation(slot, lane))
	}
}

// DropMask drops a mask that all objects pass, since they have the same.
func (f *Filter) DropMask(p *soa.PacketColumns) {
	if len(p.Masks) == 0 && f.Mask&p.Mask != 0 {
		f.Mask = 0
	}
}

// All reports whether the filter keeps every object. It takes a pointer, because copying a value
// that the caller has just written would stall on store forwarding.
func (f *Filter) All() bool {
	return f.Mask == 0 && f.Motion == 0 && f.Only == nil && f.Exclude == 0
}

// NodeFilter returns the filter in the form of the node kernels of package asm. It leaves Only and
// Exclude to [Filter.LaneFilter], and Exact to the caller, which has the shape. It panics if Motion is out of
// range; every query calls it.
func (f *Filter) NodeFilter() asm.NodeFilter {
	if int(f.Motion) >= len(flags) {
		f.outOfRange()
	}
	return asm.NodeFilter{Mask: f.Mask, Flags: flags[f.Motion]}
}

// outOfRange is not inlined, so that NodeFilter is.
//
//go:noinline
func (f *Filter) outOfRange() {
	panic(fmt.Sprintf("query: Filter.Motion %d is not 0 to %d", f.Motion, len(flags)-1))
}

// LaneFilter returns the filter in the form of the kernels of package asm that select lanes: all
// of it except Exact. It panics as [Filter.NodeFilter] does.
func (f *Filter) LaneFilter() cull.LaneFilter {
	s := f.NodeFilter()
	return cull.LaneFilter{Mask: s.Mask, Flags: s.Flags, Only: f.Only, Exclude: f.Exclude}
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
