package asm

import (
	"math/bits"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

func emitGo(e *emitArgs) {
	ranges := unsafe.Slice(e.ranges, e.n)
	dst := unsafe.Slice(e.dst, e.room)
	e.done, e.wrote = 0, 0
	for i := range ranges {
		r := &ranges[i]
		if r.N&RangeHit != 0 {
			if len(dst)-e.wrote < soa.Lanes || e.budget == 0 {
				return
			}
			ids := at(e.ids, int(r.First))
			for m := uint16(r.N); m != 0; m &= m - 1 {
				dst[e.wrote] = ids[bits.TrailingZeros16(m)&(soa.Lanes-1)]
				e.wrote++
			}
			e.budget--
			e.done++
			continue
		}
		for r.N != 0 {
			if len(dst)-e.wrote < soa.Lanes || e.budget == 0 {
				return
			}
			ids, n := at(e.ids, int(r.First)), int(*at(e.counts, int(r.First)))
			copy(dst[e.wrote:], ids[:n])
			e.wrote += n
			e.budget--
			r.First++
			r.N--
		}
		e.done++
	}
}
