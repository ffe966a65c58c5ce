package cull

import (
	"math"
	"slices"
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

// LaneFilter selects objects by type mask, by motion, by ID and by location; with Flags of both
// kinds and zeros in the other fields it selects all.
type LaneFilter struct {
	Mask    uint32   // objects whose type mask shares a bit with it; 0: all
	Flags   soa.Ref  // objects of a wanted kind: soa.RefMoving, soa.RefStatic
	Only    []uint64 // unless nil: objects whose ID is the index of a set bit
	Exclude uint32   // 1 + the soa.Location of an object to exclude; 0: none
}

// Kept returns the lanes of hit in a slot that pass the filter.
func (s *LaneFilter) Kept(p *soa.PacketColumns, slot, hit uint32) uint32 {
	flip, every := s.motion()
	hit &= (1<<p.Counts[slot] - 1) & (uint32(p.Moving[slot]) ^ flip | every)
	if s.Mask != 0 && hit != 0 {
		hit &= asm.PacketMaskLanes(p, slot, s.Mask)
	}
	if s.Only != nil && hit != 0 {
		hit &= liveLanes(&p.IDs[slot], s.Only)
	}
	if s.Exclude != 0 {
		if at := soa.Location(s.Exclude - 1); at.Slot() == slot {
			hit &^= 1 << at.Lane()
		}
	}
	return hit
}

// plain reports whether all lanes pass, except the excluded one.
func (s *LaneFilter) plain() bool { return s.Mask == 0 && s.Flags == soa.RefFlags && s.Only == nil }

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
	out    *asm.Range // room for budget ranges
	ranges *asm.Range // the first range is shortened in place when a call ends inside it
	n      int        // number of ranges
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
// that passes the filter, in the order of the ranges. If the filter only excludes an object, it
// appends the ranges, with the slot of the object split off. No two ranges may share a slot. It
// consumes ranges: their contents are unspecified afterwards. out must not overlap them. It
// allocates only while out grows.
func SelectRanges(out []asm.Range, p *soa.PacketColumns, ranges []asm.Range, s *LaneFilter) []asm.Range {
	if s.Exclude == 0 {
		return selectRanges(out, p, ranges, s)
	}
	from := len(out)
	if s.plain() {
		for _, r := range ranges {
			if r.N&asm.RangeHit != 0 {
				if r.N &= asm.RangeHit | (1<<p.Counts[r.First] - 1); r.N == asm.RangeHit {
					continue
				}
			}
			out = append(out, r)
		}
	} else {
		out = selectRanges(out, p, ranges, s)
	}
	return exclude(out, from, p, soa.Location(s.Exclude-1))
}

// exclude removes the lane of a location from the ranges that start at index from.
func exclude(ranges []asm.Range, from int, p *soa.PacketColumns, at soa.Location) []asm.Range {
	slot, lane := at.Slot(), uint32(1)<<at.Lane()
	for i := from; i < len(ranges); i++ {
		r := ranges[i]
		if r.N&asm.RangeHit != 0 {
			if r.First != slot {
				continue
			}
			if ranges[i].N &^= lane; ranges[i].N == asm.RangeHit {
				return slices.Delete(ranges, i, i+1)
			}
			return ranges
		}
		if slot-r.First >= r.N { // also if slot is less than r.First
			continue
		}
		var parts [3]asm.Range
		n := 0
		if slot > r.First {
			parts[n], n = asm.Range{First: r.First, N: slot - r.First}, n+1
		}
		if left := (uint32(1)<<p.Counts[slot] - 1) &^ lane; left != 0 {
			parts[n], n = asm.Range{First: slot, N: asm.RangeHit | left}, n+1
		}
		if end := r.First + r.N; end > slot+1 {
			parts[n], n = asm.Range{First: slot + 1, N: end - slot - 1}, n+1
		}
		return slices.Replace(ranges, i, i+1, parts[:n]...)
	}
	return ranges
}

// selectRanges is SelectRanges without an excluded object.
func selectRanges(out []asm.Range, p *soa.PacketColumns, ranges []asm.Range, s *LaneFilter) []asm.Range {
	if len(ranges) == 0 || s.Only != nil && len(s.Only) == 0 {
		return out
	}
	mask := s.Mask
	if mask != 0 && len(p.Masks) == 0 {
		if mask&p.Mask == 0 {
			return out
		}
		mask = 0 // all objects pass
	}
	e := selectArgs{
		ids: unsafe.SliceData(p.IDs), masks: unsafe.SliceData(p.Masks),
		moving: unsafe.SliceData(p.Moving), counts: unsafe.SliceData(p.Counts),
		live: unsafe.SliceData(s.Only), mask: mask,
	}
	e.flip, e.every = s.motion()
	if s.Only != nil {
		e.alive = 1
		e.last = uint32(min(uint64(len(s.Only))*64-1, math.MaxUint32))
	}
	for len(ranges) > 0 {
		out = slices.Grow(out, selectPerCall)
		e.out = (*asm.Range)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(out)), len(out)*int(unsafe.Sizeof(asm.Range{}))))
		e.ranges, e.n, e.budget = &ranges[0], len(ranges), selectPerCall
		selectLanes(&e)
		out = out[:len(out)+e.wrote]
		ranges = ranges[e.done:]
	}
	return out
}
