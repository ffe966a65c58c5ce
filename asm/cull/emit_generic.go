package cull

import (
	"math/bits"
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/internal/lane"
	"github.com/zoctree/zoctree/soa"
)

func emitGo(e *emitArgs) {
	ranges := unsafe.Slice(e.ranges, e.n)
	dst := unsafe.Slice(e.dst, e.room)
	e.done, e.wrote = 0, 0
	for i := range ranges {
		r := &ranges[i]
		if r.N&asm.RangeHit != 0 {
			if len(dst)-e.wrote < soa.Lanes || e.budget == 0 {
				return
			}
			e.wrote += compress((*[soa.Lanes]uint32)(dst[e.wrote:]), lane.At(e.ids, int(r.First)), r.N)
			e.budget--
			e.done++
			continue
		}
		for r.N != 0 {
			if len(dst)-e.wrote < soa.Lanes || e.budget == 0 {
				return
			}
			ids, n := lane.At(e.ids, int(r.First)), int(*lane.At(e.counts, int(r.First)))
			row := *ids // a copy, which cannot overlap dst: no call of memmove
			*(*[soa.Lanes]uint32)(dst[e.wrote:]) = row
			e.wrote += n
			e.budget--
			r.First++
			r.N--
		}
		e.done++
	}
}

// few is the number of lanes up to which a loop over set bits is faster than storing all 16 lanes,
// each over the last one that the mask excludes.
const few = 4

// compress writes the lanes of m to the front of dst and returns their number. The rest of dst is
// unspecified afterwards.
func compress(dst, from *[soa.Lanes]uint32, m uint32) (n int) {
	m &= 0xffff
	if k := bits.OnesCount32(m); k <= few {
		for ; m != 0; m &= m - 1 {
			dst[n&(soa.Lanes-1)] = from[bits.TrailingZeros32(m)&(soa.Lanes-1)]
			n++
		}
		return k
	}
	for _, x := range from {
		dst[n&(soa.Lanes-1)] = x
		n += int(m & 1)
		m >>= 1
	}
	return n
}
