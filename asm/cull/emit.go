package cull

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

// An emit kernel visits at most emitBudget slots in one call.
const emitBudget = 1024

// emitArgs is the argument of an emit kernel.
type emitArgs struct {
	dst    *uint32 // address of the next ID
	room   int     // room for IDs; a kernel stores 16 at a time
	ids    *[soa.Lanes]uint32
	counts *uint8
	ranges *asm.Range // the first range is shortened in place when a call ends inside it
	n      int        // number of ranges
	budget int        // slots that this call may visit
	done   int        // out: ranges finished
	wrote  int        // out: IDs written
}

// EmitIDs appends the IDs of the objects in ranges to dst, in the order of the ranges, lanes
// ascending. counts[slot] is the number of live lanes of a slot. It consumes ranges: their contents
// are unspecified afterwards. It allocates only if dst lacks room for the result and 16 more.
func EmitIDs(dst []uint32, ids [][soa.Lanes]uint32, counts []uint8, ranges []asm.Range) []uint32 {
	if len(ranges) == 0 {
		return dst
	}
	e := emitArgs{ids: unsafe.SliceData(ids), counts: unsafe.SliceData(counts)}
	for len(ranges) > 0 {
		if cap(dst)-len(dst) < soa.Lanes {
			dst = slices.Grow(dst, CountRanges(counts, ranges)+soa.Lanes)
		}
		e.dst = (*uint32)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(dst)), 4*len(dst)))
		e.room = cap(dst) - len(dst)
		e.ranges, e.n, e.budget = &ranges[0], len(ranges), emitBudget
		emit(&e)
		dst = dst[:len(dst)+e.wrote]
		ranges = ranges[e.done:]
	}
	return dst
}

// CountRanges returns the number of objects in the ranges.
func CountRanges(counts []uint8, ranges []asm.Range) (n int) {
	for _, r := range ranges {
		if r.N&asm.RangeHit != 0 {
			n += bits.OnesCount16(uint16(r.N))
			continue
		}
		n += countSlots(counts[r.First:][:r.N])
	}
	return n
}

// countSlots adds up lane counts, eight at a time: a count is at most 16, so the sum of eight fits
// a byte.
func countSlots(c []uint8) (n int) {
	for ; len(c) >= 8; c = c[8:] {
		x := uint64(c[0]) | uint64(c[1])<<8 | uint64(c[2])<<16 | uint64(c[3])<<24 |
			uint64(c[4])<<32 | uint64(c[5])<<40 | uint64(c[6])<<48 | uint64(c[7])<<56
		n += int(x * 0x0101010101010101 >> 56)
	}
	for _, k := range c {
		n += int(k)
	}
	return n
}
