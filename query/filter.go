package query

import (
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

// Filter restricts the answer of a query. The zero value keeps every object.
//
// A query looks at masks on the way down, so a filter that excludes nearly
// everything visits nearly nothing.
type Filter struct {
	// Mask keeps the objects whose type mask has a bit in common with it. 0
	// keeps all.
	Mask uint32

	// Motion keeps static objects, moving objects, or both.
	Motion Motion
}

// all reports whether the filter keeps every object.
func (f Filter) all() bool { return f.Mask == 0 && f.Motion == AnyMotion }

// sift is the form of the filter that the nodes kernels take.
func (f Filter) sift() asm.Sift {
	flags := uint32(asm.RefMoving | asm.RefStatic)
	switch f.Motion {
	case MovingOnly:
		flags = asm.RefMoving
	case StaticOnly:
		flags = asm.RefStatic
	}
	return asm.Sift{Mask: f.Mask, Flags: flags}
}

// lanes returns the lanes of hit in a slot that the filter keeps.
func (f Filter) lanes(p *soa.PacketColumns, slot uint32, hit uint32) uint32 {
	hit &= 1<<p.Counts[slot] - 1
	switch f.Motion {
	case MovingOnly:
		hit &= uint32(p.Moving[slot])
	case StaticOnly:
		hit &^= uint32(p.Moving[slot])
	}
	if f.Mask != 0 && hit != 0 {
		hit &= asm.MaskLanes(&p.Masks[slot], f.Mask)
	}
	return hit
}
