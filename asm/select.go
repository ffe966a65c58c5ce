package asm

import (
	"math"
	"slices"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// LaneFilter selects objects by type mask, by motion and by ID.
type LaneFilter struct {
	Mask  uint32   // objects whose type mask shares a bit with it; 0: all
	Flags soa.Ref  // objects of a wanted kind: soa.RefMoving, soa.RefStatic
	Only  []uint64 // unless nil: objects whose ID is the index of a set bit
}

// Kept returns the lanes of hit in a slot that pass the filter.
func (s *LaneFilter) Kept(p *soa.PacketColumns, slot, hit uint32) uint32 {
	flip, every := s.motion()
	hit &= (1<<p.Counts[slot] - 1) & (uint32(p.Moving[slot]) ^ flip | every)
	if s.Mask != 0 && hit != 0 {
		hit &= MaskLanes(&p.Masks[slot], s.Mask)
	}
	if s.Only != nil && hit != 0 {
		hit &= liveLanes(&p.IDs[slot], s.Only)
	}
	return hit
}

// motion returns the flags in the form of the kernels: a lane passes if its bit of moving ^ flip |
// every is set.
func (s *LaneFilter) motion() (flip, every uint32) {
	switch s.Flags {
	case soa.RefMoving:
		return 0, 0
	case soa.RefStatic:
		return 0xffff, 0
	}
	return 0, 0xffff
}

// A select kernel visits at most selectPerCall slots in one call.
const selectPerCall = 256

// selectArgs is the argument of a select kernel.
type selectArgs struct {
	out    *Range // room for budget ranges
	ranges *Range // the first range is shortened in place when a call ends inside it
	n      int    // number of ranges
	ids    *[soa.Lanes]uint32
	masks  *[soa.Lanes]uint32
	moving *uint16
	counts *uint8
	live   *uint64
	mask   uint32
	flip   uint32 // see LaneFilter.motion
	every  uint32
	last   uint32 // the largest ID that live has a bit for
	alive  uint32 // 0: live is not read
	budget int    // slots that this call may visit
	done   int    // out: ranges finished
	wrote  int    // out: ranges written
}

// Kernels read halves of the words of live.
var _ [0]struct{} = [unsafe.Sizeof(*selectArgs{}.live) - 8]struct{}{}

// SelectRanges filters ranges: it appends a hit range for each slot of the ranges with an object
// that passes the filter, in the order of the ranges. It consumes ranges: their contents are
// unspecified afterwards. out must not overlap them. It allocates only while out grows.
func SelectRanges(out []Range, p *soa.PacketColumns, ranges []Range, s *LaneFilter) []Range {
	if len(ranges) == 0 || s.Only != nil && len(s.Only) == 0 {
		return out
	}
	e := selectArgs{
		ids: unsafe.SliceData(p.IDs), masks: unsafe.SliceData(p.Masks),
		moving: unsafe.SliceData(p.Moving), counts: unsafe.SliceData(p.Counts),
		live: unsafe.SliceData(s.Only), mask: s.Mask,
	}
	e.flip, e.every = s.motion()
	if s.Only != nil {
		e.alive = 1
		e.last = uint32(min(uint64(len(s.Only))*64-1, math.MaxUint32))
	}
	for len(ranges) > 0 {
		out = slices.Grow(out, selectPerCall)
		e.out = (*Range)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(out)), len(out)*int(unsafe.Sizeof(Range{}))))
		e.ranges, e.n, e.budget = &ranges[0], len(ranges), selectPerCall
		selectLanes(&e)
		out = out[:len(out)+e.wrote]
		ranges = ranges[e.done:]
	}
	return out
}
